// SPDX-License-Identifier: GPL-2.0-only
/* The capture itself: from the sessions of all ports, in the order of time, into the output. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "describe.h"
#include "ibcap.h"
#include "output.h"

/*
 * Of several ports the records are merged: what is younger than this waits for
 * older ones of other ports that may still be under way.
 */
#define REORDER_NS 50000000ULL

struct run {
	const struct ibcap_options *o;
	struct source sources[IBCAP_PORTS];
	struct output_interface interfaces[IBCAP_PORTS];
	size_t num;
	struct output out;
	uint64_t packets;
	bool stopping;
	bool progress; /* shows a counter */
	uint64_t shown_ns;
};

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int sig)
{
	(void)sig;
	asked_to_stop = 1;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static uint64_t lost(const struct run *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->num; i++)
		sum += r->interfaces[i].lost;
	return sum;
}

static void show_progress(struct run *r, bool last)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!r->progress || (!last && now - r->shown_ns < 200000000))
		return;
	r->shown_ns = now;
	fprintf(stderr, "\r%" PRIu64 " packets, %" PRIu64 " lost%s", r->packets, lost(r),
		last ? "\n" : "");
}

static int stop(struct run *r)
{
	char why[IBCAP_WHY];

	r->stopping = true;
	for (size_t i = 0; i < r->num; i++) {
		if (!r->sources[i].ended && source_command(&r->sources[i], "stop", why)) {
			ibcap_error("%s", why);
			return IBCAP_FAILED;
		}
	}
	return IBCAP_OK;
}

/* The source whose oldest record is the oldest of all, if it is not younger than limit. */
static struct source *oldest(struct run *r, uint64_t limit)
{
	struct source *best = NULL;
	uint64_t best_time = limit;

	for (size_t i = 0; i < r->num; i++) {
		const struct glass_cap_record *head = source_head(&r->sources[i]);

		if (head && (head->kind == GLASS_CAP_END || head->time_ns <= best_time)) {
			best = &r->sources[i];
			best_time = head->kind == GLASS_CAP_END ? 0 : head->time_ns;
		}
	}
	return best;
}

static int use(struct run *r, struct source *s)
{
	const struct glass_cap_record *record = source_head(s);
	size_t i = s - r->sources;
	char comment[DESCRIBE_COMMENT];
	struct seen seen;
	int err = 0;

	r->interfaces[i].lost = record->drops;
	if (record->kind == GLASS_CAP_PACKET && (!r->o->count || r->packets < r->o->count)) {
		describe_decode(&seen, s->name, record);
		r->packets++;
		if (r->o->file) {
			describe_comment(&seen, comment);
			err = output_packet(&r->out, i, &seen, comment);
		} else {
			describe_line(stdout, &seen);
		}
	}
	source_next(s);
	return err;
}

static bool all_ended(const struct run *r)
{
	for (size_t i = 0; i < r->num; i++)
		if (!r->sources[i].ended || source_head(&r->sources[i]))
			return false;
	return true;
}

/* Waits until something can be read, a signal comes, or a record that waits has come of age. */
static void wait_for_records(struct run *r, const sigset_t *mask)
{
	const struct timespec soon = { .tv_nsec = REORDER_NS / 2 };
	const struct timespec while_empty = { .tv_sec = 1 };
	struct pollfd fds[IBCAP_PORTS];
	bool pending = false;

	for (size_t i = 0; i < r->num; i++) {
		fds[i].fd = r->sources[i].ended ? -1 : r->sources[i].fd;
		fds[i].events = POLLIN;
		pending |= source_head(&r->sources[i]) != NULL;
	}
	ppoll(fds, r->num, pending ? &soon : &while_empty, mask);
}

static int flush(struct run *r)
{
	if (r->o->file)
		return output_flush(&r->out);
	return fflush(stdout) ? -errno : 0;
}

static int loop(struct run *r, const sigset_t *mask)
{
	while (!all_ended(r)) {
		uint64_t limit = r->num > 1 ? clock_ns(CLOCK_REALTIME) - REORDER_NS : UINT64_MAX;
		struct source *s;
		int err = 0;

		if (!r->stopping && (asked_to_stop || (r->o->count && r->packets >= r->o->count)) &&
		    stop(r))
			return IBCAP_FAILED;
		for (size_t i = 0; !err && i < r->num; i++) {
			err = source_fill(&r->sources[i]);
			if (err)
				ibcap_error("%s: %s", r->sources[i].name, strerror(-err));
			if (source_full(&r->sources[i]))
				limit = UINT64_MAX;
		}
		if (err)
			return IBCAP_FAILED;
		if (r->stopping)
			limit = UINT64_MAX;
		while (!err && (s = oldest(r, limit)))
			err = use(r, s);
		if (!err)
			err = flush(r);
		/* who reads standard output has had enough: no failure */
		if (err == -EPIPE)
			return IBCAP_OK;
		if (err) {
			ibcap_error("%s: %s", r->o->file ? r->o->file : "standard output",
				    strerror(-err));
			return IBCAP_FAILED;
		}
		show_progress(r, false);
		if (!all_ended(r))
			wait_for_records(r, mask);
	}
	return IBCAP_OK;
}

