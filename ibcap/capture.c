// SPDX-License-Identifier: GPL-2.0-only
/* Captures: merges the records of all ports by time and writes them to the output. */
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
#include "filter.h"
#include "ibcap.h"
#include "lib/debugfs/node.h"
#include "lib/lockdown.h"
#include "lib/printable.h"
#include "output.h"
#include "pictures.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-version.h"

/*
 * Records of several ports are merged by time. A record younger than this waits, because older ones
 * of other ports may still arrive.
 */
#define REORDER_NS 50000000ULL

struct run {
	struct ibcap_options *o;
	struct source sources[IBCAP_PORTS];
	size_t num;
	/*
	 * The requested ports: one per source, but several of a flight recorder. Behind them, once
	 * a flight recorder has hops, one for all of these.
	 */
	struct output_interface interfaces[IBCAP_PORTS + 1];
	size_t num_interfaces;
	char names[IBCAP_PORTS][IBCAP_NAME_MAX];
	struct glass_cap_state flight;
	struct output out;
	struct glass_filter *filter; /* NULL: all packets */
	uint64_t packets;
	bool bare; /* the captures take no commands: one for each device */
	bool stopping;
	bool progress; /* show a counter of packets */
	bool draws; /* draw pictures */
	bool decodes; /* packets are decoded: a file of all packets needs none of their fields */
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

	for (size_t i = 0; i < r->num_interfaces; i++)
		sum += r->interfaces[i].lost;
	return sum;
}

static void show_progress(struct run *r, bool last)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!r->progress || (!last && now - r->shown_ns < 200000000))
		return;
	r->shown_ns = now;
	/* the line must not be shorter than the one that it replaces */
	fprintf(stderr, "\r%" PRIu64 " packet%s, %" PRIu64 " lost%s%s", r->packets,
		r->packets == 1 ? "" : "s", lost(r), r->packets == 1 ? " " : "", last ? "\n" : "");
}

static int stop(struct run *r)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);
	char why[IBCAP_WHY];

	r->stopping = true;
	for (size_t i = 0; i < r->num; i++) {
		if (r->o->flight)
			r->sources[i].ended = true;
		else if (!r->sources[i].ended && source_stop(&r->sources[i], now, why)) {
			ibcap_error("%s", why);
			return IBCAP_FAILED;
		}
	}
	return IBCAP_OK;
}

/* Is every record in the kernel, so that reading is all that a source with an empty buffer needs? */
static bool all_recorded(const struct run *r)
{
	return r->o->flight || (r->stopping && !r->bare);
}

/* The records around the packets have the time at which they were read, and must not hold the packets back. */
static uint64_t record_time(const struct glass_cap_record *r)
{
	return r->kind == GLASS_CAP_STATE || r->kind == GLASS_CAP_END ? 0 : r->time_ns;
}

/*
 * Returns the source with the oldest record, provided that this record is not younger than limit. NULL: none, or a source
 * must be read first, because its next record may be the oldest.
 */
static struct source *oldest(struct run *r, uint64_t limit)
{
	struct source *best = NULL;
	uint64_t best_time = limit;
	bool all = all_recorded(r);

	for (size_t i = 0; all && i < r->num; i++)
		if (!r->sources[i].ended && !source_head(&r->sources[i]))
			return NULL;
	/* the first of equal times wins: this preserves the order within a source */
	for (size_t i = 0; i < r->num; i++) {
		const struct glass_cap_record *head = source_head(&r->sources[i]);
		uint64_t time = head ? record_time(head) : UINT64_MAX;

		if (head && (time < best_time || (!best && time == best_time))) {
			best = &r->sources[i];
			best_time = time;
		}
	}
	return best;
}

/* Returns the interface for the hops of flight recorders, which is made now if there is none. */
static struct output_interface *hops(struct run *r, int *err)
{
	struct output_interface *f = &r->interfaces[r->o->num_ports];

	*err = 0;
	if (r->num_interfaces == r->o->num_ports) {
		f->name = FABRIC_DIR;
		snprintf(f->description, sizeof(f->description), "Glass switches");
		r->num_interfaces++;
		if (r->o->file)
			*err = output_another(&r->out);
	}
	return f;
}

