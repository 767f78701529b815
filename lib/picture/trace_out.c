// SPDX-License-Identifier: GPL-2.0-only
/* Tracks, lanes and events of a Chrome trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/picture/trace_out.h"
#include "lib/picture/write.h"

#define PROCESSES 4096
/* Events may come a little late: the trace's time begins that long before the first one. */
#define LEAD_NS 100000000ULL

bool trace_out_init(struct trace_out *o, FILE *to)
{
	*o = (struct trace_out){ .to = to };
	o->tracks = calloc(TRACE_TRACKS, sizeof(*o->tracks));
	o->hash = calloc(TRACE_HASH, sizeof(*o->hash));
	o->processes = calloc(PROCESSES, sizeof(*o->processes));
	if (o->tracks && o->hash && o->processes)
		return true;
	trace_out_free(o);
	return false;
}

void trace_out_free(struct trace_out *o)
{
	for (uint32_t i = 0; o->tracks && i < o->num_tracks; i++)
		free(o->tracks[i].lanes);
	free(o->tracks);
	free(o->hash);
	free(o->processes);
}

void trace_out_begin(struct trace_out *o, uint64_t first_ns)
{
	if (!o->base_ns)
		o->base_ns = first_ns > LEAD_NS ? first_ns - LEAD_NS : 1;
}

/* Begins an event: what they all have. */
static void event(struct trace_out *o, const char *phase, uint32_t pid, uint32_t tid)
{
	fprintf(o->to, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", o->any ? ",\n" : "", phase, pid, tid);
	o->any = true;
}

static void text(struct trace_out *o, const char *key, const char *value)
{
	fprintf(o->to, ",\"%s\":\"", key);
	picture_put_json(o->to, value);
	fputc('"', o->to);
}

/* Times are microseconds, with three digits of nanoseconds. */
static void time_of(struct trace_out *o, const char *key, uint64_t ns)
{
	fprintf(o->to, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned int)(ns % 1000));
}

static void at(struct trace_out *o, uint64_t ns)
{
	time_of(o, "ts", ns > o->base_ns ? ns - o->base_ns : 0);
}

static void metadata(struct trace_out *o, const char *what, uint32_t pid, uint32_t tid,
		     const char *name)
{
	event(o, "M", pid, tid);
	text(o, "name", what);
	fputs(",\"args\":{\"name\":\"", o->to);
	picture_put_json(o->to, name);
	fputs("\"}}", o->to);
}

static uint32_t hash_of(const char *dev, uint32_t qpn)
{
	uint64_t h = qpn + 1;

	while (*dev)
		h = (h ^ (unsigned char)*dev++) * 0x9e3779b97f4a7c15ULL;
	return (h * 0x9e3779b97f4a7c15ULL >> 40) % TRACE_HASH;
}

struct trace_track *trace_track(struct trace_out *o, const char *dev, uint32_t qpn)
{
	uint32_t slot = hash_of(dev, qpn);
	struct trace_track *k;

	for (; o->hash[slot]; slot = (slot + 1) % TRACE_HASH) {
		k = &o->tracks[o->hash[slot] - 1];
		if (k->qpn == qpn && !strcmp(k->dev, dev))
			return k;
	}
	if (o->num_tracks == TRACE_TRACKS)
		return NULL;
	k = &o->tracks[o->num_tracks++];
	o->hash[slot] = o->num_tracks;
	k->qpn = qpn;
	snprintf(k->dev, sizeof(k->dev), "%s", dev);
	return k;
}

void trace_track_owner(struct trace_track *k, const char *comm, uint32_t pid)
{
	if (!comm || !*comm || *k->comm)
		return;
	snprintf(k->comm, sizeof(k->comm), "%.*s", PICTURE_COMM - 1, comm);
	k->pid = pid;
}

/* Returns the number of the track's process, from 1 on, which is written when it is new. */
static uint32_t process_of(struct trace_out *o, struct trace_track *k)
{
	char name[PICTURE_LABEL];
	struct trace_process *p;
	uint32_t i;

	if (k->process)
		return k->process;
	for (i = 0; i < o->num_processes; i++) {
		p = &o->processes[i];
		if (p->pid == k->pid && !strcmp(p->dev, k->dev) && !strcmp(p->comm, k->comm))
			break;
	}
	/* too many: the last one has all others, too */
	if (i == PROCESSES)
		i = PROCESSES - 1;
	k->process = i + 1;
	if (i < o->num_processes)
		return k->process;
	p = &o->processes[o->num_processes++];
	memcpy(p->dev, k->dev, sizeof(p->dev));
	memcpy(p->comm, k->comm, sizeof(p->comm));
	p->pid = k->pid;
	if (*k->comm)
		snprintf(name, sizeof(name), "%s [%u] on %s", k->comm, k->pid, k->dev);
	else
		snprintf(name, sizeof(name), "%s", *k->dev ? k->dev : "device unknown");
	metadata(o, "process_name", k->process, 0, name);
	return k->process;
}

static struct trace_lane *new_lane(struct trace_out *o, struct trace_track *k)
{
	struct trace_lane *lanes;
	char name[48];
	uint32_t room;

