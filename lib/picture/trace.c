// SPDX-License-Identifier: GPL-2.0-only
/* Messages of a Chrome trace: from observations to slices. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fields.h"
#include "lib/picture/trace.h"
#include "lib/picture/trace_out.h"
#include "lib/picture/write.h"
#include "uapi/glass-enums.h"
#include "wire/opcode.h"

/* The moments of a message, in their usual order, and the stage that ends there: X(MOMENT, stage) */
#define MOMENTS(X)     \
	X(POSTED, none) \
	X(TAKEN, post)  \
	X(SENT, queue)  \
	X(THERE, wire)  \
	X(ACKED, ack)   \
	X(CQE, cqe)     \
	X(POLLED, poll)

#define MOMENT_E(name, stage) AT_##name,
enum moment { MOMENTS(MOMENT_E) NUM_MOMENTS };

#define SKIPPED_MAX 64 /* READs that an acknowledgement of later requests steps over */
#define MESSAGE_HASH (2 * TRACE_MESSAGES)

struct message {
	uint64_t flow, wr_id; /* flow 0: the slot is free */
	uint64_t ns[NUM_MOMENTS]; /* 0: not seen */
	/* at the receiver: first packet, last packet, answer, completion, poll */
	uint64_t first, last, answered, recv_cqe, recv_polled;
	struct trace_track *from, *to; /* NULL: not seen there */
	uint32_t len, psn, last_psn, packets, tries, dropped, naks;
	uint32_t older, newer; /* unfinished messages of the same sender: slot + 1 */
	uint32_t chain; /* next with this hash: slot + 1 */
	char op[16], status[24];
	bool whole; /* its last packet was sent */
	bool counts_bytes; /* len is the sum of its packets: no header has it */
	bool own_answer; /* a READ or an atomic: only its own answer ends it */
	bool no_answer; /* UC or UD: none comes, the sender is done with it once it is whole */
	bool written;
};

struct picture_trace {
	struct trace_out out;
	bool by_moments;
	uint32_t next; /* slot of the next message */
	uint32_t hash[MESSAGE_HASH]; /* slot + 1 */
	struct message messages[TRACE_MESSAGES];
	uint64_t count; /* of all messages */
	uint64_t unfinished;
	char tool[64];
};

struct picture_trace *picture_trace_new(FILE *to, const char *tool, bool by_moments)
{
	struct picture_trace *t = calloc(1, sizeof(*t));

	if (!t || !trace_out_init(&t->out, to)) {
		free(t);
		return NULL;
	}
	t->by_moments = by_moments;
	snprintf(t->tool, sizeof(t->tool), "%s", tool);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", to);
	return t;
}

/* ---- the messages that are remembered, and the unfinished ones of a sender */

static uint32_t *hash_slot(struct picture_trace *t, uint64_t flow)
{
	return &t->hash[(flow * 0x9e3779b97f4a7c15ULL >> 40) % MESSAGE_HASH];
}

static struct message *find_message(struct picture_trace *t, uint64_t flow)
{
	uint32_t i = *hash_slot(t, flow);

	while (i && t->messages[i - 1].flow != flow)
		i = t->messages[i - 1].chain;
	return i ? &t->messages[i - 1] : NULL;
}

static void unhash(struct picture_trace *t, struct message *m)
{
	uint32_t *link = hash_slot(t, m->flow), slot = m - t->messages + 1;

	while (*link != slot)
		link = &t->messages[*link - 1].chain;
	*link = m->chain;
}

static void link_sender(struct picture_trace *t, struct message *m, struct trace_track *k)
{
	uint32_t slot = m - t->messages + 1;

	m->from = k;
	m->older = k->newest;
	if (k->newest)
		t->messages[k->newest - 1].newer = slot;
	else
		k->oldest = slot;
	k->newest = slot;
}

static void unlink_sender(struct picture_trace *t, struct message *m)
{
	if (m->older)
		t->messages[m->older - 1].newer = m->newer;
	else
		m->from->oldest = m->newer;
	if (m->newer)
		t->messages[m->newer - 1].older = m->older;
	else
		m->from->newest = m->older;
}

/* ---- writing */

