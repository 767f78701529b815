// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests from rings that somebody else writes while they are read (driver/proto/wqe.h). An
 * input is the shape of a QP's rings, and a script: what is written to slots and indices before an
 * entry is taken, and what between two reads while it is.
 *
 * No word is read twice, nothing is read outside of the slot and the producer index, nothing is
 * written but the consumer index, and what was taken is what a second decoder, in this file, makes
 * of the words as they were when they were read.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "proto/env.h"
#include "proto/wqe.h"
#include "reads.h"

#define EVENTS 60
#define SLOTS 4
#define AHS 3
#define AT(type, field) offsetof(struct type, field)
#define HDR GLASS_RING_HDR_BYTES

static struct {
	struct glass_pqp q;
	bool send;
	u32 zero, num, stride, room; /* room: bytes of a slot behind the header */
	u32 max_sge; /* receives */
	u32 consumer;
	size_t head, bytes; /* of a slot's header; of all */
	u8 *mem; /* ring header and slots: of that size, so that ASan sees a read beyond */
	struct glass_swqe *w;
	struct glass_rwqe *out;
	u32 asked_ah, ah_asked; /* for which AH, how often */
} s;

bool glass_env_ah(struct glass_pqp *q, u32 num, struct glass_av *av)
{
	FUZZ_CHECK(q == &s.q, "another QP");
	s.asked_ah = num;
	s.ah_asked++;
	if (num >= AHS)
		return false;
	memset(av, 0, sizeof(*av));
	av->dlid = num + 1;
	return true;
}

/* ---- what is written, before and meanwhile */

static u32 interesting(void)
{
	static const u32 values[] = { 0, 1, 2, 8, 16, 30, 31, 2048, 2049, 0x7fffffff, 0x80000000, 0xffffffff,
				      0xfffffff0, 0x10000000, 0x10000001 };
	u8 how = fuzz_u8();

	if (how < 0x20)
		return how;
	switch (how & 7) {
	case 0:
		return s.q.max_sge + (how >> 3 & 3) - 1;
	case 1:
		return s.q.max_inline + (how >> 3 & 3) - 1;
	case 2:
		return s.max_sge + (how >> 3 & 3) - 1;
	case 3:
		return fuzz_u32();
	default:
		return values[(how >> 3) % ARRAY_SIZE(values)];
	}
}

/* Where in a slot it matters what stands there */
static u32 place(void)
{
	static const u16 send[] = {
		AT(glass_abi_send_wqe, opcode), AT(glass_abi_send_wqe, flags),
		AT(glass_abi_send_wqe, num_sge), AT(glass_abi_send_wqe, inline_len),
		AT(glass_abi_send_wqe, imm), AT(glass_abi_send_wqe, rkey),
		AT(glass_abi_send_wqe, ah_num), AT(glass_abi_send_wqe, remote_qpn),
		AT(glass_abi_send_wqe, pkey_index), AT(glass_abi_send_wqe, xrc_srqn),
		AT(glass_abi_send_wqe, wr_id), AT(glass_abi_send_wqe, length),
	};
	u8 how = fuzz_u8();

	if (how & 0x80) /* the length of an SGE, or its other words */
		return s.head + (how >> 2 & 31) * sizeof(struct glass_abi_sge) +
		       (how & 3 ? AT(glass_abi_sge, length) : AT(glass_abi_sge, addr));
	if (how & 0x40)
		return fuzz_below(s.stride);
	if (!s.send)
		return AT(glass_abi_recv_wqe, num_sge);
	return send[how % ARRAY_SIZE(send)];
}

static size_t slot_at(u32 index)
{
	return HDR + (size_t)(index & (s.num - 1)) * s.stride;
}

static void write_word(size_t at, u32 value)
{
	if (at + sizeof(value) <= s.bytes)
		memcpy(s.mem + at, &value, sizeof(value));
}

/* An entry as a provider would write it, which the rest of the script spoils. */
static void write_entry(size_t slot)
{
	u32 n = fuzz_below((s.send ? s.q.max_sge : s.max_sge) + 1), i;

	if (s.send) {
		write_word(slot + AT(glass_abi_send_wqe, opcode), fuzz_below(GLASS_OP_COUNT));
		write_word(slot + AT(glass_abi_send_wqe, flags), fuzz_u8() & 15);
		write_word(slot + AT(glass_abi_send_wqe, num_sge), n);
		write_word(slot + AT(glass_abi_send_wqe, inline_len), fuzz_below(s.q.max_inline + 1));
		write_word(slot + AT(glass_abi_send_wqe, ah_num), fuzz_below(AHS + 1));
	} else {
		write_word(slot + AT(glass_abi_recv_wqe, num_sge), n);
	}
	for (i = 0; i < n && i < 4; i++)
		write_word(slot + s.head + i * sizeof(struct glass_abi_sge) + AT(glass_abi_sge, length),
			   interesting());
}

