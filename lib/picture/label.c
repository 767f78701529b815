// SPDX-License-Identifier: GPL-2.0-only
/* Texts for packets, moments, ends and times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/picture/picture.h"
#include "uapi/glass-enums.h"
#include "wire/opcode.h"

#define NS_PER_US 1000
#define PAUSE_MIN (50 * NS_PER_US) /* shorter pauses are never labelled */
#define PAUSE_FACTOR 10 /* times the median distance */

bool picture_is_answer(const struct picture_item *i)
{
	return i->kind == PICTURE_PACKET && glass_opcodes[i->opcode].flags & GLASS_OPF_RESPONSE;
}

bool picture_is_nak(uint8_t opcode, uint8_t syndrome)
{
	return glass_opcodes[opcode].hdrs & GLASS_HDR_AETH && (syndrome & GLASS_AETH_KIND);
}

/* Returns the word of an opcode without its transport: "send_only". */
static const char *opcode_word(uint8_t opcode)
{
	const char *word = glass_opcode_word(opcode), *low = strchr(word, '_');

	return glass_opcode_valid(opcode) && low ? low + 1 : word;
}

static const char *nak_word(uint8_t syndrome)
{
	static const char *const words[] = {
		[GLASS_NAK_PSN_SEQ] = "PSN sequence",
		[GLASS_NAK_INV_REQ] = "invalid request",
		[GLASS_NAK_REM_ACCESS] = "remote access",
		[GLASS_NAK_REM_OP] = "remote operation",
		[GLASS_NAK_INV_RD_REQ] = "invalid RD request",
	};
	uint8_t value = syndrome & GLASS_AETH_VALUE;

	if ((syndrome & GLASS_AETH_KIND) == GLASS_AETH_RNR)
		return "receiver not ready";
	return value < sizeof(words) / sizeof(*words) ? words[value] : "reserved";
}

void picture_number(uint64_t n, char text[32])
{
	char plain[24];
	int len = snprintf(plain, sizeof(plain), "%" PRIu64, n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = plain[i];
	}
	text[at] = 0;
}

void picture_duration(uint64_t ns, char text[32])
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { NS_PER_US, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		double n = (double)ns / units[i].ns;

		if (n < 1)
			continue;
		snprintf(text, 32, n < 100 ? "%.1f %s" : "%.0f %s", n, units[i].unit);
		return;
	}
	snprintf(text, 32, "%u ns", (unsigned int)ns);
}

void picture_time(const struct picture *p, const struct picture_item *i, char text[32])
{
	uint64_t zero = p->zero ? p->zero : p->items[0].ns;
	bool before = i->ns < zero;
	double ns = before ? zero - i->ns : i->ns - zero;
	const char *sign = before ? "-" : "";

	if (ns < 1000000)
		snprintf(text, 32, "%s%.1f us", sign, ns / NS_PER_US);
	else if (ns < 1000000000)
		snprintf(text, 32, "%s%.3f ms", sign, ns / 1000000);
	else
		snprintf(text, 32, "%s%.6f s", sign, ns / 1000000000);
}

static void packet_label(const struct picture_item *i, char text[PICTURE_LABEL])
{
	uint32_t len = i->dma_len > i->len ? i->dma_len : i->len;
	char bytes[32], last[32] = "";

	if (picture_is_nak(i->opcode, i->syndrome)) {
		snprintf(text, PICTURE_LABEL, "NAK PSN %u: %s", i->psn, nak_word(i->syndrome));
		return;
	}
	if (i->more)
		snprintf(last, sizeof(last), " to %u", (i->psn + i->more) & GLASS_PSN_MASK);
	picture_number(len, bytes);
	snprintf(text, PICTURE_LABEL, "%s PSN %u%s%s%s%s", opcode_word(i->opcode), i->psn, last, len ? ", " : "",
		 len ? bytes : "", len ? " B" : "");
}

void picture_label(const struct picture_item *i, char text[PICTURE_LABEL])
{
	static const char *const words[] = {
#define KIND_WORD(name, word) #word,
		PICTURE_KINDS(KIND_WORD)
	};

	if (i->kind == PICTURE_PACKET)
		packet_label(i, text);
	else if (i->kind == PICTURE_NOTE)
		snprintf(text, PICTURE_LABEL, "%s", i->text);
	else
		snprintf(text, PICTURE_LABEL, "%s%s%s", words[i->kind], *i->text ? " " : "", i->text);
}