/* Does the record come from this requested port? */
static bool is_from(const struct ibcap_port *p, const struct source *s,
		    const struct glass_cap_record *record)
{
	if (p->port && p->port != record->port)
		return false;
	if (p->node != s->node)
		return false;
	if (!p->node)
		return !strcmp(p->dev, s->dev);
	return !strcmp(p->dev, FABRIC_DIR) ||
	       !strncmp(p->dev, record_node(record), GLASS_CAP_NODE);
}

/*
 * Returns the interface of a record, or NULL if its port was not requested. Sets *err if a new
 * interface could not be written to the output.
 */
static struct output_interface *interface_of(struct run *r, const struct source *s,
					     const struct glass_cap_record *record, int *err)
{
	*err = 0;
	if (r->o->flight && record->flags & GLASS_CAP_HOP)
		return hops(r, err);
	if (!r->o->flight && !s->bare)
		return &r->interfaces[s - r->sources];
	for (size_t i = 0; i < r->o->num_ports; i++)
		if (is_from(&r->o->ports[i], s, record))
			return &r->interfaces[i];
	return NULL;
}

/* Draws or prints a packet. Returns false if it does not match the filter. */
static bool take_decoded(struct run *r, const struct source *s, const struct output_interface *f,
			 const struct glass_cap_record *record)
{
	struct seen seen;

	describe_decode(&seen, f->name, record);
	if (r->filter && !filter_matches(r->filter, &seen))
		return false;
	if (r->draws)
		pictures_packet(&r->o->pictures, s->dev, &seen);
	else if (!r->o->file)
		describe_line(stdout, &seen);
	return true;
}

static int take_packet(struct run *r, const struct source *s, struct output_interface *f,
		       const struct glass_cap_record *record)
{
	if (r->decodes && !take_decoded(r, s, f, record))
		return 0;
	r->packets++;
	f->packets++;
	f->bytes += record->orig_len;
	return r->o->file ? output_packet(&r->out, f - r->interfaces, record) : 0;
}

/* Every port of a device receives its bookmarks: take only those of the first captured port. */
static int take_mark(struct run *r, const struct source *s, const struct glass_cap_record *record)
{
	char text[1024 + 1];
	size_t len = record->cap_len < sizeof(text) ? record->cap_len : sizeof(text) - 1;

	for (const struct source *other = r->sources; other < s; other++)
		if (!strcmp(other->dev, s->dev))
			return 0;
	memcpy(text, source_bytes(record), len);
	text[len] = 0;
	/* the driver sends none: reject text that would forge lines */
	if (strpbrk(text, "\r\n"))
		return 0;
	printable(text);
	if (r->o->file)
		return output_mark(&r->out, record->time_ns, s->dev, text);
	if (!r->draws)
		describe_mark(stdout, record->time_ns, s->dev, text);
	return 0;
}

/* Returns the first interface of the source's device: a bare capture does not lose by port. */
static struct output_interface *first_interface(struct run *r, const struct source *s)
{
	size_t i = 0;

	while (s->node ? !r->o->ports[i].node : strcmp(r->o->ports[i].dev, s->dev))
		i++;
	return &r->interfaces[i];
}

static int use(struct run *r, struct source *s)
{
	const struct glass_cap_record *record = source_head(s);
	struct output_interface *f = NULL;
	bool hop = record->flags & GLASS_CAP_HOP;
	int err = 0;

	/* the hops of a recorder follow the record of their sender, whose port may not be asked for */
	if (record->kind == GLASS_CAP_PACKET && hop && s->skip_hops) {
		source_next(s);
		return 0;
	}
	if (record->kind == GLASS_CAP_PACKET || (!r->o->flight && !s->bare))
		f = interface_of(r, s, record, &err);
	if (err)
		return err;
	if (r->o->flight && record->kind == GLASS_CAP_PACKET && !hop)
		s->skip_hops = !f;
	if (!r->o->flight && !s->bare)
		f->lost = record->drops;
	else if (s->bare)
		first_interface(r, s)->lost = record->drops;
	if (record->kind == GLASS_CAP_STATE && record->cap_len >= sizeof(r->flight))
		memcpy(&r->flight, source_bytes(record), sizeof(r->flight));
	if (record->kind == GLASS_CAP_MARK)
		err = take_mark(r, s, record);
	if (record->kind == GLASS_CAP_PACKET && f && (!r->o->count || r->packets < r->o->count))
		err = take_packet(r, s, f, record);
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

/* Waits until input is readable, a signal arrives, or a pending record may be old enough. */
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
	if (fflush(stdout))
		return -errno;
	return ferror(stdout) ? -EIO : 0;
}

