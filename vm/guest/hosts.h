/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several hosts (vm/vm run --hosts): how a command of host 1 reaches another host.
 *
 *   on K COMMAND --- unix socket --- hub --- virtio-serial port --- server --- pipes --- COMMAND
 *   (host 1)                      (host 1)                        (host K)
 *
 * The port of host 1 and that of host K are the two ends of one unix socket of QEMU's, so no network and no NIC of a guest is in the
 * way: tests may cut, rename and load those. When a guest ends, its QEMU closes the socket, and the other end knows at once.
 *
 * All three speak in frames. The sender of a command's input or output may have WINDOW bytes on the way that the receiver has not
 * confirmed by TAKEN; so a command whose output nobody reads keeps no other one waiting.
 */
#ifndef GLASS_HOSTS_H
#define GLASS_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUB_SOCKET "/run/glass/hosts.sock"
#define PORT_OF "/run/glass/port-"
#define MAX_HOSTS 4
#define WINDOW (256 << 10)
#define CHUNK (32 << 10)		/* bytes of a command's stream in a frame, at most */
#define MAX_PAYLOAD (4 << 20)		/* more than the kernel takes as arguments */
#define STATUS_LOST 125			/* of `on`, when the host or the way to it fails */

enum frame_type {
	/* from `on`; the hub hands those before KILL on to the server */
	RUN = 1,	/* number: host; payload: arguments, each ended by a NUL byte; input is /dev/null */
	RUN_INPUT,	/* the same; input comes in INPUT */
	RUN_BACKGROUND,	/* the same; the command outlives its `on`; OUTPUT has its process id */
	INPUT,		/* payload: bytes */
	INPUT_END,
	SIGNAL,		/* number: signal for the command and its process group */
	TAKEN,		/* number: bytes that were written to where they go; also from the server */
	KILL,		/* number: host */
	BOOT,		/* number: host */
	WAIT,		/* until each host is up */
	/* from the server; the hub hands those after HELLO on to `on` */
	HELLO,		/* the server is ready */
	OUTPUT,		/* payload: bytes */
	ERRORS,		/* payload: bytes */
	EXIT,		/* number: exit status; also from the hub */
	/* from the hub */
	REFUSED,	/* to `on`; number: exit status; payload: why, a text */
	GONE,		/* to the server: `on` has gone, kill its command */
};

struct frame {
	uint32_t type;		/* enum frame_type */
	uint32_t length;	/* bytes of payload behind this */
	uint32_t session;	/* of the command; the hub numbers them */
	uint32_t number;
};

struct buffer {
	char *data;
	size_t from, to, room;	/* what is in it: data[from] to data[to - 1] */
};

struct stream {
	int fd;			/* non-blocking */
	struct buffer in, out;
};

static inline size_t buffer_used(const struct buffer *b)
{
	return b->to - b->from;
}

/* Room for so many bytes behind the last one. Never fails: without memory the program ends. */
char *buffer_room(struct buffer *b, size_t bytes);
void buffer_put(struct buffer *b, const void *data, size_t bytes);
void buffer_take(struct buffer *b, size_t bytes);
void buffer_free(struct buffer *b);

/* Read what is there. False: the other end has gone. */
bool stream_read(struct stream *s);
/* Write as much as can be written. False: the other end has gone. */
bool stream_write(struct stream *s);
/* Queue a frame. */
void stream_send(struct stream *s, struct frame frame, const void *payload);
/* The next whole frame that was read; *payload is valid until the stream is read again. */
bool stream_next(struct stream *s, struct frame *frame, const char **payload);
/* Forget what was read and what was to be written. */
void stream_reset(struct stream *s);

/* The port NAME of this guest, opened. Ends the program with a message if there is none. */
int open_port(const char *name);
/* Does QEMU at the other end of this port have somebody to talk to? */
bool port_connected(int fd);
/* The kernel kills others first when memory is short. */
void oom_protect(bool protect);
uint64_t now_ms(void);

int on_main(int argc, char **argv);
int wait_main(void);
int hub_main(int hosts);
int serve_main(void);

#endif