static void plan_changes(size_t slot)
{
	u32 n = fuzz_below(5);

	while (n--) {
		u32 after = fuzz_u8(), value;
		size_t at = after & 0x80 ? AT(glass_ring_hdr, producer) : slot + place();

		value = after & 0x80 && fuzz_u8() & 1 ? s.consumer + fuzz_below(s.num + 2) : interesting();
		reads_plan(after & 0x7f, at, &value, sizeof(value));
	}
}

/* ---- the second decoder */

static u32 word(size_t at)
{
	u32 v;

	FUZZ_CHECK(reads_saw(at, sizeof(v)), "what stands at %zu decides, and was not read", at);
	memcpy(&v, reads_at(at), sizeof(v));
	return v;
}

static u64 words(size_t at)
{
	u64 v;

	FUZZ_CHECK(reads_saw(at, sizeof(v)), "what stands at %zu was not read", at);
	memcpy(&v, reads_at(at), sizeof(v));
	return v;
}

/* The n SGEs from `at` on: are they those? Their bytes together. */
static u64 check_sges(const struct glass_sge *sge, u32 n, size_t at)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++, at += sizeof(struct glass_abi_sge)) {
		u32 len = word(at + AT(glass_abi_sge, length));

		FUZZ_CHECK(sge[i].addr == words(at + AT(glass_abi_sge, addr)) &&
			   sge[i].lkey == word(at + AT(glass_abi_sge, lkey)) &&
			   sge[i].len == (len ? len : s.zero), "SGE %u: %u bytes of %u", i, sge[i].len, len);
		sum += sge[i].len;
	}
	return sum;
}

/* What each type of QP may be asked for, by enum glass_wr_op */
static bool may_ask(u32 op)
{
	static const char connected[] = {
		[GLASS_OP_SEND] = 'u', [GLASS_OP_SEND_IMM] = 'u', [GLASS_OP_WRITE] = 'u',
		[GLASS_OP_WRITE_IMM] = 'u', [GLASS_OP_BIND_MW] = 'u', [GLASS_OP_LOCAL_INV] = 'u',
		[GLASS_OP_REG_MR] = 'k', [GLASS_OP_READ] = 'r', [GLASS_OP_CMP_SWAP] = 'r',
		[GLASS_OP_FETCH_ADD] = 'r', [GLASS_OP_SEND_INV] = 'r', [GLASS_OP_FLUSH] = 'r',
		[GLASS_OP_ATOMIC_WRITE] = 'r',
	};

	static_assert(sizeof(connected) == GLASS_OP_COUNT);
	if (op >= GLASS_OP_COUNT || s.q.type == GLASS_QPT_XRC_TGT)
		return false;
	if (!glass_type_is_connected(s.q.type))
		return op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM;
	if (connected[op] == 'k')
		return !s.q.is_user;
	return connected[op] == 'u' || s.q.type != GLASS_QPT_UC;
}

static enum glass_wc_status check_data(const struct glass_swqe *w, u32 op, size_t slot)
{
	bool atomic = op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD;
	u32 n;
	u64 sum;

	if (op == GLASS_OP_LOCAL_INV || op == GLASS_OP_BIND_MW || op == GLASS_OP_REG_MR ||
	    op == GLASS_OP_FLUSH)
		return GLASS_WC_SUCCESS;
	if (word(slot + AT(glass_abi_send_wqe, flags)) & GLASS_WQE_INLINE) {
		n = word(slot + AT(glass_abi_send_wqe, inline_len));
		if (n > s.q.max_inline || atomic || op == GLASS_OP_READ)
			return GLASS_WC_LOC_QP_OP_ERR;
		FUZZ_CHECK(w->len == n && !w->num_sge && reads_saw(slot + s.head, n) &&
			   !memcmp(w->data, reads_at(slot + s.head), n), "%u bytes inline of %u", w->len, n);
		return GLASS_WC_SUCCESS;
	}
	n = word(slot + AT(glass_abi_send_wqe, num_sge));
	if (n > s.q.max_sge)
		return GLASS_WC_LOC_QP_OP_ERR;
	FUZZ_CHECK(w->num_sge == n, "%u SGEs, not %u", w->num_sge, n);
	sum = check_sges(w->sge, n, slot + s.head);
	if (sum > GLASS_MSG_MAX || (atomic && sum != 8))
		return GLASS_WC_LOC_LEN_ERR;
	FUZZ_CHECK(w->len == sum, "%u bytes, not %llu", w->len, (unsigned long long)sum);
	return GLASS_WC_SUCCESS;
}