/*
 * Writes pending records to the output. A blocked write must not make ibcap unkillable: signals are
 * unblocked here. The first signal is handled later, the second one kills ibcap.
 */
static int work(struct run *r, uint64_t limit, const sigset_t *mask)
{
	struct source *s;
	sigset_t blocked;
	int err = 0;

	sigprocmask(SIG_SETMASK, mask, &blocked);
	while (!err && (s = oldest(r, limit)))
		err = use(r, s);
	if (!err)
		err = flush(r);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return err;
}

static int loop(struct run *r, const sigset_t *mask)
{
	while (!all_ended(r)) {
		uint64_t limit = UINT64_MAX;
		int err = 0;

		if (!r->stopping && (asked_to_stop || (r->o->count && r->packets >= r->o->count)) &&
		    stop(r))
			return IBCAP_FAILED;
		/*
		 * younger records may still be overtaken; after the captures stop, no record is
		 * missing
		 */
		if (r->num > 1 && !r->o->flight && !r->stopping)
			limit = clock_ns(CLOCK_REALTIME) - REORDER_NS;
		for (size_t i = 0; !err && i < r->num; i++) {
			err = source_fill(&r->sources[i]);
			if (err)
				ibcap_error("%s: %s", r->sources[i].name, strerror(-err));
			if (source_full(&r->sources[i]))
				limit = UINT64_MAX;
		}
		if (err)
			return IBCAP_FAILED;
		err = work(r, limit, mask);
		/* the reader of standard output closed it: no failure */
		if (err == -EPIPE)
			return IBCAP_OK;
		if (err) {
			ibcap_error("%s: %s", r->o->file ? r->o->file : "standard output",
				    strerror(-err));
			return IBCAP_FAILED;
		}
		show_progress(r, false);
		if (!all_ended(r) && (r->stopping || !asked_to_stop))
			wait_for_records(r, mask);
	}
	return IBCAP_OK;
}

static const char *state_word(uint32_t state)
{
	static const char *const words[] = { [GLASS_FLIGHT_OFF] = "off",
					     [GLASS_FLIGHT_ARMED] = "armed",
					     [GLASS_FLIGHT_FROZEN] = "frozen",
					     [GLASS_FLIGHT_RUNNING] = "running" };

	return state < sizeof(words) / sizeof(words[0]) ? words[state] : "?";
}

static const char *const statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const events[] = GLASS_WORDS(GLASS_EVENTS);

/* Returns the word for the event that froze the recorder. */
static const char *cause_word(const struct glass_cap_state *f)
{
	if (f->by_hand)
		return "by_hand";
	if (f->status)
		return f->status < GLASS_WC_COUNT ? statuses[f->status] : "?";
	return f->event < GLASS_EV_COUNT ? events[f->event] : "?";
}

static struct json_object *flight_json(const struct glass_cap_state *f)
{
	struct json_object *o = json_object_new_object();
	char dev[sizeof(f->dev) + 1];

	json_object_object_add(o, "state", json_object_new_string(state_word(f->state)));
	if (f->state != GLASS_FLIGHT_FROZEN)
		return o;
	snprintf(dev, sizeof(dev), "%.*s", (int)sizeof(f->dev), f->dev);
	json_object_object_add(o, "cause", json_object_new_string(cause_word(f)));
	json_object_object_add(o, "dev", json_object_new_string(dev));
	json_object_object_add(o, "qpn", json_object_new_int64(f->qpn));
	json_object_object_add(o, "wr_id", json_object_new_uint64(f->wr_id));
	json_object_object_add(o, "time_ns", json_object_new_uint64(f->frozen_ns));
	return o;
}

