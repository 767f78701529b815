// SPDX-License-Identifier: GPL-2.0-only
/* Glass' files in debugfs: tables read in odd pieces, rules, scopes, behaviours, captures. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "door.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-inject.h"
#include "uapi/glass-lint.h"

#define CTX                                     \
	{                                       \
		"ctx", K_CONTEXT, 0, 0, 0, 0, 0 \
	}
#define V(n, d)                         \
	{                               \
		n, K_NUM, 0, 0, d, 0, 0 \
	}
#define EN(n, l, d)                      \
	{                                \
		n, K_ENUM, 0, l, d, 0, 0 \
	}
#define ROOT "/sys/kernel/debug/glass/glass"

#define BEHAVIOR_WORD(n, w, kind, clause, meaning) "behavior/" #w,
static const char *const files[] = { "ucontext",
				     "pd",
				     "mr",
				     "mw",
				     "cq",
				     "srq",
				     "qp",
				     "ah",
				     "dm",
				     "xrcd",
				     "mcast",
				     "port",
				     "switch",
				     "swport",
				     "lft",
				     "mft",
				     "drops",
				     "droplog",
				     "inspect",
				     "capture",
				     "flight",
				     "raw",
				     "bookmark",
				     "inject/rules",
				     "inject/journal",
				     "inject/held",
				     "inject/stats",
				     "inject/last_error",
				     "lint/scope",
				     "lint/findings",
				     "lint/codes",
				     "lint/mute",
				     "lint/stats",
				     "lint/clear",
				     "behavior/seed",
				     GLASS_BEHAVIORS(BEHAVIOR_WORD) };

static int file_open(unsigned int ctx, const char *name, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "%u/%s", ctx, name);
	return open(path, flags | O_NONBLOCK | O_CLOEXEC);
}

/* Write a line to a file that is opened for it. */
static long put(unsigned int ctx, const char *name, const char *text, size_t len)
{
	int fd = file_open(ctx, name, O_WRONLY);
	long err;

	if (fd < 0)
		return -errno;
	err = write(fd, text, len) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static const struct arg a_read[] = { CTX, EN("file", ARRAY_LEN(files), 6), V("bytes", 4096),
				     V("from", 0), V("times", 4) };

static long fs_read(const struct row *row, const uint64_t *v)
{
	int fd = file_open(v[0] % CONTEXTS, files[v[1] % ARRAY_LEN(files)], O_RDONLY);
	uint64_t i;
	long n = 0;

	if (fd < 0)
		return -errno;
	if (v[3])
		lseek(fd, v[3], SEEK_SET);
	for (i = 0; i <= v[4] % 16; i++) {
		n = read(fd, answer, v[2] % sizeof(answer));
		if (n <= 0)
			break;
	}
	n = n < 0 ? -errno : n;
	close(fd);
	return n;
}

static const char *const texts[] = {
	"qp 2",
	"qp 0x11",
	"qp 1 port=2",
	"cq 1",
	"srq 1",
	"mr 1",
	"mw 1",
	"dm 1",
	"xrcd 1",
	"pd 1",
	"ah 1",
	"ucontext 1",
	"port 1",
	"port 3",
	"switch",
	"mcast ff12:a01b:0:0:0:0:0:9",
	"qp",
	"qp 0xffffffffffffffff",
	"clear",
	"del name=r1",
	"step",
	"step n=3",
	"release",
	"release name=r1",
	"step name=nobody n=18446744073709551615",
	"add all",
	"add all log",
	"add all codes=all",
	"add all codes=GL001 error=GL036 owner",
	"add comm=* log",
	"add pid=1",
	"del 1",
	"add code=GL021 kind=qp num=0x11",
	"port 1\nsnap 64\nstart",
	"ring 65536\nmatch op=send qpn=2..99\nstart\nstop",
	"start",
	"stop",
	"match comm=%41* psn=1 len=0..64 reason=none",
	"rearm",
	"freeze",
	"off",
	"on",
	"0",
	"1",
	"2",
	"18446744073709551616",
	"-1",
	"",
	"\n",
	"%",
	"add",
	"add act=",
	"add act=drop act=drop",
	"add name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa act=drop",
};

/* `spoil`: a byte of the text, from 1, that becomes `with`; `text` beyond the list: as many bytes
 * of rubbish */
static const struct arg a_write[] = { CTX,
				      EN("file", ARRAY_LEN(files), 18),
				      EN("text", ARRAY_LEN(texts), 0),
				      V("spoil", 0),
				      V("with", 0),
				      V("read", 1) };

static long fs_write(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS;
	int fd = file_open(ctx, files[v[1] % ARRAY_LEN(files)], v[5] ? O_RDWR : O_WRONLY);
	char text[8192];
	size_t len, i;
	long err;

	if (fd < 0)
		return -errno;
	if (v[2] < ARRAY_LEN(texts)) {
		len = strlen(texts[v[2]]);
		memcpy(text, texts[v[2]], len);
	} else {
		len = v[2] % sizeof(text);
		for (i = 0; i < len; i++)
			text[i] = mix(v[2] + i);
	}
	if (v[3] && len)
		text[(v[3] - 1) % len] = v[4];
	err = write(fd, text, len) < 0 ? -errno : 0;
	if (v[5])
		for (i = 0; i < 4 && read(fd, answer, sizeof(answer)) > 0; i++)
			;
	close(fd);
	return err;
}

/* The object of a live handle */
static const struct arg a_inspect[] = {
	CTX, EN("kind", 6, 0), { "qpn", K_QPN, 0, 0, 0, 0, 0 }, V("num", 1), V("bytes", 4096)
};

static long fs_inspect(const struct row *row, const uint64_t *v)
{
	static const char *const kinds[] = { "qp", "cq", "srq", "mr", "mw", "pd" };
	unsigned int ctx = v[0] % CONTEXTS, i;
	int fd = file_open(ctx, "inspect", O_RDWR);
	char text[64];
	long err;

	if (fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%s %llu", kinds[v[1] % 6],
		 (unsigned long long)(v[1] % 6 ? v[3] : arg_resolve(&row->args[2], ctx, v[2])));
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	for (i = 0; i < 64 && read(fd, answer, v[4] % sizeof(answer)) > 0; i++)
		;
	close(fd);
	return err;
}

static const struct arg a_behavior[] = { CTX, EN("knob", GLASS_BEHAVIOR_COUNT, 0),
					 EN("value", 2, 1) };

static long fs_behavior(const struct row *row, const uint64_t *v)
{
	static const char *const knobs[] = { GLASS_BEHAVIORS(BEHAVIOR_WORD) };

	return put(v[0] % CONTEXTS, knobs[v[1] % ARRAY_LEN(knobs)], v[2] ? "1" : "0", 1);
}

/* ---- rules */

#define KEY_WORD(n, w, v, s, m) #w,
#define ACT_WORD(n, w, v)	#w,
#define ACT_NEEDS(n, s, p, m)	[GLASS_ACT_##n] = p,
static const char *const keys[] = { GLASS_INJECT_KEYS(KEY_WORD) };
static const char *const actions[] = { GLASS_ACTIONS(ACT_WORD) };
static const char *const needs[GLASS_ACT_COUNT] = { GLASS_INJECT_ACTIONS(ACT_NEEDS) };
static const char *const values[] = {
	"0",
	"1",
	"2",
	"3",
	"0x11",
	"0..5",
	"5..1",
	"2..99",
	"4294967295",
	"18446744073709551615",
	"99999999999999999999",
	"send",
	"write,read",
	"ack",
	"tx",
	"rx",
	"rc",
	"ud",
	"rts",
	"reg_mr",
	"post_send",
	"create_qp",
	"ENOMEM",
	"EIO",
	"rem_access_err",
	"rnr_retry_exc_err",
	"comm_est",
	"port_err",
	"device_fatal",
	"50%",
	"0.001",
	"100%",
	"1%,20%",
	"5ms",
	"1h",
	"10ms..20ms",
	"200us",
	"normal",
	"header",
	"vcrc",
	"good",
	"frozen",
	"run",
	"rem_access",
	"yes",
	"fd",
	"r1",
	"door_fuzz",
	"*",
	"%41?",
	"",
	"=",
	"-1",
	"perf",
	"get",
	"count",
};
/* what an action cannot do without */
static const char *const must[][2] = {
	{ "qpn", "2" },	       { "cqn", "1" },	      { "srqn", "1" },
	{ "port", "2" },       { "lid", "77" },	      { "index", "3" },
	{ "value", "0x8123" }, { "code", "inv_req" }, { "status", "rem_op_err" },
	{ "verb", "reg_mr" },  { "err", "EINVAL" },   { "event", "comm_est" },
};

#define PAIR(n) EN("key" #n, ARRAY_LEN(keys), ~0ull), EN("value" #n, ARRAY_LEN(values), 0)
/* A key of ~0 is left out. The rule holds for this program alone unless `all`. */
static const struct arg a_rule[] = { CTX,
				     EN("act", GLASS_ACT_COUNT, GLASS_ACT_DROP),
				     { "qpn", K_QPN, 0, 0, 0, 0, 0 },
				     EN("all", 2, 0),
				     PAIR(1),
				     PAIR(2),
				     PAIR(3) };

static long fs_rule(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS, act = v[1] % GLASS_ACT_COUNT, i;
	char text[1024], want[32];
	size_t n;

	n = snprintf(text, sizeof(text), "add act=%s", actions[act]);
	for (i = 0; i < ARRAY_LEN(must); i++) {
		snprintf(want, sizeof(want), "%s!", must[i][0]);
		if (!needs[act] || !strstr(needs[act], want))
			continue;
		if (!i)
			n += snprintf(text + n, sizeof(text) - n, " qpn=%llu",
				      (unsigned long long)arg_resolve(&row->args[2], ctx, v[2]));
		else
			n += snprintf(text + n, sizeof(text) - n, " %s=%s", must[i][0], must[i][1]);
	}
	/* what the subnet manager needs is left alone */
	if (!v[3] && act != GLASS_ACT_UNPLUG && act != GLASS_ACT_DEVICE_FATAL &&
	    (!needs[act] || !strchr(needs[act], '!') || act == GLASS_ACT_NAK))
		n += snprintf(text + n, sizeof(text) - n, " comm=door_fuzz");
	for (i = 4; i < 10; i += 2)
		if (v[i] < ARRAY_LEN(keys))
			n += snprintf(text + n, sizeof(text) - n, " %s=%s", keys[v[i]],
				      values[v[i + 1] % ARRAY_LEN(values)]);
	return put(ctx, "inject/rules", text, n);
}

/* A capture of this context's traffic that lasts until the program ends. */
static const struct arg a_capture[] = { CTX, EN("match", 2, 0) };

static long fs_capture(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS;
	static const char *const lines[] = { "ring 65536\nstart",
					     "match op=send,write qpn=2..999\nsnap 100\nstart" };
	int fd = file_open(ctx, "capture", O_RDWR);
	const char *text = lines[v[1] % 2];

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0 || !thing_add(OBJ_FILE, ctx, fd))
		close(fd);
	return 0;
}

static const struct arg a_captured[] = {
	CTX, { "file", K_HANDLE, OBJ_FILE, 0, 0, 0, 0 }, V("bytes", 16384), EN("stop", 2, 0)
};

static long fs_captured(const struct row *row, const uint64_t *v)
{
	struct thing *t = thing_chosen(OBJ_FILE, v[0] % CONTEXTS, v[1]);
	long n;

	if (!t)
		return -ENOENT;
	if (v[3] && write(t->handle, "stop", 4) < 0)
		return -errno;
	n = read(t->handle, answer, v[2] % sizeof(answer));
	return n < 0 ? -errno : n;
}

#define ROW(f, flags)                                                  \
	{                                                              \
		"fs_" #f, fs_##f, a_##f, ARRAY_LEN(a_##f), flags, NULL \
	}
const struct row rows_debugfs[] = {
	ROW(read, 0),	      ROW(write, ROW_LOCAL), ROW(inspect, 0),  ROW(behavior, ROW_LOCAL),
	ROW(rule, ROW_LOCAL), ROW(capture, 0),	     ROW(captured, 0), {},
};