static void check_operands(const struct glass_swqe *w, u32 op, size_t slot, bool usual)
{
	bool atomic = op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD;

	FUZZ_CHECK(w->raddr == words(slot + AT(glass_abi_send_wqe, remote_addr)) &&
		   w->xrc_srq == (word(slot + AT(glass_abi_send_wqe, xrc_srqn)) & GLASS_QPN_MASK), "memory of the peer");
	FUZZ_CHECK(!atomic || (w->cmp_add == words(slot + AT(glass_abi_send_wqe, compare_add)) &&
		   w->swap == words(slot + AT(glass_abi_send_wqe, swap))), "operands");
	FUZZ_CHECK(atomic || usual || (w->blen == words(slot + AT(glass_abi_send_wqe, length)) &&
		   w->mw_rkey == word(slot + AT(glass_abi_send_wqe, mw_rkey)) &&
		   w->mr_lkey == word(slot + AT(glass_abi_send_wqe, mr_lkey)) &&
		   w->access == word(slot + AT(glass_abi_send_wqe, access))), "keys and rights");
}

/* usual: glass_swqe_take_one() took it, which leaves alone what other operations need */
static enum glass_wc_status check_send(const struct glass_swqe *w, size_t slot, bool usual)
{
	u32 op = word(slot + AT(glass_abi_send_wqe, opcode)), ah;
	bool by_imm = op == GLASS_OP_SEND_INV || op == GLASS_OP_LOCAL_INV;

	FUZZ_CHECK(w->wr_id == words(slot + AT(glass_abi_send_wqe, wr_id)) &&
		   w->op == (op < GLASS_OP_COUNT ? op : GLASS_OP_COUNT) &&
		   w->flags == (word(slot + AT(glass_abi_send_wqe, flags)) & 15) && !w->tries,
		   "operation %u of %u", w->op, op);
	FUZZ_CHECK((__force u32)w->imm == word(slot + AT(glass_abi_send_wqe, imm)) &&
		   w->rkey == word(slot + (by_imm ? AT(glass_abi_send_wqe, imm) : AT(glass_abi_send_wqe, rkey))),
		   "what it asks of the peer");
	if (glass_type_is_connected(s.q.type))
		check_operands(w, op, slot, usual);
	if (!may_ask(op))
		return GLASS_WC_LOC_QP_OP_ERR;
	if (glass_type_is_connected(s.q.type)) {
		FUZZ_CHECK(!s.ah_asked, "an AH");
	} else {
		ah = word(slot + AT(glass_abi_send_wqe, ah_num));
		FUZZ_CHECK(s.ah_asked == 1 && s.asked_ah == ah, "AH %u, not %u", s.asked_ah, ah);
		FUZZ_CHECK(w->dqpn == (word(slot + AT(glass_abi_send_wqe, remote_qpn)) & GLASS_QPN_MASK) &&
			   w->qkey == word(slot + AT(glass_abi_send_wqe, remote_qkey)), "QPN 0x%x", w->dqpn);
		FUZZ_CHECK(w->pkey_index == (s.q.type == GLASS_QPT_GSI && !s.q.is_user ?
			   (u16)word(slot + AT(glass_abi_send_wqe, pkey_index)) : s.q.attr.pkey_index),
			   "P_Key %u", w->pkey_index);
		if (ah >= AHS)
			return GLASS_WC_LOC_QP_OP_ERR;
		FUZZ_CHECK(w->av.dlid == ah + 1, "another AH's path");
	}
	return check_data(w, op, slot);
}

/* ---- taking */

/* Whatever the words were: nobody wrote but to the consumer index, and what the core relies on is true. */
static void check_memory(void)
{
	size_t at = AT(glass_ring_hdr, consumer), end = at + sizeof(u32);

	reads_end();
	FUZZ_CHECK(!memcmp(s.mem, reads_expected(), at) &&
		   !memcmp(s.mem + end, reads_expected() + end, s.bytes - end), "the ring was written");
}

static void begin(size_t slot)
{
	reads_begin(s.mem, s.bytes);
	reads_allow(AT(glass_ring_hdr, producer), sizeof(u32));
	reads_allow(slot, s.head + s.room);
	plan_changes(slot);
	s.ah_asked = 0;
	reads_start();
}

