// SPDX-License-Identifier: GPL-2.0-only
/* Frames for a port, as if they came over the cable (driver/uapi/glass-raw.h): most with good CRCs
 * and a QP that is alive. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "door.h"
#include "uapi/glass-raw.h"
#include "wire/crc.h"
#include "wire/opcode.h"

#define V(n, d)                         \
	{                               \
		n, K_NUM, 0, 0, d, 0, 0 \
	}
#define EN(n, l, d)                      \
	{                                \
		n, K_ENUM, 0, l, d, 0, 0 \
	}
#define K(n, k, d)                      \
	{                               \
		n, K_##k, 0, 0, d, 0, 0 \
	}

/* `spoil`: a word of the frame, from 1, that becomes `with`, before the CRCs (crc=0) or behind them
 */
static const struct arg a_raw[] = { { "ctx", K_CONTEXT, 0, 0, 0, 0, 0 },
				    EN("port", 3, 1),
				    EN("opcode", 256, 0x0a),
				    K("dlid", LID, 0),
				    K("slid", LID, 0),
				    V("sl", 0),
				    EN("lnh", 4, 2),
				    V("pkey", 0xffff),
				    K("dqpn", QPN, 0),
				    V("psn", 0),
				    V("ackreq", 1),
				    V("ext0", 0),
				    K("va", ADDR, 4096),
				    K("rkey", RKEY, 0),
				    V("dma_len", 64),
				    V("payload", 64),
				    V("cut", 0),
				    EN("crc", 4, 0),
				    V("spoil", 0),
				    V("with", 0) };

/*
 * The extended headers by the opcode's transport: XRCETH, DETH (Q_Key ext0, source QPN dma_len),
 * then RETH or AtomicETH or AETH (syndrome and MSN: ext0), as its operation has.
 */
static uint32_t extended(uint8_t *at, const uint64_t *v, uint32_t rkey, uint64_t va)
{
	uint32_t op = v[2] & 0x1f, n = 0;

	if ((v[2] & 0xe0) == 0xa0 && op < 0x0d) {
		be(at + n, v[11], 4);
		n += 4;
	}
	if ((v[2] & 0xe0) == 0x60) {
		be(at + n, v[11], 4);
		be(at + n + 4, v[14], 4);
		return n + 8;
	}
	switch (op) {
	case 0x06:
	case 0x0a:
	case 0x0b:
	case 0x0c:
	case 0x1c:
	case 0x1d:
		be(at + n, va, 8);
		be(at + n + 8, rkey, 4);
		be(at + n + 12, v[14], 4);
		n += 16;
		break;
	case 0x13:
	case 0x14:
		be(at + n, va, 8);
		be(at + n + 8, rkey, 4);
		be(at + n + 12, v[14], 8);
		be(at + n + 20, v[14], 8);
		n += 28;
		break;
	case 0x0d:
	case 0x0f:
	case 0x10:
	case 0x11:
	case 0x12:
		be(at + n, v[11], 4);
		n += 4;
		break;
	}
	return n;
}

static long raw(const struct row *row, const uint64_t *v)
{
	struct {
		struct glass_raw_header h;
		uint8_t frame[GLASS_RAW_MAX + 64];
	} *p = (void *)answer;
	unsigned int ctx = v[0] % CONTEXTS;
	uint8_t *f = p->frame, *bth;
	uint32_t len, payload = v[15] > GLASS_RAW_MAX ? v[15] % GLASS_RAW_MAX : v[15],
		      pad = -payload & 3, i;
	char path[128];
	size_t size;
	int fd;

	memset(p, 0, sizeof(*p));
	p->h.port = v[1];
	f[1] = v[5] << 4 | (v[6] & 3);
	be(f + 2, arg_resolve(&row->args[3], ctx, v[3]), 2);
	be(f + 6, arg_resolve(&row->args[4], ctx, v[4]), 2);
	bth = f + 8;
	if ((v[6] & 3) == 3) {
		bth[0] = 0x60;
		bth[6] = 0x1b;
		memcpy(bth + 8, site.gid[1], 16);
		memcpy(bth + 24, site.gid[v[3] % 4], 16);
		bth += 40;
	}
	bth[0] = v[2];
	bth[1] = pad << 4;
	be(bth + 2, v[7], 2);
	be(bth + 4, arg_resolve(&row->args[8], ctx, v[8]) & 0xffffff, 4);
	be(bth + 8, (v[10] & 1) << 31 | (v[9] & 0xffffff), 4);
	len = bth + 12 - f;
	len += extended(f + len, v, arg_resolve(&row->args[13], ctx, v[13]),
			arg_resolve(&row->args[12], ctx, v[12]));
	if (len + payload + pad + 6 > GLASS_RAW_MAX)
		payload = GLASS_RAW_MAX - 6 - len - pad;
	for (i = 0; i < payload; i++)
		f[len + i] = mix(v[9] + i);
	len += payload + pad;
	be(f + 4, (len + 4) / 4, 2);
	if ((v[6] & 3) == 3)
		be(f + 12, len - 48 + 4, 2);
	if (v[18] && v[17] != 1)
		memcpy(f + (v[18] - 1) % (len / 4) * 4, (uint32_t[]){ v[19] }, 4);
	if (len >= 20) {
		glass_crc_put32(glass_icrc(f, len) ^ (v[17] == 2), f + len);
		glass_crc_put16(glass_vcrc(f, len + 4) ^ (v[17] == 3), f + len + 4);
	}
	len += 6;
	if (v[18] && v[17] == 1)
		memcpy(f + (v[18] - 1) % (len / 4) * 4, (uint32_t[]){ v[19] }, 4);
	size = sizeof(p->h) + len - v[16] % len;
	snprintf(path, sizeof(path), "/sys/kernel/debug/glass/glass%u/raw", ctx);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	i = write(fd, p, size) < 0 ? errno : 0;
	close(fd);
	return -(long)i;
}

/* Bytes as they are */
static const struct arg a_raw_noise[] = { { "ctx", K_CONTEXT, 0, 0, 0, 0, 0 },
					  V("port", 1),
					  V("flags", 0),
					  V("bytes", 40),
					  V("seed", 1) };

static long raw_noise(const struct row *row, const uint64_t *v)
{
	size_t n = v[3] % (GLASS_RAW_MAX + 64), i;
	char path[128];
	long err;
	int fd;

	*(struct glass_raw_header *)answer = (struct glass_raw_header){ v[1], v[2] };
	for (i = 0; i < n; i++)
		answer[8 + i] = mix(v[4] + i);
	snprintf(path, sizeof(path), "/sys/kernel/debug/glass/glass%u/raw",
		 (unsigned int)(v[0] % CONTEXTS));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, answer, n + 8) < 0 ? -errno : 0;
	close(fd);
	return err;
}

const struct row rows_raw[] = {
	{ "raw_frame", raw, a_raw, ARRAY_LEN(a_raw), 0, NULL },
	{ "raw_noise", raw_noise, a_raw_noise, ARRAY_LEN(a_raw_noise), 0, NULL },
	{},
};