static void tell_flight(const struct glass_cap_state *f)
{
	time_t seconds = f->frozen_ns / 1000000000;
	char clock[16] = "";
	struct tm tm;

	if (f->state != GLASS_FLIGHT_FROZEN) {
		fprintf(stderr, "ibcap: the flight recorder is %s\n", state_word(f->state));
		return;
	}
	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	fprintf(stderr, "ibcap: the flight recorder is frozen since %s.%06u: %s", clock,
		(unsigned int)(f->frozen_ns % 1000000000 / 1000), cause_word(f));
	if (f->by_hand)
		fputs("\n", stderr);
	else
		fprintf(stderr, " of %.*s qpn=0x%x%s\n", (int)sizeof(f->dev), f->dev, f->qpn,
			f->status ? "" : " (event)");
}

/* Standard output has packets, or lines of them, unless they go to a file. */
static bool is_stdout_free(const struct ibcap_options *o)
{
	return o->file && strcmp(o->file, "-");
}

/* Notes would stand between the lines of JSON on standard error. */
static bool may_note(const struct ibcap_options *o)
{
	return !o->quiet && (!o->json || is_stdout_free(o));
}

static void summary(const struct run *r)
{
	FILE *to = is_stdout_free(r->o) ? stdout : stderr;
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < r->num_interfaces; i++) {
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
	if (r->o->flight)
		json_object_object_add(all, "flight", flight_json(&r->flight));
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
}

/* Opens a capture for each port. Sets r->bare, without any open, if the kernel is locked down. */
static int open_captures(struct run *r)
{
	struct source_options so = { .ring = r->o->ring };
	char *lines = r->filter ? filter_lines(r->filter) : NULL;
	char why[IBCAP_WHY];
	int err = 0;

	/* a filter that ibcap evaluates itself needs complete headers */
	so.snap = !r->filter || lines ? r->o->snap : 0;
	so.matches = lines;
	for (size_t i = 0; i < r->o->num_ports && !err; i++) {
		const struct ibcap_port *p = &r->o->ports[i];

		err = p->node ? source_open_node(&r->sources[i], p->dev, p->port, &so, why)
			      : source_open(&r->sources[i], p->dev, p->port, &so, why);
		r->num += !err;
	}
	free(lines);
	r->bare = err == -EPERM && lockdown_level() != LOCKDOWN_NONE;
	if (r->bare) {
		while (r->num)
			source_close(&r->sources[--r->num]);
		return IBCAP_OK;
	}
	if (err)
		ibcap_error("%s", why);
	return err ? IBCAP_NO_DEVICE : IBCAP_OK;
}

/* Opens a source for all ports of each device: a flight recorder, or a bare capture. */
static int open_devices(struct run *r)
{
	char why[IBCAP_WHY];
	int err;

	for (size_t i = 0; i < r->o->num_ports; i++) {
		const char *dev = r->o->ports[i].node ? FABRIC_DIR : r->o->ports[i].dev;
		size_t k = 0;

		if (r->o->flight && r->o->ports[i].node) {
			ibcap_error("%s: a flight recorder has the packets of devices; "
				    "give a device such as glass0", r->o->ports[i].dev);
			return IBCAP_USAGE;
		}

		while (k < r->num && strcmp(r->sources[k].dev, dev))
			k++;
		if (k < r->num)
			continue;
		err = r->bare ? source_open_bare(&r->sources[r->num], dev, why)
			      : source_open_flight(&r->sources[r->num], dev, why);
		if (err) {
			ibcap_error("%s", why);
			return IBCAP_NO_DEVICE;
		}
		r->num++;
	}
	return IBCAP_OK;
}