static uint64_t begin_of(const struct message *m)
{
	uint64_t begin = 0;

	for (int i = 0; i < NUM_MOMENTS; i++)
		if (i != AT_THERE && m->ns[i] && (!begin || m->ns[i] < begin))
			begin = m->ns[i];
	return begin;
}

static uint64_t end_of(const struct message *m)
{
	uint64_t end = 0;

	for (int i = 0; i < NUM_MOMENTS; i++)
		end = m->ns[i] > end ? m->ns[i] : end;
	return end;
}

static void write_stages(struct picture_trace *t, const struct message *m,
			 const struct trace_lane *lane, uint64_t begin)
{
	static const char *const stages[] = {
#define STAGE_WORD(name, stage) #stage,
		MOMENTS(STAGE_WORD)
	};
	uint64_t from = begin;

	for (int i = AT_TAKEN; i < NUM_MOMENTS; i++) {
		if (!m->ns[i] || m->ns[i] <= from)
			continue;
		trace_slice(&t->out, m->from, lane, "stage", stages[i], from, m->ns[i]);
		trace_slice_end(&t->out);
		from = m->ns[i];
	}
}

static struct trace_lane *write_sender(struct picture_trace *t, const struct message *m, bool finished)
{
	uint64_t begin = begin_of(m), end = end_of(m);
	struct trace_lane *lane = trace_lane(&t->out, m->from, begin, end);
	char name[PICTURE_LABEL], bytes[32];

	if (!lane)
		return NULL;
	picture_number(m->len, bytes);
	snprintf(name, sizeof(name), "%s %s B", m->op, bytes);
	trace_slice(&t->out, m->from, lane, "message", name, begin, end);
	trace_arg_hex(&t->out, "flow", m->flow);
	trace_arg_hex(&t->out, "wr_id", m->wr_id);
	trace_arg_number(&t->out, "psn", m->psn);
	trace_arg_number(&t->out, "packets", m->packets);
	trace_arg_number(&t->out, "dropped", m->dropped);
	trace_arg_number(&t->out, "sent_again", m->tries);
	trace_arg_number(&t->out, "naks", m->naks);
	trace_arg_text(&t->out, "status", *m->status ? m->status : finished ? "-" : "unfinished");
	trace_slice_end(&t->out);
	write_stages(t, m, lane, begin);
	return lane;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct trace_lane *write_receiver(struct picture_trace *t, const struct message *m)
{
	uint64_t end = max_of(m->first, max_of(max_of(m->last, m->answered),
					       max_of(m->recv_cqe, m->recv_polled)));
	struct trace_lane *lane = trace_lane(&t->out, m->to, m->first, end);
	char name[PICTURE_LABEL];

	if (!lane)
		return NULL;
	snprintf(name, sizeof(name), "receives %s", m->op);
	trace_slice(&t->out, m->to, lane, "receive", name, m->first, end);
	trace_arg_hex(&t->out, "flow", m->flow);
	trace_slice_end(&t->out);
	if (m->recv_cqe >= m->first && m->recv_polled > m->recv_cqe) {
		trace_slice(&t->out, m->to, lane, "stage", "poll", m->recv_cqe, m->recv_polled);
		trace_slice_end(&t->out);
	}
	return lane;
}

/* Writes a message. Its slot stays, so that late packets of it do not begin it anew. */
static void write_message(struct picture_trace *t, struct message *m, bool finished)
{
	struct trace_lane *from = NULL, *to = NULL;
	/* a lane may move when lanes are added: of a QP that sends to itself */
	struct trace_lane a, b;

	if (m->written)
		return;
	m->written = true;
	t->unfinished += !finished;
	if (m->from) {
		from = write_sender(t, m, finished);
		a = from ? *from : (struct trace_lane){ 0 };
		unlink_sender(t, m);
		trace_outstanding(&t->out, m->from, -1, end_of(m));
	}
	if (m->to && m->first) {
		to = write_receiver(t, m);
		b = to ? *to : (struct trace_lane){ 0 };
	}
	if (!from || !to || !m->ns[AT_SENT])
		return;
	/* times of a source may be wrong: an arrow never goes back */
	if (m->ns[AT_SENT] <= m->first)
		trace_arrow(&t->out, "request", m->from, &a, m->ns[AT_SENT], m->to, &b, m->first);
	if (m->answered >= m->first && m->ns[AT_ACKED] >= m->answered)
		trace_arrow(&t->out, "answer", m->to, &b, m->answered, m->from, &a, m->ns[AT_ACKED]);
}

/* Is there nothing more to come of a message that waits? The receiver of an unreliable one is not always watched. */
static bool is_finished(const struct picture_trace *t, const struct message *m)
{
	if (!t->by_moments)
		return m->no_answer && m->whole;
	return m->ns[AT_POLLED] || m->ns[AT_ACKED];
}

/* Returns a new message. The oldest one loses its slot; it is written if it was not. */
static struct message *new_message(struct picture_trace *t, uint64_t flow)
{
	struct message *m = &t->messages[t->next];
	uint32_t *link;