bool picture_receiver_watched(const struct picture *p, const struct picture_item *i)
{
	return p->ends[!i->end].arrived > 0;
}

void picture_fate(const struct picture *p, const struct picture_item *i, char text[PICTURE_LABEL])
{
	static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
	char made[2 * PICTURE_LABEL] = "";
	size_t at = 0;

	if (i->kind != PICTURE_PACKET)
		goto end;
#define ADD(...) (at += snprintf(made + at, sizeof(made) - at, __VA_ARGS__))
	if (i->again)
		ADD("sent again");
	if (i->copy)
		ADD("%sone more copy", at ? "; " : "");
	if (i->reason)
		ADD("%sdropped: %s%s%s", at ? "; " : "",
		    i->reason < GLASS_DROP_COUNT ? reasons[i->reason] : "?", *i->node ? " at " : "",
		    i->node);
	else if (!i->arrived_ns && picture_receiver_watched(p, i))
		ADD("%snot seen to arrive", at ? "; " : "");
	if (*i->rule)
		ADD("%s(rule %s)", at ? " " : "", i->rule);
#undef ADD
end:
	snprintf(text, PICTURE_LABEL, "%.*s", PICTURE_LABEL - 1, made);
}

void picture_end_name(const struct picture_end *e, char text[PICTURE_LABEL])
{
	char qpn[16] = "?";

	if (e->at.qpn != PICTURE_UNKNOWN)
		snprintf(qpn, sizeof(qpn), "0x%x", e->at.qpn);
	if (*e->dev)
		snprintf(text, PICTURE_LABEL, "%s:%s", e->dev, qpn);
	else if (*e->ip)
		snprintf(text, PICTURE_LABEL, "%s, QP %s", e->ip, qpn);
	else if (e->at.lid && e->at.lid != PICTURE_UNKNOWN)
		snprintf(text, PICTURE_LABEL, "LID %u, QP %s", e->at.lid, qpn);
	else
		snprintf(text, PICTURE_LABEL, "QP %s", qpn);
}

void picture_end_owner(const struct picture_end *e, char text[PICTURE_LABEL])
{
	*text = 0;
	if (*e->comm)
		snprintf(text, PICTURE_LABEL, "%s [%u]", e->comm, e->pid);
}

void picture_left_out(uint64_t packets, uint64_t moments, char text[PICTURE_LABEL])
{
	char a[32], b[32];

	picture_number(packets, a);
	picture_number(moments, b);
	*text = 0;
	if (packets && moments)
		snprintf(text, PICTURE_LABEL, "%s packet%s and %s event%s left out", a,
			 packets > 1 ? "s" : "", b, moments > 1 ? "s" : "");
	else if (packets || moments)
		snprintf(text, PICTURE_LABEL, "%s %s%s left out", packets ? a : b,
			 packets ? "packet" : "event", packets + moments > 1 ? "s" : "");
}

void picture_summary(const struct picture *p, char text[PICTURE_LABEL])
{
	char packets[32], dropped[32], again[32], naks[32];

	picture_number(p->packets, packets);
	picture_number(p->dropped, dropped);
	picture_number(p->again, again);
	picture_number(p->naks, naks);
	snprintf(text, PICTURE_LABEL, "%s packet%s, %s dropped, %s sent again, %s NAK%s", packets,
		 p->packets == 1 ? "" : "s", dropped, again, naks, p->naks == 1 ? "" : "s");
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t picture_long_pause(const struct picture *p)
{
	size_t n = p->count < 2 ? 0 : p->count - 1;
	uint64_t *gaps = n ? malloc(n * sizeof(*gaps)) : NULL, pause;

	if (!gaps)
		return n ? PAUSE_MIN : 0;
	for (size_t i = 0; i < n; i++)
		gaps[i] = p->items[i + 1].ns - p->items[i].ns;
	qsort(gaps, n, sizeof(*gaps), by_value);
	pause = gaps[n / 2] * PAUSE_FACTOR;
	free(gaps);
	return pause > PAUSE_MIN ? pause : PAUSE_MIN;
}
