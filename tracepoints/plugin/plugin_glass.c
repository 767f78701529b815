// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plug-in of libtraceevent (trace-cmd report, perf script): prints the events of Glass as a story.
 * If an event has other fields than expected, libtraceevent prints it by its format.
 */
#include "say.h"

static const char *const states[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const wr_ops[] = GLASS_WORDS(GLASS_WR_OPS);
static const char *const wc_ops[256] = GLASS_WORDS(GLASS_WC_OPS);
static const char *const statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const causes[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const events[] = GLASS_WORDS(GLASS_EVENTS);
static const char *const port_states[] = GLASS_WORDS(GLASS_PORT_STATES);
static const char *const actions[] = GLASS_WORDS(GLASS_ACTIONS);
static const char *const kinds[] = GLASS_WORDS(GLASS_KINDS);
static const char *const verbs[] = GLASS_WORDS(GLASS_VERBS);
static const char *const shares[] = GLASS_WORDS(GLASS_SHARES);

/* Prints a word in capitals, with blanks for underscores: "WR FLUSH ERR" for WR_FLUSH_ERR. */
static void big(struct say *y, const char *word)
{
	for (; *word; word++)
		trace_seq_putc(y->s, *word == '_' ? ' ' : toupper((unsigned char)*word));
}

/* Prints "QP 0x14", "CQ 4", "MR 0x1203" or "port 1". */
static void object(struct say *y, number kind, number num)
{
	if (kind == GLASS_KIND_PORT || kind == GLASS_KIND_DEVICE || kind == GLASS_KIND_UCONTEXT)
		trace_seq_puts(y->s, WORD(kinds, kind));
	else
		big(y, WORD(kinds, kind));
	trace_seq_printf(y->s, kind == GLASS_KIND_QP || kind == GLASS_KIND_MR ? " 0x%llx" : " %llu",
			 num);
}

static void qp(struct say *y)
{
	trace_seq_printf(y->s, "%s QP 0x%llx: ", say_text(y, "dev"), say_num(y, "qpn"));
}

static int wr_post(struct say *y)
{
	number flags = say_num(y, "flags");

	qp(y);
	big(y, WORD(wr_ops, say_num(y, "op")));
	trace_seq_printf(y->s, " of %llu bytes posted, wr_id 0x%llx", say_num(y, "len"),
			 say_num(y, "wr_id"));
	if (flags & GLASS_WQE_FENCE)
		trace_seq_puts(y->s, ", fenced");
	if (flags & GLASS_WQE_INLINE)
		trace_seq_puts(y->s, ", inline");
	if (flags & GLASS_WQE_SOLICITED)
		trace_seq_puts(y->s, ", solicited");
	if (!(flags & GLASS_WQE_SIGNALED))
		trace_seq_puts(y->s, ", unsignaled");
	return say_flow(y);
}

static int wr_start(struct say *y)
{
	number psn = say_num(y, "psn"), n = say_num(y, "npsn"), tries = say_num(y, "tries");

	qp(y);
	big(y, WORD(wr_ops, say_num(y, "op")));
	trace_seq_printf(y->s, " wr_id 0x%llx begins", say_num(y, "wr_id"));
	if (tries > 1)
		trace_seq_printf(y->s, " again (time %llu)", tries);
	if (n == 1)
		trace_seq_printf(y->s, ": PSN %llu", psn);
	else
		trace_seq_printf(y->s, ": PSNs %llu to %llu", psn, (psn + n - 1) & GLASS_PSN_MASK);
	return say_flow(y);
}

static int wr_complete(struct say *y)
{
	qp(y);
	big(y, WORD(wr_ops, say_num(y, "op")));
	trace_seq_printf(y->s, " wr_id 0x%llx is done: ", say_num(y, "wr_id"));
	big(y, WORD(statuses, say_num(y, "status")));
	return say_flow(y);
}

static int cqe(struct say *y)
{
	number status = say_num(y, "status"), cause = say_num(y, "cause"), syn = say_num(y, "syndrome");

	trace_seq_printf(y->s, "%s CQ %llu: QP 0x%llx, ", say_text(y, "dev"), say_num(y, "cqn"),
			 say_num(y, "qpn"));
	big(y, WORD(wc_ops, say_num(y, "op")));
	trace_seq_printf(y->s, " wr_id 0x%llx: ", say_num(y, "wr_id"));
	big(y, WORD(statuses, status));
	if (!status)
		trace_seq_printf(y->s, ", %llu bytes", say_num(y, "len"));
	if (cause)
		trace_seq_printf(y->s, ", cause %s", WORD(causes, cause));
	if (syn)
		say_syndrome(y, syn);
	return say_flow(y);
}

static int polled(struct say *y)
{
	trace_seq_printf(y->s, "%s CQ %llu: polled: QP 0x%llx, ", say_text(y, "dev"),
			 say_num(y, "cqn"), say_num(y, "qpn"));
	big(y, WORD(wc_ops, say_num(y, "op")));
	trace_seq_printf(y->s, " wr_id 0x%llx: ", say_num(y, "wr_id"));
	big(y, WORD(statuses, say_num(y, "status")));
	return say_flow(y);
}

static int qp_state(struct say *y)
{
	number cause = say_num(y, "cause");

	qp(y);
	big(y, WORD(states, say_num(y, "from")));
	trace_seq_puts(y->s, " -> ");
	big(y, WORD(states, say_num(y, "to")));
	trace_seq_printf(y->s, ", %s%s", cause == GLASS_CAUSE_VERB ? "as asked for by " : "cause ",
			 cause == GLASS_CAUSE_VERB ? "modify_qp" : WORD(causes, cause));
	return 0;
}

static int qp_retry(struct say *y)
{
	static const char *const whys[] = {
		[GLASS_RETRY_TIMEOUT] = "no answer in time",
		[GLASS_RETRY_NAK_SEQ] = "the peer found a hole",
		[GLASS_RETRY_RNR] = "the peer was not ready",
		[GLASS_RETRY_IMPLIED] = "an answer passed an unanswered one",
	};
	number why = say_num(y, "why"), left = say_num(y, "left");

	qp(y);
	trace_seq_printf(y->s, "goes back to PSN %llu, wr_id 0x%llx: %s; round %llu, ",
			 say_num(y, "psn"), say_num(y, "wr_id"), WORD(whys, why),
			 say_num(y, "round"));
	if (why == GLASS_RETRY_RNR && left == 7)
		trace_seq_puts(y->s, "no limit");
	else
		trace_seq_printf(y->s, "%llu left", left);
	return say_flow(y);
}

static int rnr(struct say *y)
{
	number left = say_num(y, "left");

	qp(y);
	if (say_num(y, "dir") == GLASS_DIR_TX) {
		trace_seq_printf(y->s, "no receive for PSN %llu: the peer shall wait %llu us",
				 say_num(y, "psn"), say_num(y, "wait_ns") / 1000);
	} else {
		trace_seq_printf(y->s, "waits %llu us, the peer has no receive for PSN %llu; round %llu, ",
				 say_num(y, "wait_ns") / 1000, say_num(y, "psn"),
				 say_num(y, "round"));
		if (left == 7)
			trace_seq_puts(y->s, "no limit");
		else
			trace_seq_printf(y->s, "%llu left", left);
	}
	return say_flow(y);
}

static int async(struct say *y)
{
	trace_seq_printf(y->s, "%s: event ", say_text(y, "dev"));
	big(y, WORD(events, say_num(y, "event")));
	trace_seq_puts(y->s, " of ");
	object(y, say_num(y, "kind"), say_num(y, "num"));
	return 0;
}

static int port_state(struct say *y)
{
	trace_seq_printf(y->s, "%s/%llu: port ", say_text(y, "dev"), say_num(y, "port"));
	big(y, WORD(port_states, say_num(y, "from")));
	trace_seq_puts(y->s, " -> ");
	big(y, WORD(port_states, say_num(y, "to")));
	trace_seq_printf(y->s, ", LID %llu, subnet manager at LID %llu", say_num(y, "lid"),
			 say_num(y, "sm_lid"));
	return 0;
}

static int bookmark(struct say *y)
{
	trace_seq_printf(y->s, "======== %s ======== (%s)", say_text(y, "text"), say_text(y, "dev"));
	return 0;
}

static int inject(struct say *y)
{
	trace_seq_printf(y->s, "%s: rule %s fires (number %llu): ", say_text(y, "dev"),
			 say_text(y, "rule"), say_num(y, "seq"));
	big(y, WORD(actions, say_num(y, "action")));
	trace_seq_puts(y->s, " of ");
	object(y, say_num(y, "kind"), say_num(y, "num"));
	return 0;
}

static int share(struct say *y)
{
	trace_seq_printf(y->s, "%s: user %llu wants %llu more of ", say_text(y, "dev"), say_num(y, "uid"),
			 say_num(y, "more"));
	big(y, WORD(shares, say_num(y, "what")));
	trace_seq_printf(y->s, ", has %llu, may have %llu", say_num(y, "used"), say_num(y, "limit"));
	return 0;
}

static int api_enter(struct say *y)
{
	trace_seq_printf(y->s, "%s: %s(%s) on ", say_text(y, "dev"), WORD(verbs, say_num(y, "verb")),
			 say_text(y, "args"));
	object(y, say_num(y, "kind"), say_num(y, "num"));
	return 0;
}

static int api_exit(struct say *y)
{
	s32 ret = (s32)say_num(y, "ret");

	trace_seq_printf(y->s, "%s: %s = %d", say_text(y, "dev"), WORD(verbs, say_num(y, "verb")), ret);
	if (ret < 0)
		trace_seq_printf(y->s, " (%s)", strerror(-ret));
	trace_seq_puts(y->s, ", ");
	object(y, say_num(y, "kind"), say_num(y, "num"));
	return 0;
}

static const struct {
	const char *name;
	int (*tell)(struct say *y);
} tellers[] = {
	{ "glass_api_enter", api_enter },   { "glass_api_exit", api_exit },
	{ "glass_wr_post", wr_post },	    { "glass_wr_start", wr_start },
	{ "glass_wr_complete", wr_complete }, { "glass_pkt_tx", say_pkt_tx },
	{ "glass_pkt_rx", say_pkt_rx },	    { "glass_pkt_drop", say_pkt_drop },
	{ "glass_cqe", cqe },		    { "glass_poll", polled },
	{ "glass_qp_state", qp_state },	    { "glass_qp_retry", qp_retry },
	{ "glass_rnr", rnr },		    { "glass_async", async },
	{ "glass_port_state", port_state }, { "glass_mad", say_mad },
	{ "glass_bookmark", bookmark },	    { "glass_inject", inject },
	{ "glass_share", share },
};

/* context: index of the teller. If the result is not 0, libtraceevent prints by the format. */
static int handle(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		  void *context)
{
	struct trace_seq told;
	struct say y = { .s = &told, .record = record, .event = event };

	trace_seq_init(&told);
	tellers[(uintptr_t)context].tell(&y);
	trace_seq_terminate(&told);
	if (!y.bad)
		trace_seq_puts(s, told.buffer);
	trace_seq_destroy(&told);
	return y.bad;
}

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	uintptr_t i;

	for (i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++)
		tep_register_event_handler(tep, -1, "glass", tellers[i].name, handle, (void *)i);
	return 0;
}

void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	uintptr_t i;

	for (i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++)
		tep_unregister_event_handler(tep, -1, "glass", tellers[i].name, handle, (void *)i);
}