	t->next = (t->next + 1) % TRACE_MESSAGES;
	if (m->flow) {
		write_message(t, m, is_finished(t, m));
		unhash(t, m);
	}
	memset(m, 0, sizeof(*m));
	m->flow = flow;
	link = hash_slot(t, flow);
	m->chain = *link;
	*link = m - t->messages + 1;
	t->count++;
	return m;
}

static void begin_message(struct picture_trace *t, struct message *m, struct trace_track *k,
			  uint64_t ns)
{
	link_sender(t, m, k);
	trace_outstanding(&t->out, k, 1, ns);
}

/* ---- packets */

/*
 * An answer has reached the sender of m (or, if that is not watched, has left the receiver): earlier
 * requests are done, too, but not READs and atomics, which have answers of their own.
 */
static void end_earlier(struct picture_trace *t, const struct message *m, uint64_t ns)
{
	uint32_t slot = m->from ? m->from->oldest : 0, skipped = 0;

	while (slot && skipped < SKIPPED_MAX && &t->messages[slot - 1] != m) {
		struct message *earlier = &t->messages[slot - 1];

		slot = earlier->newer;
		if (earlier->own_answer || !earlier->whole) {
			skipped++;
			continue;
		}
		earlier->ns[AT_ACKED] = ns;
		write_message(t, earlier, true);
	}
}

static bool is_fatal_nak(uint8_t syndrome)
{
	uint8_t value = syndrome & GLASS_AETH_VALUE;

	return (syndrome & GLASS_AETH_KIND) == GLASS_AETH_NAK && value != GLASS_NAK_PSN_SEQ;
}

static void take_answer(struct picture_trace *t, struct message *m, const struct picture_sight *s)
{
	const struct glass_opcode *op = &glass_opcodes[s->opcode];
	bool nak = picture_is_nak(s->opcode, s->syndrome), last, ends;

	if (s->sent) {
		m->answered = s->ns;
		if (m->from || t->by_moments)
			return;
	}
	if (s->reason)
		return;
	m->naks += nak;
	/* an atomic's answer and a plain ACK have neither place */
	last = !(op->flags & (GLASS_OPF_FIRST | GLASS_OPF_MIDDLE));
	ends = !nak && last && m->whole && ((s->psn - m->last_psn) & GLASS_PSN_MASK) <= GLASS_PSN_MASK / 2 &&
	       m->own_answer == ((s->opcode & GLASS_BOP_MASK) != GLASS_BOP_ACK);
	if (ends)
		m->ns[AT_ACKED] = s->ns;
	if (t->by_moments)
		return;
	end_earlier(t, m, s->ns);
	if (is_fatal_nak(s->syndrome) && nak) {
		m->ns[AT_ACKED] = s->ns;
		snprintf(m->status, sizeof(m->status), "NAK 0x%x", s->syndrome);
	} else if (!ends) {
		return;
	}
	write_message(t, m, true);
}

/* Is the packet's transport one without acknowledgements? */
static bool is_unreliable(uint8_t opcode)
{
	uint8_t transport = opcode & GLASS_TR_MASK;

	return transport == GLASS_TR_UC || transport == GLASS_TR_UD;
}

static void describe_message(const struct picture_trace *t, struct message *m,
			     const struct picture_sight *s)
{
	const char *op = glass_packet_op(s->opcode);
	uint8_t bop = s->opcode & GLASS_BOP_MASK;

	if (!*m->op)
		snprintf(m->op, sizeof(m->op), "%s", op ? op : "?");
	if (s->wr_id)
		m->wr_id = s->wr_id;
	m->own_answer = bop == GLASS_BOP_READ_REQ || bop == GLASS_BOP_CMP_SWAP ||
			bop == GLASS_BOP_FETCH_ADD || bop == GLASS_BOP_FLUSH ||
			bop == GLASS_BOP_ATOMIC_WRITE;
	m->no_answer = is_unreliable(s->opcode);
	m->psn = m->last_psn = s->psn;
	m->counts_bytes = !t->by_moments && !(glass_opcodes[s->opcode].hdrs & GLASS_HDR_RETH);
	if (s->dma_len)
		m->len = s->dma_len;
}

static bool begins(const struct picture_sight *s)
{
	return !(glass_opcodes[s->opcode].flags & (GLASS_OPF_MIDDLE | GLASS_OPF_LAST));
}

static bool ends_message(const struct picture_sight *s)
{
	return !(glass_opcodes[s->opcode].flags & (GLASS_OPF_FIRST | GLASS_OPF_MIDDLE));
}

static void note_trouble(struct picture_trace *t, struct trace_track *k, const struct picture_sight *s,
			 const char *what, const char *why)
{
	trace_instant(&t->out, k, what, s->ns);
	trace_arg_number(&t->out, "psn", s->psn);
	trace_arg_text(&t->out, "opcode", glass_opcode_word(s->opcode));
	trace_arg_text(&t->out, "why", why);
	if (s->rule && *s->rule)
		trace_arg_text(&t->out, "rule", s->rule);
	trace_slice_end(&t->out);
}

/* Is this request a packet that was sent before? A READ may begin again in the middle of its PSNs. */
static bool is_again(const struct message *m, const struct picture_sight *s)
{
	if (!m->packets)
		return false;
	return m->own_answer || ((s->psn - m->last_psn - 1) & GLASS_PSN_MASK) > GLASS_PSN_MASK / 2;
}

static void send_request(struct picture_trace *t, struct message *m, const struct picture_sight *s,
			 struct trace_track *k)
{
	bool again = is_again(m, s);