static void summary(const struct run *r)
{
	FILE *to = r->o->file && strcmp(r->o->file, "-") ? stdout : stderr;
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < r->num; i++) {
		const struct output_interface *f = &r->interfaces[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "name", json_object_new_string(f->name));
		json_object_object_add(one, "packets", json_object_new_uint64(f->packets));
		json_object_object_add(one, "bytes", json_object_new_uint64(f->bytes));
		json_object_object_add(one, "lost", json_object_new_uint64(f->lost));
		json_object_array_add(list, one);
	}
	if (r->o->file)
		json_object_object_add(all, "file", json_object_new_string(r->o->file));
	json_object_object_add(all, "packets", json_object_new_uint64(r->packets));
	json_object_object_add(all, "lost", json_object_new_uint64(lost(r)));
	json_object_object_add(all, "files", json_object_new_int(r->out.number));
	json_object_object_add(all, "interfaces", list);
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
}

static int open_all(struct run *r)
{
	const struct source_options so = { .snap = r->o->snap, .ring = r->o->ring };
	char why[IBCAP_WHY];

	for (size_t i = 0; i < r->o->num_ports; i++) {
		struct source *s = &r->sources[i];
		struct output_interface *f = &r->interfaces[i];
		int err = source_open(s, r->o->ports[i].dev, r->o->ports[i].port, &so, why);

		if (err) {
			ibcap_error("%s", why);
			return IBCAP_NO_DEVICE;
		}
		r->num++;
		f->name = s->name;
		snprintf(f->description, sizeof(f->description), "Glass InfiniBand port");
	}
	return IBCAP_OK;
}

static int start_all(struct run *r)
{
	char why[IBCAP_WHY];

	for (size_t i = 0; i < r->num; i++) {
		if (source_command(&r->sources[i], "start", why)) {
			ibcap_error("%s", why);
			return IBCAP_FAILED;
		}
	}
	return IBCAP_OK;
}

/* Signals are taken while waiting only: none is lost between a look and a wait. */
static void catch_signals(sigset_t *mask)
{
	struct sigaction end = { .sa_handler = on_signal };
	sigset_t blocked;

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, mask);
	sigdelset(mask, SIGINT);
	sigdelset(mask, SIGTERM);
}

int ibcap_capture(const struct ibcap_options *o)
{
	struct run *r = calloc(1, sizeof(*r));
	sigset_t mask;
	int status, err;

	if (!r) {
		ibcap_error("no memory");
		return IBCAP_FAILED;
	}
	r->o = o;
	r->progress = !o->quiet && o->file && isatty(STDERR_FILENO);
	catch_signals(&mask);
	status = open_all(r);
	r->out.path = o->file;
	r->out.filter = o->filter;
	r->out.snap = o->snap;
	r->out.max_bytes = o->megabytes * 1000000;
	r->out.max_files = o->files;
	r->out.num_interfaces = r->num;
	r->out.interfaces = r->interfaces;
	if (!status && o->file) {
		err = output_open(&r->out);
		if (!err)
			err = output_flush(&r->out);
		if (err) {
			ibcap_error("%s: %s", o->file, strerror(-err));
			status = IBCAP_FAILED;
		}
	}
	if (!status)
		status = start_all(r);
	if (!status && !o->quiet && o->file)
		fprintf(stderr, "ibcap: capturing on %zu port%s\n", r->num, r->num > 1 ? "s" : "");
	if (!status)
		status = loop(r, &mask);
	show_progress(r, true);
	if (r->out.file) {
		err = output_close(&r->out);
		if (err && err != -EPIPE && !status) {
			ibcap_error("%s: %s", o->file, strerror(-err));
			status = IBCAP_FAILED;
		}
	}
	if (!status && o->json)
		summary(r);
	else if (!status && !o->quiet)
		fprintf(stderr, "ibcap: %" PRIu64 " packets, %" PRIu64 " lost\n", r->packets,
			lost(r));
	for (size_t i = 0; i < r->num; i++)
		source_close(&r->sources[i]);
	free(r);
	return status;
}