static void take_sends(void)
{
	struct glass_pqp *q = &s.q;
	struct glass_ring_hdr *hdr = (struct glass_ring_hdr *)s.mem;
	size_t slot = slot_at(q->req.head);
	enum glass_wc_status status = GLASS_WC_COUNT;
	u32 producer = 0, seen;
	int posted;

	begin(slot);
	posted = glass_sq_posted(q, hdr, &producer);
	if (posted == 1)
		status = glass_swqe_take(q, s.w, s.mem + slot, s.zero);
	check_memory();
	seen = word(AT(glass_ring_hdr, producer));
	if (posted != 1) {
		FUZZ_CHECK(posted == (seen == q->req.head ? 0 : -EIO) &&
			   (!posted || seen - q->req.tail > q->sq_entries), "%d of %x", posted, seen);
		return;
	}
	FUZZ_CHECK(producer == seen && seen != q->req.head && seen - q->req.tail <= q->sq_entries,
		   "producer %x, not %x", producer, seen);
	FUZZ_CHECK(s.w->num_sge <= q->max_sge && (!(s.w->flags & GLASS_SWQE_INLINE) || s.w->len <= q->max_inline) &&
		   s.w->len <= GLASS_MSG_MAX, "%u SGEs, %u bytes", s.w->num_sge, s.w->len);
	FUZZ_CHECK(status == check_send(s.w, slot, false), "status %u", status);
	q->req.head++;
	/* some of it completes */
	if (q->req.head - q->req.tail == q->sq_entries || fuzz_u8() & 1)
		q->req.tail = q->req.head;
	s.consumer = q->req.head;
}

/* Must glass_swqe_take_one() take this one? Looks only at what it has read. */
static bool is_usual(size_t slot)
{
	u32 op = word(slot + AT(glass_abi_send_wqe, opcode)), len;
	bool atomic = op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD;

	if (op > GLASS_OP_FETCH_ADD || word(slot + AT(glass_abi_send_wqe, flags)) & GLASS_WQE_INLINE ||
	    word(slot + AT(glass_abi_send_wqe, num_sge)) != 1)
		return false;
	len = word(slot + s.head + AT(glass_abi_sge, length));
	if (len > GLASS_MSG_MAX)
		return false;
	if (s.q.type == GLASS_QPT_UD)
		return op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM;
	return s.q.type == GLASS_QPT_RC && (!atomic || len == 8);
}

/* The next send, if it is a usual one */
static void take_usual(void)
{
	struct glass_pqp *q = &s.q;
	size_t slot = slot_at(q->req.head);
	enum glass_wc_status status;
	u32 producer = 0;

	begin(slot);
	if (glass_sq_posted(q, (struct glass_ring_hdr *)s.mem, &producer) != 1) {
		check_memory();
		return;
	}
	status = glass_swqe_take_one(q, s.w, s.mem + slot);
	check_memory();
	FUZZ_CHECK((status != GLASS_WC_COUNT) == is_usual(slot), "status %u", status);
	if (status == GLASS_WC_COUNT)
		return;
	FUZZ_CHECK(check_send(s.w, slot, true) == status, "status %u", status);
	q->req.head++;
	if (q->req.head - q->req.tail == q->sq_entries || fuzz_u8() & 1)
		q->req.tail = q->req.head;
	s.consumer = q->req.head;
}

static void take_receive(void)
{
	struct glass_wqe_ring ring = { (struct glass_ring_hdr *)s.mem, s.mem + HDR, s.num, s.stride };
	u32 before = s.consumer, n, seen, limit = min(s.max_sge, (u32)GLASS_RWQE_SGE_MAX);
	size_t slot = slot_at(before);
	int ret;

	begin(slot);
	ret = glass_rwqe_take(&ring, &s.consumer, s.max_sge, s.zero, s.out);
	check_memory();
	seen = word(AT(glass_ring_hdr, producer));
	if (seen == before || seen - before > s.num) {
		FUZZ_CHECK(ret == (seen == before ? 0 : -EIO) && s.consumer == before, "%d of %x", ret, seen);
		return;
	}
	FUZZ_CHECK(s.consumer == before + 1 && ring.hdr->consumer == s.consumer, "consumer %x", s.consumer);
	n = word(slot + AT(glass_abi_recv_wqe, num_sge));
	FUZZ_CHECK(s.out->wr_id == words(slot + AT(glass_abi_recv_wqe, wr_id)), "wr_id");
	if (n > limit) {
		FUZZ_CHECK(ret == -EINVAL && !s.out->num_sge && !s.out->len, "%d: %u SGEs", ret, n);
		return;
	}
	FUZZ_CHECK(ret == 1 && s.out->num_sge == n, "%d: %u SGEs, not %u", ret, s.out->num_sge, n);
	FUZZ_CHECK(s.out->len == check_sges(s.out->sge, n, slot + s.head), "%llu bytes",
		   (unsigned long long)s.out->len);
}