	if (!m->from)
		begin_message(t, m, k, s->ns);
	if (!m->packets)
		describe_message(t, m, s);
	if (!m->ns[AT_SENT])
		m->ns[AT_SENT] = s->ns;
	m->packets += 1 + s->more;
	trace_sent_bytes(&t->out, k, s->len, s->ns);
	if (again) {
		m->tries++;
		note_trouble(t, k, s, "sent again", "retransmission");
		return;
	}
	m->last_psn = (s->psn + s->more) & GLASS_PSN_MASK;
	if (m->counts_bytes)
		m->len += s->len;
	m->whole |= ends_message(s);
}

static void receive_request(struct picture_trace *t, struct message *m, const struct picture_sight *s,
			    struct trace_track *k)
{
	if (!*m->op)
		describe_message(t, m, s);
	m->to = k;
	if (!m->first)
		m->first = s->ns;
	if (s->reason)
		return;
	m->last = s->ns;
	if (!ends_message(s))
		return;
	m->whole = true;
	m->ns[AT_THERE] = s->ns;
	if (m->no_answer && !t->by_moments)
		write_message(t, m, true);
}

/* Returns NULL if there are too many tracks. */
static struct trace_track *track_of(struct picture_trace *t, const struct picture_sight *s)
{
	return trace_track(&t->out, s->dev ? s->dev : "", s->sent ? s->from.qpn : s->to.qpn);
}

static void take_request(struct picture_trace *t, struct message *m, const struct picture_sight *s)
{
	struct trace_track *k = track_of(t, s);

	if (!k) {
		t->out.undrawn++;
		return;
	}
	if (s->sent)
		send_request(t, m, s, k);
	else
		receive_request(t, m, s, k);
}

void picture_trace_packet(struct picture_trace *t, const struct picture_sight *s)
{
	static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
	bool request = glass_opcodes[s->opcode].flags & GLASS_OPF_REQUEST;
	struct message *m = s->flow ? find_message(t, s->flow) : NULL;
	struct trace_track *k = s->node ? NULL : track_of(t, s);

	trace_out_begin(&t->out, s->ns);
	if (k)
		trace_track_owner(k, s->comm, s->pid);
	if (s->reason && k)
		note_trouble(t, k, s, "dropped",
			     s->reason < GLASS_DROP_COUNT ? reasons[s->reason] : "?");
	if (m && s->reason)
		m->dropped++;
	if (s->node || s->again_here || !s->flow)
		return;
	/* a QP that was reset counts its requests anew */
	if (m && m->written && !t->by_moments && request && s->sent && begins(s) && s->psn != m->psn &&
	    !m->own_answer && m->from)
		m = NULL;
	if (!m && !t->by_moments && request && begins(s))
		m = new_message(t, s->flow);
	if (!m || m->written)
		return;
	if (request)
		take_request(t, m, s);
	else
		take_answer(t, m, s);
}

/* ---- moments */

/* The sender's poll ends its message, and earlier ones that have no completion. */
static void end_polled(struct picture_trace *t, struct message *m)
{
	uint32_t slot = m->from ? m->from->oldest : 0;

	while (slot && &t->messages[slot - 1] != m) {
		struct message *earlier = &t->messages[slot - 1];

		slot = earlier->newer;
		if (earlier->ns[AT_CQE])
			break;
		write_message(t, earlier, true);
	}
	/* the receiver has yet to poll: the message waits for that */
	if (!m->recv_cqe || m->recv_polled)
		write_message(t, m, true);
}

static void take_moment(struct picture_trace *t, struct message *m, const struct picture_moment *o)
{
	struct trace_track *k = o->far ? m->to : m->from;

	if (k)
		trace_track_owner(k, o->comm, o->pid);
	if (o->kind == PICTURE_TAKEN)
		m->ns[AT_TAKEN] = o->ns;
	if (o->kind == PICTURE_DONE && o->what)
		snprintf(m->status, sizeof(m->status), "%s", o->what);
	if (o->kind == PICTURE_DONE && !m->ns[AT_ACKED])
		m->ns[AT_ACKED] = o->ns;
	if (o->kind == PICTURE_COMPLETED)
		*(o->far ? &m->recv_cqe : &m->ns[AT_CQE]) = o->ns;
	if (o->kind != PICTURE_POLLED)
		return;
	*(o->far ? &m->recv_polled : &m->ns[AT_POLLED]) = o->ns;
	if (m->ns[AT_POLLED])
		end_polled(t, m);
}

void picture_trace_moment(struct picture_trace *t, const struct picture_moment *o)
{
	struct message *m = o->flow ? find_message(t, o->flow) : NULL;
	bool first = o->kind == PICTURE_POSTED || o->kind == PICTURE_TAKEN;
	struct trace_track *k;

	if (!o->flow || !t->by_moments)
		return;
	trace_out_begin(&t->out, o->ns);
	/* a QP that was reset counts its requests anew */
	if (first && m && m->written)
		m = NULL;
	if (!m && !first)
		return;
	if (!m) {
		k = o->dev && *o->dev ? trace_track(&t->out, o->dev, o->at.qpn) : NULL;
		if (!k) {
			t->out.undrawn++;
			return;
		}
		m = new_message(t, o->flow);
		trace_track_owner(k, o->comm, o->pid);
		m->ns[o->kind == PICTURE_POSTED ? AT_POSTED : AT_TAKEN] = o->ns;
		m->len = o->len;
		m->wr_id = o->wr_id;
		snprintf(m->op, sizeof(m->op), "%s", o->op ? o->op : "?");
		begin_message(t, m, k, o->ns);
	}
	if (!m->written)
		take_moment(t, m, o);
}

/* ---- the end */

void picture_trace_end(struct picture_trace *t, uint64_t lost)
{
	FILE *to = t->out.to;

	for (uint32_t i = 0; i < TRACE_MESSAGES; i++) {
		struct message *m = &t->messages[(t->next + i) % TRACE_MESSAGES];

		if (m->flow)
			write_message(t, m, is_finished(t, m));
	}
	trace_rates_end(&t->out);
	fprintf(to, "\n],\"otherData\":{\"tool\":\"");
	picture_put_json(to, t->tool);
	fprintf(to, "\",\"messages\":%" PRIu64 ",\"unfinished\":%" PRIu64 ",\"not_drawn\":%" PRIu64
		",\"lost_events\":%" PRIu64 ",\"zero_ns\":%" PRIu64 "}}\n",
		t->count, t->unfinished, t->out.undrawn, lost, t->out.base_ns);
	trace_out_free(&t->out);
	free(t);
}
