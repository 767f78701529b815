// SPDX-License-Identifier: GPL-2.0-only
/*
 * Joins the stories of both ends of a connection between two hosts, and the rows of packets between two
 * ports of this host with a network between them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/why/story.h"

/* ---- clocks: each host has its own CLOCK_MONOTONIC; CLOCK_REALTIME relates them */

static bool clock_of(const struct why_story *s, uint64_t *offset)
{
	uint64_t real, when;

	if (!why_value_number(s, WHY_FAILURE, "", "real", &real) ||
	    !why_value_number(s, WHY_FAILURE, "", "when", &when))
		return false;
	*offset = real - when;
	return true;
}

static bool is_time(const char *key)
{
	static const char *const times[] = { "when",  "gone_when", "state_when", "last_change",
					     "first", "last",	   "created",	 "born" };
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (!strcmp(times[i], key))
			return true;
	return false;
}

/* Rewrites the rows from the index on: times, and which end is the local one. */
static void convert(struct why_story *s, size_t from, uint64_t shift)
{
	size_t i, k;

	for (i = from; i < s->rows; i++)
		for (k = 0; k < s->row[i].count; k++) {
			struct why_cell *c = &s->cell[s->row[i].first + k];
			uint64_t time;

			if (is_time(c->key) && why_cell_number(s, &s->row[i], c->key, &time))
				c->value = why_story_keep(s, format_text("%" PRIu64, time + shift));
			else if (!strcmp(c->key, "role") && !strcmp(c->value, "local"))
				c->value = "remote";
			else if (!strcmp(c->key, "role"))
				c->value = "local";
		}
}

/*
 * Takes the times and the reason of the refusal from the failure of the responder, if it is of the same
 * packet. The packet itself may no longer be known there: of a long message, many others came after it.
 */
static void join_refusal(struct why_story *s, const struct why_story *other, uint64_t shift)
{
	const char *cause = why_value(other, WHY_FAILURE, "", "cause");
	const struct why_row *seen = NULL;
	uint64_t psn, theirs, of, when;

	if (!cause || !why_value_number(s, WHY_FAILURE, "", "psn", &psn) ||
	    !why_value_number(other, WHY_FAILURE, "", "psn", &theirs) || theirs != psn)
		return;
	if (!strcmp(cause, "loc_len") && why_value_is(other, WHY_FAILURE, "", "op", "recv"))
		s->refused_for = "msg_too_long";
	if (strncmp(cause, "resp_", strlen("resp_")) ||
	    !why_value_number(other, WHY_FAILURE, "", "when", &s->refused_until))
		return;
	s->refused_until += shift;
	while ((seen = why_next(other, WHY_PACKETS, seen))) {
		const char *reason = why_cell(other, seen, "rx_reason");

		/* a later one is a repetition, which met the QP in ERR */
		if (why_cell_is(other, seen, "dir", "rx") && reason && strcmp(reason, "none") &&
		    why_cell_number(other, seen, "psn", &of) && of == psn &&
		    why_cell_number(other, seen, "when", &when) && when + shift <= s->refused_until)
			s->refused_from = when + shift;
	}
}

/* ---- packets */

static void copy_cell(struct why_story *s, const struct why_row *row, const struct why_story *other,
		      const struct why_row *seen, const char *key)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		if (!strcmp(s->cell[row->first + i].key, key))
			s->cell[row->first + i].value = why_cell(other, seen, key) ?: "-";
}

/* Adds the fate at the other host to packets that were not seen there. */
static void join_packets(struct why_story *s, const struct why_story *other)
{
	static const char *const keys[] = { "rx_dev", "rx_port", "rx_qpn", "rx_reason" };
	const struct why_row *row = NULL, *seen;
	bool *used = calloc(other->rows + 1, sizeof(*used));
	size_t i;

	if (!used)
		cli_die(CLI_FAILED, "out of memory");
	while ((row = why_next(s, WHY_PACKETS, row))) {
		const char *dir = why_cell(s, row, "dir"), *psn = why_cell(s, row, "psn");

		if (!dir || !psn || why_cell(s, row, "rx_dev"))
			continue;
		for (seen = NULL; (seen = why_next(other, WHY_PACKETS, seen));)
			if (!used[seen - other->row] && why_cell(other, seen, "rx_dev") &&
			    why_cell_is(other, seen, "psn", psn) && why_cell(other, seen, "dir") &&
			    !why_cell_is(other, seen, "dir", dir) &&
			    why_cell_is(other, seen, "op", why_cell(s, row, "op") ?: "-"))
				break;
		if (!seen)
			continue;
		used[seen - other->row] = true;
		for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			copy_cell(s, row, other, seen, keys[i]);
	}
	free(used);
}

/* ---- both ends on this host, with a network between them */

/* A row of a packet, as far as it concerns its way */
struct way {
	uint64_t when, psn, packets;
	const char *dir, *op;
	bool sent, seen; /* it has the sender, the receiver */
	bool joined; /* its arrival was found */
	size_t from; /* of an arrival: the index of its departure; SIZE_MAX: unknown */
};