static int open_all(struct run *r)
{
	int status;

	for (size_t i = 0; i < r->o->num_ports; i++) {
		struct output_interface *f = &r->interfaces[i];

		snprintf(r->names[i], sizeof(r->names[i]), r->o->ports[i].port ? "%s:%u" : "%s",
			 r->o->ports[i].dev, r->o->ports[i].port);
		f->name = r->names[i];
		f->ethernet = !r->o->ports[i].node && ibcap_is_ethernet(r->o->ports[i].dev);
		snprintf(f->description, sizeof(f->description), "Glass %s port",
			 r->o->ports[i].node ? "switch" : f->ethernet ? "Ethernet" : "InfiniBand");
	}
	r->num_interfaces = r->o->num_ports;
	if (r->o->flight)
		return open_devices(r);
	status = open_captures(r);
	if (!r->bare)
		return status;
	if (may_note(r->o))
		ibcap_error("note: the kernel is locked down (%s: %s): all packets of the adapter come here, and are chosen here%s",
			    lockdown_path, lockdown_word(lockdown_level()),
			    r->o->ring ? "; --ring has no effect" : "");
	return open_devices(r);
}

static int start_all(struct run *r)
{
	char why[IBCAP_WHY];

	for (size_t i = 0; i < r->num && !r->o->flight && !r->bare; i++) {
		if (source_command(&r->sources[i], "start", why)) {
			ibcap_error("%s", why);
			return IBCAP_FAILED;
		}
	}
	return IBCAP_OK;
}

/* Signals are unblocked only in ppoll(): none can arrive unnoticed between a check and the wait. */
static void catch_signals(sigset_t *mask)
{
	struct sigaction end = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART };
	sigset_t blocked;

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, mask);
	sigdelset(mask, SIGINT);
	sigdelset(mask, SIGTERM);
}

int ibcap_capture(struct ibcap_options *o)
{
	struct run *r = calloc(1, sizeof(*r));
	sigset_t mask;
	int status, err;

	if (!r) {
		ibcap_error("no memory");
		return IBCAP_FAILED;
	}
	r->o = o;
	if (o->filter) {
		r->filter = filter_parse(o->filter, stderr);
		if (!r->filter) {
			free(r);
			return IBCAP_USAGE;
		}
	}
	r->progress = may_note(o) && o->file && isatty(STDERR_FILENO);
	r->draws = picture_outputs_any(&o->pictures);
	r->decodes = r->filter || r->draws || !o->file;
	signal(SIGPIPE, SIG_IGN);
	status = open_all(r);
	r->out.path = o->file;
	r->out.filter = o->filter;
	r->out.snap = o->snap;
	r->out.max_bytes = o->megabytes * 1000000;
	r->out.max_files = o->files;
	r->out.num_interfaces = o->num_ports;
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
	if (!status && picture_outputs_any(&o->pictures))
		status = picture_outputs_open(&o->pictures, "ibcap (Glass) " GLASS_VERSION, false)
				 ? IBCAP_FAILED : IBCAP_OK;
	/*
	 * until here a signal kills ibcap at once: opening a FIFO may block forever without a
	 * reader
	 */
	catch_signals(&mask);
	if (!status)
		status = start_all(r);
	if (!status && may_note(o) && !o->flight)
		fprintf(stderr, "ibcap: capturing on %zu port%s\n", o->num_ports,
			o->num_ports > 1 ? "s" : "");
	if (!status)
		status = loop(r, &mask);
	show_progress(r, true);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (r->out.file) {
		err = output_close(&r->out);
		if (err && err != -EPIPE && !status) {
			ibcap_error("%s: %s", o->file, strerror(-err));
			status = IBCAP_FAILED;
		}
	}
	if (!status && o->flight && may_note(o))
		tell_flight(&r->flight);
	if (!status && o->flight)
		pictures_flight(&o->pictures, &r->flight, cause_word(&r->flight));
	if (picture_outputs_any(&o->pictures) && o->pictures.tool &&
	    picture_outputs_close(&o->pictures, lost(r)) && !status)
		status = IBCAP_FAILED;
	if (!status && o->json)
		summary(r);
	else if (!status && !o->quiet)
		fprintf(stderr, "ibcap: %" PRIu64 " packet%s, %" PRIu64 " lost\n", r->packets,
			r->packets == 1 ? "" : "s", lost(r));
	for (size_t i = 0; i < r->num; i++)
		source_close(&r->sources[i]);
	glass_filter_free(r->filter);
	free(r);
	return status;
}