	if (k->num_lanes == TRACE_LANES)
		return NULL;
	if (k->num_lanes == k->room) {
		room = k->room ? 2 * k->room : 4;
		lanes = realloc(k->lanes, room * sizeof(*lanes));
		if (!lanes)
			return NULL;
		k->lanes = lanes;
		k->room = room;
	}
	k->lanes[k->num_lanes] = (struct trace_lane){ .tid = ++o->tids };
	snprintf(name, sizeof(name), k->num_lanes ? "QP 0x%x (%u)" : "QP 0x%x", k->qpn,
		 k->num_lanes + 1);
	metadata(o, "thread_name", process_of(o, k), o->tids, name);
	event(o, "M", k->process, o->tids);
	fprintf(o->to, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", o->tids);
	return &k->lanes[k->num_lanes++];
}

struct trace_lane *trace_lane(struct trace_out *o, struct trace_track *k, uint64_t from_ns,
			      uint64_t to_ns)
{
	struct trace_lane *lane = NULL;

	for (uint32_t i = 0; !lane && i < k->num_lanes; i++)
		if (k->lanes[i].end_ns <= from_ns)
			lane = &k->lanes[i];
	if (!lane)
		lane = new_lane(o, k);
	if (!lane) {
		o->undrawn++;
		return NULL;
	}
	/* a viewer draws a slice of no length inside a longer one that begins at the same time */
	lane->end_ns = to_ns > from_ns ? to_ns : from_ns + 1;
	return lane;
}

void trace_slice(struct trace_out *o, const struct trace_track *k, const struct trace_lane *lane,
		 const char *category, const char *name, uint64_t from_ns, uint64_t to_ns)
{
	event(o, "X", k->process, lane->tid);
	text(o, "cat", category);
	text(o, "name", name);
	at(o, from_ns);
	time_of(o, "dur", to_ns - from_ns);
	/* the first member, so that each argument begins with a comma */
	fprintf(o->to, ",\"args\":{\"qpn\":\"0x%x\"", k->qpn);
}

void trace_arg_number(struct trace_out *o, const char *key, uint64_t n)
{
	fprintf(o->to, ",\"%s\":%" PRIu64, key, n);
}

void trace_arg_hex(struct trace_out *o, const char *key, uint64_t n)
{
	fprintf(o->to, ",\"%s\":\"0x%" PRIx64 "\"", key, n);
}

void trace_arg_text(struct trace_out *o, const char *key, const char *value)
{
	text(o, key, value);
}

void trace_slice_end(struct trace_out *o)
{
	fputs("}}", o->to);
}

static void arrow_end(struct trace_out *o, const char *phase, const char *name,
		      const struct trace_track *k, const struct trace_lane *lane, uint64_t ns)
{
	event(o, phase, k->process, lane->tid);
	text(o, "cat", "packet");
	text(o, "name", name);
	fprintf(o->to, ",\"id\":%" PRIu64, o->arrows);
	at(o, ns);
	fputs(*phase == 'f' ? ",\"bp\":\"e\"}" : "}", o->to);
}

void trace_arrow(struct trace_out *o, const char *name, const struct trace_track *from,
		 const struct trace_lane *from_lane, uint64_t from_ns, const struct trace_track *to,
		 const struct trace_lane *to_lane, uint64_t to_ns)
{
	o->arrows++;
	arrow_end(o, "s", name, from, from_lane, from_ns);
	arrow_end(o, "f", name, to, to_lane, to_ns);
}

void trace_instant(struct trace_out *o, struct trace_track *k, const char *name, uint64_t ns)
{
	struct trace_lane *lane = k->num_lanes ? k->lanes : new_lane(o, k);

	event(o, "i", process_of(o, k), lane ? lane->tid : 0);
	text(o, "cat", "trouble");
	text(o, "name", name);
	at(o, ns);
	fprintf(o->to, ",\"s\":\"t\",\"args\":{\"qpn\":\"0x%x\"", k->qpn);
}

void trace_outstanding(struct trace_out *o, struct trace_track *k, int more, uint64_t ns)
{
	k->outstanding += more;
	event(o, "C", process_of(o, k), 0);
	fprintf(o->to, ",\"name\":\"outstanding messages of QP 0x%x\"", k->qpn);
	at(o, ns);
	fprintf(o->to, ",\"args\":{\"messages\":%u}}", k->outstanding);
}

/* Writes the rate of a piece of time. */
static void rate(struct trace_out *o, uint32_t process, uint64_t bucket, uint64_t bytes)
{
	event(o, "C", process, 0);
	text(o, "name", "payload sent, MB/s");
	at(o, bucket * TRACE_BUCKET_NS);
	fprintf(o->to, ",\"args\":{\"MB/s\":%.3f}}", (double)bytes * 1000 / TRACE_BUCKET_NS);
}

static void rate_end(struct trace_out *o, uint32_t i, uint64_t now_bucket)
{
	struct trace_process *p = &o->processes[i];

	if (p->bucket)
		rate(o, i + 1, p->bucket, p->bytes);
	if (p->bucket && now_bucket > p->bucket + 1)
		rate(o, i + 1, p->bucket + 1, 0);
	p->bucket = now_bucket;
	p->bytes = 0;
}

void trace_sent_bytes(struct trace_out *o, struct trace_track *k, uint64_t bytes, uint64_t ns)
{
	uint32_t i = process_of(o, k) - 1;

	if (ns / TRACE_BUCKET_NS > o->processes[i].bucket)
		rate_end(o, i, ns / TRACE_BUCKET_NS);
	o->processes[i].bytes += bytes;
}

void trace_rates_end(struct trace_out *o)
{
	for (uint32_t i = 0; i < o->num_processes; i++)
		rate_end(o, i, UINT64_MAX);
}