/* Of other rows than packets, `sent` and `seen` are false. */
static struct way way_of(const struct why_story *s, const struct why_row *row)
{
	struct way w = { .packets = 1, .from = SIZE_MAX };

	if (row->block != WHY_PACKETS)
		return w;
	w.dir = why_cell(s, row, "dir");
	w.op = why_cell(s, row, "op");
	why_cell_number(s, row, "packets", &w.packets);
	if (!w.dir || !w.op || !why_cell_number(s, row, "when", &w.when) || !why_cell_number(s, row, "psn", &w.psn))
		return w;
	w.sent = why_cell(s, row, "tx_dev");
	w.seen = why_cell(s, row, "rx_dev");
	return w;
}

/* May `seen` be the arrival of the packet `sent`, or of one of that train? */
static bool is_arrival(const struct way *sent, const struct way *seen)
{
	return sent->sent && !sent->seen && sent->when <= seen->when &&
	       ((seen->psn - sent->psn) & 0xffffff) < sent->packets && !strcmp(sent->dir, seen->dir) &&
	       (sent->packets > 1 || (!sent->joined && !strcmp(sent->op, seen->op)));
}

/* Returns the index of the last packet or train that was sent before and may be this one, or SIZE_MAX. */
static size_t departure_of(const struct way *seen, const struct way *way, size_t n)
{
	size_t i, found = SIZE_MAX;

	for (i = 0; i < n; i++)
		if (is_arrival(&way[i], seen) && (found == SIZE_MAX || way[i].when >= way[found].when))
			found = i;
	return found;
}

void why_story_pair(struct why_story *s)
{
	static const char *const arrival[] = { "rx_dev", "rx_port", "rx_qpn", "rx_reason" };
	static const char *const departure[] = { "tx_dev", "tx_port", "tx_qpn", "tx_reason" };
	size_t i, k, n = 0, rows = s->rows;
	struct way *way = calloc(rows + 1, sizeof(*way));

	if (!way)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < rows; i++)
		way[i] = way_of(s, &s->row[i]);
	for (i = 0; i < rows; i++) {
		struct why_row *from;
		struct way *sent;

		if (way[i].sent || !way[i].seen)
			continue;
		way[i].from = departure_of(&way[i], way, rows);
		if (way[i].from == SIZE_MAX)
			continue;
		sent = &way[way[i].from];
		from = &s->row[way[i].from];
		for (k = 0; k < sizeof(arrival) / sizeof(*arrival) && !sent->joined; k++)
			copy_cell(s, from, s, &s->row[i], arrival[k]);
		sent->joined = true;
		if (sent->packets == 1 || why_cell_is(s, &s->row[i], "rx_reason", "none"))
			continue;
		/* the packet of a train that was dropped has a row of its own */
		for (k = 0; k < sizeof(departure) / sizeof(*departure); k++)
			copy_cell(s, &s->row[i], s, from, departure[k]);
		way[i].from = SIZE_MAX;
	}
	for (i = 0; i < rows; i++)
		if (way[i].from == SIZE_MAX)
			s->row[n++] = s->row[i];
	s->rows = n;
	free(way);
}

bool why_story_join(struct why_story *s, const struct why_story *other)
{
	static const enum why_block tables[] = { WHY_DROPS, WHY_JOURNAL,   WHY_GONE_QPS, WHY_KEYS,
						 WHY_PORTS, WHY_PROCESSES, WHY_LINT };
	uint64_t own, dest, other_own, other_dest, ours, theirs;
	size_t i, before;

	if (!why_value_number(s, WHY_LOCAL, "", "qpn", &own) ||
	    !why_value_number(s, WHY_LOCAL, "", "dest_qpn", &dest) ||
	    !why_value_number(other, WHY_LOCAL, "", "qpn", &other_own) ||
	    !why_value_number(other, WHY_LOCAL, "", "dest_qpn", &other_dest) || other_own != dest ||
	    other_dest != own)
		return false;
	/* numbers are small: an end whose peer is on its own host is of another connection */
	if (why_value(s, WHY_FAILURE, "", "peer_dev") || why_value(other, WHY_LOCAL, "peer", "dev"))
		return false;
	before = s->rows;
	s->joined_at = before;
	if (!s->title[WHY_REMOTE])
		why_story_append(s, WHY_REMOTE, other, WHY_LOCAL);
	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		why_story_append(s, tables[i], other, tables[i]);
	/* without clocks, times stay as they are: they are of no use, but harm no cause */
	ours = clock_of(s, &ours) && clock_of(other, &theirs) ? theirs - ours : 0;
	convert(s, before, ours);
	join_refusal(s, other, ours);
	join_packets(s, other);
	return true;
}

bool why_is_far(const struct why_story *s, const struct why_row *row)
{
	return s->joined_at && (size_t)(row - s->row) >= s->joined_at;
}
