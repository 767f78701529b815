/* SPDX-License-Identifier: GPL-2.0-only */
/* An exchange between two QPs, as observations for the library of pictures. */
#ifndef GLASS_TESTS_UNIT_PICTURE_WORLD_H
#define GLASS_TESTS_UNIT_PICTURE_WORLD_H

#include "harness.h"

#include "lib/picture/book.h"
#include "lib/picture/write.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

#define WORLD_A 0x11
#define WORLD_B 0x22
#define WORLD_START 1700000000000000000ULL
#define US 1000ULL
#define MS 1000000ULL
#define FLOW(index) (1ULL << 56 | (uint64_t)WORLD_A << 32 | (index))

/* A sight at the sender: from A (LID 1) to B (LID 2), or back */
static inline struct picture_sight world_packet(uint64_t ns, bool from_b, uint8_t opcode, uint32_t psn,
						uint64_t flow)
{
	struct picture_address a = { 1, WORLD_A }, b = { 2, WORLD_B };

	return (struct picture_sight){
		.ns = WORLD_START + ns, .flow = flow, .wr_id = flow & 0xffffffff, .from = from_b ? b : a,
		.to = from_b ? a : b, .dev = from_b ? "glass1" : "glass0", .comm = from_b ? "server" : "client",
		.pid = from_b ? 812 : 811, .psn = psn, .opcode = opcode, .sent = true,
		.len = opcode == (GLASS_TR_RC | GLASS_BOP_ACK) ? 0 : 1024,
	};
}

/* The same packet where it arrives, that much later */
static inline struct picture_sight world_arrival(struct picture_sight s, uint64_t after)
{
	bool at_b = s.dev[5] == '0';

	s.ns += after;
	s.sent = false;
	s.from.qpn = s.flow && !at_b ? s.from.qpn : PICTURE_UNKNOWN;
	s.dev = at_b ? "glass1" : "glass0";
	s.comm = at_b ? "server" : "client";
	s.pid = at_b ? 812 : 811;
	return s;
}

static inline void world_both(struct picture_book *book, struct picture_sight s)
{
	struct picture_sight there = world_arrival(s, 3 * US);

	assert_int_equal(picture_book_packet(book, &s), 0);
	assert_int_equal(picture_book_packet(book, &there), 0);
}

/*
 * A SEND that arrives; one that a rule drops; the timer; the same again; acknowledgements; a last one that
 * is refused, and the error.
 */
static inline struct picture_book *world_book(size_t limit)
{
	const uint8_t send = GLASS_TR_RC | GLASS_BOP_SEND_ONLY, ack = GLASS_TR_RC | GLASS_BOP_ACK;
	struct picture_book *book = picture_book_new(limit);
	struct picture_sight lost = world_packet(20 * US, false, send, 6, FLOW(1)), nak, refused;

	assert_non_null(book);
	world_both(book, world_packet(0, false, send, 5, FLOW(0)));
	world_both(book, world_packet(9 * US, true, ack, 5, FLOW(0)));
	lost.reason = GLASS_DROP_INJECTED;
	lost.rule = "lossy";
	assert_int_equal(picture_book_packet(book, &lost), 0);
	assert_int_equal(picture_book_moment(book, &(struct picture_moment){
		.kind = PICTURE_TIMER, .ns = WORLD_START + 268 * MS, .at = { 1, WORLD_A }, .bad = true,
		.what = "expired" }), 0);
	world_both(book, world_packet(268 * MS + 5 * US, false, send, 6, FLOW(1)));
	world_both(book, world_packet(268 * MS + 14 * US, true, ack, 6, FLOW(1)));
	refused = world_packet(268 * MS + 30 * US, false, GLASS_TR_RC | GLASS_BOP_WRITE_ONLY, 7, FLOW(2));
	refused.dma_len = 1024;
	assert_int_equal(picture_book_packet(book, &refused), 0);
	refused = world_arrival(refused, 2 * US);
	refused.reason = GLASS_DROP_ACCESS;
	assert_int_equal(picture_book_packet(book, &refused), 0);
	nak = world_packet(268 * MS + 36 * US, true, ack, 7, FLOW(2));
	nak.syndrome = GLASS_AETH_NAK | GLASS_NAK_REM_ACCESS;
	world_both(book, nak);
	assert_int_equal(picture_book_moment(book, &(struct picture_moment){
		.kind = PICTURE_COMPLETED, .ns = WORLD_START + 268 * MS + 45 * US, .dev = "glass0",
		.at = { PICTURE_UNKNOWN, WORLD_A }, .bad = true, .op = "write", .what = "rem_access_err" }), 0);
	return book;
}

static inline struct picture *world_choose(struct picture_book *book, char why[400])
{
	struct picture_wish none = { .qpn = PICTURE_UNKNOWN };

	return picture_book_choose(book, &none, why, 400);
}

#endif