/* The next receive, if it has one SGE */
static void take_one(void)
{
	struct glass_wqe_ring ring = { (struct glass_ring_hdr *)s.mem, s.mem + HDR, s.num, s.stride };
	u32 before = s.consumer, seen;
	size_t slot = slot_at(before);
	bool took;

	begin(slot);
	took = glass_rwqe_take_one(&ring, &s.consumer, s.out);
	check_memory();
	seen = word(AT(glass_ring_hdr, producer));
	if (seen == before || seen - before > s.num || word(slot + AT(glass_abi_recv_wqe, num_sge)) != 1) {
		FUZZ_CHECK(!took && s.consumer == before, "taken, of %x", seen);
		return;
	}
	FUZZ_CHECK(took && s.consumer == before + 1 && ring.hdr->consumer == s.consumer, "consumer %x", s.consumer);
	FUZZ_CHECK(s.out->wr_id == words(slot + AT(glass_abi_recv_wqe, wr_id)) &&
		   s.out->stack == word(slot + AT(glass_abi_recv_wqe, stack)) && s.out->num_sge == 1, "another receive");
	FUZZ_CHECK(s.out->len == check_sges(s.out->sge, 1, slot + s.head), "%llu bytes",
		   (unsigned long long)s.out->len);
}

static void start(void)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_RC, GLASS_QPT_UC, GLASS_QPT_UD, GLASS_QPT_GSI,
						    GLASS_QPT_XRC_INI, GLASS_QPT_XRC_TGT, GLASS_QPT_RC, GLASS_QPT_RC };
	u8 how = fuzz_u8(), sizes = fuzz_u8();

	memset(&s, 0, sizeof(s));
	s.send = !(how & 1);
	s.q.type = types[how >> 1 & 7];
	s.q.is_user = how & 0x10;
	s.zero = how & 0x20 ? 0x80000000 : 0;
	s.num = 1 << (how >> 6);
	s.num = min(s.num, (u32)SLOTS);
	s.q.attr.pkey_index = 3;
	/* as a QP is made: what SGEs or inline data have, the others may have, too */
	s.q.max_sge = 1 + sizes % GLASS_MAX_SGE;
	s.q.max_inline = max_t(u32, s.q.max_sge * sizeof(struct glass_abi_sge), sizes & 0x80 ? fuzz_u8() * 8 : 0);
	s.max_sge = s.q.max_sge + (sizes & 0x20 ? 3 : 0);
	s.head = s.send ? GLASS_SEND_WQE_HDR_BYTES : GLASS_RECV_WQE_HDR_BYTES;
	s.room = s.send ? s.q.max_inline : s.max_sge * sizeof(struct glass_abi_sge);
	s.stride = (s.head + s.room + 63) & ~63u;
	s.bytes = HDR + (size_t)s.num * s.stride;
	s.mem = calloc(1, s.bytes);
	s.q.sq_entries = s.num;
	/* nothing behind what the core has room for */
	s.w = calloc(1, max(sizeof(*s.w), offsetof(struct glass_swqe, data) + s.q.max_inline));
	s.out = calloc(1, sizeof(*s.out));
	s.consumer = sizes & 0x40 ? 0xfffffffe : 0;
	s.q.req.head = s.q.req.tail = s.consumer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 i;

	fuzz_begin(data, size);
	start();
	for (i = 0; i < EVENTS && fuzz_left(); i++) {
		size_t slot = slot_at(s.consumer);
		u8 event = fuzz_u8();

		switch (event & 3) {
		case 0:
			write_entry(slot);
			break;
		case 1:
			write_word(slot + place(), interesting());
			break;
		case 2:
			write_word(AT(glass_ring_hdr, producer), event & 0x80 ? interesting() :
				   s.consumer + 1 + (event >> 2) % (s.num + 1));
			break;
		default:
			if (event & 4) /* one is posted, so that there is something */
				write_word(AT(glass_ring_hdr, producer), s.consumer + 1);
			if (s.send && event & 8 && !s.zero)
				take_usual();
			else if (s.send)
				take_sends();
			else if (event & 8 && !s.zero) /* as its callers have asked: an SGE of 0 bytes has 0 */
				take_one();
			else
				take_receive();
		}
	}
	free(s.mem);
	free(s.w);
	free(s.out);
	return 0;
}
