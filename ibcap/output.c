// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-version.h"

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int took(struct output *o, long bytes)
{
	if (bytes < 0)
		return errno ? -errno : -EIO;
	o->written += bytes;
	return 0;
}

static int write_pending(struct output *o)
{
	size_t n = o->num_pending;

	o->num_pending = 0;
	if (n && fwrite(o->pending, 1, n, o->file) != n)
		return errno ? -errno : -EIO;
	return 0;
}

#define OUTPUT_PATH 4200

/* Inserts the number before the last suffix: capture.pcapng becomes capture-00001.pcapng. */
static void output_path(const struct output *o, unsigned int number, char path[OUTPUT_PATH])
{
	const char *base = strrchr(o->path, '/');
	const char *dot = strrchr(base ? base : o->path, '.');
	int stem = dot ? (int)(dot - o->path) : (int)strlen(o->path);

	if (!o->max_bytes)
		snprintf(path, OUTPUT_PATH, "%s", o->path);
	else
		snprintf(path, OUTPUT_PATH, "%.*s-%05u%s", stem, o->path, number, dot ? dot : "");
}

/*
 * Creates a file for its owner alone, because a capture has the data of other users' programs. The
 * user did not name numbered files, so another user may have planted something there: remove it and
 * create a new file.
 */
static FILE *create(const char *path, bool numbered)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (numbered ? O_EXCL : O_TRUNC), fd;
	FILE *file;

	if (numbered && unlink(path) && errno != ENOENT)
		return NULL;
	fd = open(path, flags, 0600);
	file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static int write_interface(struct output *o, struct output_interface *f)
{
	struct pcapng_interface block = {
		.name = f->name,
		.description = f->description,
		.filter = o->filter,
		.snap = o->snap,
		.ethernet = f->ethernet,
	};

	f->in_file = 0;
	return took(o, pcapng_interface(o->file, &block));
}

int output_another(struct output *o)
{
	int err = write_pending(o);

	return err ? err : write_interface(o, &o->interfaces[o->num_interfaces++]);
}

int output_open(struct output *o)
{
	char path[OUTPUT_PATH];
	size_t i;
	int err;

	o->number++;
	o->written = 0;
	o->start_ns = now();
	o->num_pending = 0;
	if (!strcmp(o->path, "-")) {
		o->file = stdout;
	} else {
		output_path(o, o->number, path);
		o->file = create(path, o->max_bytes);
	}
	if (!o->file)
		return -errno;
	if (o->max_files && o->number > o->max_files) {
		output_path(o, o->number - o->max_files, path);
		unlink(path);
	}
	err = took(o, pcapng_section(o->file, "ibcap (Glass) " GLASS_VERSION));
	for (i = 0; !err && i < o->num_interfaces; i++)
		err = write_interface(o, &o->interfaces[i]);
	return err;
}

static int next_file(struct output *o)
{
	int err = output_close(o);

	return err ? err : output_open(o);
}

int output_packet(struct output *o, size_t interface, const struct glass_cap_record *r)
{
	struct output_interface *f = &o->interfaces[interface];
	struct pcapng_packet p = {
		.interface = interface,
		.time_ns = r->time_ns,
		.orig_len = r->orig_len,
		.cap_len = o->snap && o->snap < r->cap_len ? o->snap : r->cap_len,
		.data = (const uint8_t *)r + r->header,
		.ethernet = r->flags & GLASS_CAP_ETHERNET,
		.outbound = r->dir == GLASS_DIR_TX,
		.lost = f->lost - f->lost_told,
	};
	uint8_t *block;
	char *comment;
	size_t len;
	int err;

	/* a frame that a program wrote to an Ethernet port has no place in a file of its datagrams */
	if (f->ethernet != !!p.ethernet)
		return 0;
	f->lost_told = f->lost;
	f->in_file++;
	if (sizeof(o->pending) - o->num_pending < PCAPNG_PACKET_MAX) {
		err = write_pending(o);
		if (err)
			return err;
	}
	block = o->pending + o->num_pending;
	comment = pcapng_packet_begin(block, &p);
	if (!comment)
		return -errno;
	len = pcapng_packet_end(block, &p, comment, describe_comment(o->memos, r, comment));
	o->num_pending += len;
	o->written += len;
	return o->max_bytes && o->written >= o->max_bytes ? next_file(o) : 0;
}

int output_mark(struct output *o, uint64_t time_ns, const char *dev, const char *text)
{
	int err = write_pending(o);

	return err ? err : took(o, pcapng_note(o->file, time_ns, dev, text));
}

int output_flush(struct output *o)
{
	int err = write_pending(o);

	if (fflush(o->file))
		err = err ? err : -errno;
	return err;
}

int output_close(struct output *o)
{
	uint64_t end = now();
	int err = write_pending(o);
	size_t i;

	for (i = 0; !err && i < o->num_interfaces; i++) {
		struct output_interface *f = &o->interfaces[i];
		struct pcapng_statistics s = {
			.interface = i,
			.start_ns = o->start_ns,
			.end_ns = end,
			.received = f->in_file + f->lost,
			.lost = f->lost,
			.delivered = f->in_file,
		};

		err = took(o, pcapng_statistics(o->file, &s));
	}
	if (o->file == stdout ? fflush(stdout) : fclose(o->file))
		err = err ? err : -errno;
	o->file = NULL;
	return err;
}
