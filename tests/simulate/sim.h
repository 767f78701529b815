/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulation of the pure core: a scenario is plain data, made from a seed or read from a
 * file; one run of it is deterministic. See docs/testing.md, "Simulation".
 */
#ifndef SIM_H
#define SIM_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/net.h"
#include "proto_budget.h"

/* ---- the scenario ---- */

#define S_NODES	    8
#define S_SWITCHES  4
#define S_TRUNKS    8
#define S_CONNS	    8
#define S_MSGS	    256
#define S_FAULTS    1024
#define S_ACTS	    24
#define S_RULES	    4
#define S_RULE_TEXT 96
#define S_GROUPS    2
#define S_TO_GROUP  0x40

struct sc_node {
	u8 used;
	u8 sw; /* the switch that its port is wired to */
	u8 lmc;
};

struct sc_trunk {
	u8 used;
	u8 a, b; /* switches */
};

/* Two queue pairs. XRC: side 0 is the initiator, side 1 the target. */
struct sc_conn {
	u8 used;
	u8 type; /* enum glass_qp_type of side 0 */
	u8 node0, node1;
	u16 mtu;
	u8 timeout, retry_cnt, rnr_retry, min_rnr, rd_atomic;
	u32 psn0, psn1;	 /* first PSN of the requests of each side */
	u8 bits0, bits1; /* path bits of each side */
	u8 srq;		 /* bit i: side i receives from the SRQ of its node */
	u8 grh;
	u8 sq_log;	/* send queue of 1 << sq_log WQEs */
	u16 held;	/* of 1000 packets so many are held out */
	u32 held_ns;	/* for at most so long */
	u8 trains;	/* longest, 1 + trains packets */
	u8 later;	/* ACKs that nobody waits for may come later */
	u16 recv_first; /* receives posted before the first message */
	u32 recv_gap;	/* ns between posts of the others */
	u16 recv_short; /* of 1000 receives so many are shorter than the longest message */
	u8 groups;	/* UD: bit g: side 0 is a member of group g when it begins, bit 4 + g: side 1 */
	u8 alt;		/* both sides load an alternate path: the other path bit */
	u32 dead_at;	/* with alt: ns after the start, the first path carries nothing any more; 0: never */
};

enum sc_bad { SC_GOOD, SC_BAD_RKEY, SC_BAD_LKEY };

struct sc_msg {
	u8 conn, side;
	u8 to;	/* UD: 0 the other side, 1 + QP, S_TO_GROUP + group */
	u8 op;	/* enum glass_wr_op */
	u8 bad; /* enum sc_bad */
	u8 nsge;
	u8 signaled, solicited, fence, inl;
	u8 word; /* atomics */
	u32 len;
	u32 imm;
	u64 at; /* ns after the start: not posted before */
};

enum sc_fault_kind { SC_LOSS, SC_DUP, SC_DELAY, SC_DAMAGE };

/* What happens to the nth transmission of one packet. */
struct sc_fault {
	u8 conn, side; /* who sends it */
	u8 resp;       /* an answer, not a request */
	u8 kind;       /* enum sc_fault_kind */
	u16 nth;       /* from 1 */
	u32 rpsn;      /* its PSN, relative to the first of the requester */
	u32 arg;       /* DELAY: ns */
};

enum sc_act_kind {
	SC_LINK_DOWN,
	SC_LINK_UP,
	SC_QP_ERR,
	SC_QP_FATAL,
	SC_SQD,
	SC_RTS,
	SC_SWEEP,
	SC_RESET,
	SC_DESTROY,
	SC_JOIN,
	SC_LEAVE,
	SC_MIGRATE,
	SC_REARM,
	SC_MOVE, /* a cable between two switches goes elsewhere */
};

struct sc_act {
	u64 at;
	u8 kind; /* enum sc_act_kind */
	u8 what; /* link: node, or S_NODES + trunk; QP: conn * 2 + side; of JOIN and LEAVE also 16 * group;
		  * MOVE: trunk, 8 * a switch, 32 * the other, 128: a slow cable */
};

struct sc_rule {
	u8 node;
	char text[S_RULE_TEXT]; /* a command of driver/rules, blanks written as ';' in files */
};

struct scenario {
	u64 seed;
	u8 bytes;     /* packets cross the fabric as wire bytes */
	u32 latency;  /* ns of a cable */
	u32 sm_step;  /* ns between two MADs of the subnet manager */
	u32 sm_light; /* ns until it sees a change of which no trap told */
	u16 sm_loss;  /* of 1000 SMPs */
	u64 mkey;
	/* of 1000 packets of RC and XRC; of UC and UD only loss and damage */
	u16 loss, dup, delay, damage;
	u32 delay_ns;
	struct sc_node node[S_NODES];
	u8 switches; /* bit i: switch i is there */
	struct sc_trunk trunk[S_TRUNKS];
	struct sc_conn conn[S_CONNS];
	u32 nmsg, nfault, nact, nrule;
	struct sc_msg msg[S_MSGS];
	struct sc_fault fault[S_FAULTS];
	struct sc_act act[S_ACTS];
	struct sc_rule rule[S_RULES];
};

static inline bool sc_rc(const struct sc_conn *c)
{
	return glass_type_is_rc(c->type);
}

static inline bool sc_clean(const struct scenario *sc)
{
	return !sc->nfault && !sc->nact && !sc->nrule && !sc->loss && !sc->dup && !sc->delay &&
	       !sc->damage;
}

/* scenario.c */
void scenario_make(struct scenario *sc, u64 seed);
/* Takes out what refers to things that are not there. */
void scenario_tidy(struct scenario *sc);

/* text.c: a scenario as text, a line an element. scenario_read() returns what is wrong, or NULL. */
void scenario_write(FILE *f, const struct scenario *sc);
const char *scenario_read(FILE *f, struct scenario *sc);

/* ---- one run ---- */

/* What a run tells, in memory that is shared with the parent process. */
struct report {
	bool failed;
	char where[64]; /* file:line of the check */
	char text[400];
	u64 hash;   /* of all packets, in order, with their times */
	u32 nfired; /* random faults that happened */
	struct sc_fault fired[S_FAULTS];
};

extern struct report *report;

/* What all runs did, so that a reader sees that they did something. */
struct sums {
	u64 runs, packets, bytes, trains, naks, held, hops, lost, damaged, dups, delayed, smps, sweeps,
		traps, links, rules_hit, mads_lost;
	u64 wrs, good, failed, flushed, atomics, received, retries, rnr, nak_while_out, late_flush;
	u64 moves, resets, resets_out, too_short, forged, steps, to_groups, copies, migrated;
};

extern struct sums sums;
extern bool sim_trace; /* prints each packet */

__attribute__((noreturn, format(printf, 3, 4))) void sim_failed(const char *file, int line,
								const char *fmt, ...);

#define CHECK(c, ...)                                                \
	do {                                                         \
		if (!(c))                                            \
			sim_failed(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

/* Runs it to its end. Does not return when a check fails. */
void sim_run(const struct scenario *sc);

/* shrink.c: makes *sc smaller as long as it fails at the same place. */
void sim_shrink(struct scenario *sc, u32 max_runs);
/* main.c: runs it in a process of its own. True: it failed; *report says how. */
bool sim_try(const struct scenario *sc);

/* ---- the world: shared by the files of a run ---- */

#define SW_PORTS 16
#define GUARD	 16
#define BLANK	 0xcc /* memory that was not written */
#define USED	 0x5a /* memory that its owner has taken back */

enum {
	K_SRC = 0x100,
	K_RMT = 0x200,
	K_LOC = 0x300,
	K_RCV = 0x400,
	K_ATM = 0x500,
	K_NONE = 0x999,
	K_WR = 0x10000
};

/* A message on its way through its queues */
struct msg {
	const struct sc_msg *m;
	u32 src;  /* in K_SRC; READ: of the peer's node */
	u32 dst;  /* in the peer's K_RMT or, READ and atomics, in K_LOC */
	u32 salt; /* of its pattern */
	u64 operand, cmp;
	u64 posted_at, done_at;
	u64 orig;     /* atomics: what came back */
	u32 executed; /* what has no data: how often */
	bool ended, good;
	bool reclaimed; /* its program took its buffers back by RESET or destroy */
	u32 got; /* datagrams: bit i: QP i has received it */
};

struct side {
	struct pe_ep *ep;
	const struct sc_conn *c;
	struct side *peer;
	struct hca *hca;
	u32 conn, num;	   /* side 0 or 1 */
	u32 id;		   /* conn * 2 + side */
	struct msg **list; /* in the order of the send queue */
	u32 nlist, posted, done;
	bool failed;		/* a send ended in error */
	u32 nconsume, received; /* messages of the peer that take a receive; taken so far */
	struct msg **consume;
	u32 uc_next; /* UC, UD: the peer's first message that may still come */
	bool recv_failed;
	bool out; /* a packet is held out */
	struct pe_tx tx;
	u64 timer_at, post_at;
	bool pull_queued, ack_queued;
	u32 pulls;
	u8 *seen[2]
		[2]; /* transmissions of each PSN, by request or answer, sent or received (rules) */
	/* what the checks remember */
	struct pe_budget budget;
	bool acted;
	bool gone;     /* reset or destroyed: nothing is done with it any more */
	bool dead;     /* destroyed: packets do not find it */
	bool reclaims; /* its memory is the program's when the packet that is out is back */
	/* a rule holds packets: its core's time stands */
	u32 frozen;
	u64 frozen_at;
	u64 hold_until[2]; /* by direction: what comes behind waits, too */
	bool lied;     /* a rule gave it an answer that the peer did not */
	u8 naks;       /* and that was a NAK with one of these codes: 1 << code */
	bool cut_short; /* a receive was too short for a message */
	u8 now_in, ever_in; /* groups */
	u32 next_from[S_CONNS * 2][1 + S_GROUPS]; /* datagrams: of each sender, to it and to each group, the first that may still come */
	bool credit_known;
	u32 credit_limit; /* consuming messages that may have begun */
	u32 begun;	  /* messages whose first packet was seen */
	u32 consumed_begun;
};

/* A receive queue: of a side, or the SRQ of a node */
struct rqueue {
	struct pe_ep *ep;
	struct hca *hca;
	u32 planned, posted;
	u32 base, stride; /* buffers in K_RCV of the node */
	u32 first, gap;
	u32 *taken; /* 1 each when it completed */
	u32 *len;
	u16 shorts; /* of 1000 */
	bool closed; /* its QP is gone: nothing is posted any more */
};

struct hca {
	struct glass_node node;
	struct glass_port ports[2];
	struct glass_net_node net;
	struct glass_net_end ends[2];
	u32 cable; /* its number */
	struct pe_ep *mem; /* holds the regions and the SRQ of the node */
	struct rqueue srq;
	u32 src_len, rmt_len, loc_len, rcv_len;
	u64 last[2]; /* cable: latest arrival at the switch, at the port */
};

struct swi {
	struct glass_switch *sw;
	struct glass_port ports[SW_PORTS + 1];
	struct glass_net_node net;
	struct glass_net_end ends[SW_PORTS + 1];
	u32 cable[SW_PORTS + 1]; /* the number of the cable at each port; 0: none */
	u64 last[SW_PORTS + 1]; /* latest arrival of what left by that port */
	u32 nports;
	/* packets of data that came in and left by each port, and words that left */
	u64 got[SW_PORTS + 1], gone[SW_PORTS + 1], words[SW_PORTS + 1];
};

/* A packet between two link ends */
struct flight {
	struct glass_pkt pkt;
	struct glass_seg seg[GLASS_PKT_SEGS];
	struct side *from;	  /* NULL: a MAD */
	struct glass_link_end at; /* where it arrives next */
	u32 cable; /* the number of the cable by which it comes there */
	bool held;
	bool damaged;
	bool slow; /* does not keep its place in the order of its cables */
	bool forged; /* by a rule, or it was held by one: rules are not asked about it */
	u8 hops;
	u8 *data;
};

enum ev_kind {
	EV_PULL,
	EV_TIMER,
	EV_POST,
	EV_RECV,
	EV_HOP,
	EV_BACK,
	EV_ACT,
	EV_SM,
	EV_TRAP,
	EV_ACK,
	EV_STEP, /* packets that a rule held go on */
	EV_LATE /* one of them, where it arrived */
};

struct event {
	u64 when, order;
	u8 kind;
	u32 arg;
	void *p;
};

struct world {
	const struct scenario *sc;
	u64 now, order, start;
	struct event *heap;
	u32 nheap, heap_room;
	u32 steps;
	struct hca hca[S_NODES];
	struct swi swi[S_SWITCHES];
	struct side side[S_CONNS * 2];
	struct rqueue rq[S_CONNS * 2];
	struct msg msg[S_MSGS];
	struct msg *index[S_MSGS * 2];
	u32 flights;
	u32 cables; /* that were plugged in so far */
	u64 hash;
	bool link_trouble; /* a route may have changed */
};

extern struct world *w;

/* The time of a side's core */
static inline u64 side_now(const struct side *s)
{
	return s->frozen ? s->frozen_at : w->now;
}

/* A number that depends on the seed and its arguments alone */
u64 sim_hash(u64 a, u64 b, u64 c, u64 d);
void push(u64 when, enum ev_kind kind, u32 arg, void *p);

/* fabric.c: cables, ports and switches */
void fabric_make(void);
void fabric_send(struct flight *f);  /* copied: from the port of its side, by the queue */
void fabric_hop(struct flight *f);   /* it arrives at f->at */
void fabric_carry(struct flight *f); /* held out: all the way at once */
void fabric_link(u32 cable, bool up);
/*
 * Removes the cable of a trunk, and plugs one in between free ports of these switches, if any.
 * slow: it carries packets of 1024 bytes at most.
 */
void fabric_move(u32 trunk, u32 sw_a, u32 sw_b, bool slow);
void fabric_trap(u32 sw);
void fabric_end(void);
struct glass_link_end fabric_peer(struct glass_link_end e);
void trace_pkt(u32 tag, const struct glass_pkt *pkt);
void flight_free(struct flight *f);
struct flight *flight_copy(const struct flight *f);

/* sm.c: the subnet manager, at the port of node 0 */
void sm_bring_up(void);
void sm_event(bool start);
void sm_notice(bool trap);
/*
 * A cable goes elsewhere: gives up what is planned, because the routes of the plan may lead to
 * other nodes now. A LID that one of them got would break what all else relies on.
 */
void sm_cable_moved(void);
void sm_mad_arrived(const struct glass_pkt *pkt);
u16 sm_lid(u32 node);
bool sm_idle(void);

/* rules.c: injection rules at the ports of nodes */
struct verdict {
	bool drop, damage;
	u32 copies; /* more */
	u64 delay;
	u64 hold; /* it waits for a step, that long */
	bool answer; /* instead of being carried it is answered, with this syndrome */
	u8 syndrome;
};

void rules_make(void);
/* A packet that waits for a step, or comes behind one that does, goes on at that time; 0: at once. */
u64 rules_hold(struct side *s, enum glass_dir dir, const struct verdict *v);
void rules_step(struct side *s);
void rules_ask(struct hca *h, struct side *s, enum glass_dir dir, const struct glass_pkt *pkt,
	       struct verdict *v);

#define QPN(id) (0x100 + (id))
#define QKEY 0x1234

/* setup.c: queue pairs, memory, messages */
void program_make(void);
struct pe_cfg cfg_of(struct side *s);
void program_end(void);

/* program.c: the programs that use them */
void program_connect(void);
void program_event(const struct event *e);
void program_deliver(struct hca *h, struct flight *f);

/* A flight of this packet by s, and its payload out of the sender's memory into the flight */
struct flight *flight_new(struct side *s, const struct glass_pkt *pkt);
void flight_own(struct flight *f);
void recv_some(struct rqueue *q, u32 n);
struct glass_av av_to(struct side *s, struct side *to);
/* Its queue pair changed: posts what there is room for, and sees what it is to be called for. */
void program_touch(struct side *s);

/* verbs.c: what programs do to their queue pairs meanwhile */
void verbs_act(struct side *s, const struct sc_act *a);
/* The packet of a QP that was reset or destroyed came back. */
void verbs_reclaim(struct side *s);
void verbs_load_alt(struct side *s);

/* datagram.c: UD with many peers, and groups */
bool datagram_reaches(const struct msg *m, const struct side *from, const struct side *to);
struct glass_av datagram_av(struct side *s, u8 to, u32 *qpn);
void datagram_deliver(struct hca *h, struct flight *f);
void datagram_act(struct side *s, const struct sc_act *a);
bool datagram_wants(u32 node, u32 group);
struct msg *datagram_which(struct side *s, const struct glass_cqe *c, const u8 *at, u32 len);
void datagram_end(struct side *s);

/* check.c */
/* Has nothing changed in the fabric that may carry packets another way? */
bool check_steady(void);
struct pe_before check_before(struct side *s);
void check_after(struct side *s, struct pe_before b, const struct glass_pkt *rx);
/* The path of any packet that a QP hands out */
void check_path(struct side *s, const struct glass_pkt *pkt);
void check_sent(struct side *s, const struct glass_pkt *pkt);
void check_answer(const struct side *s, const struct glass_pkt *pkt);
void check_complete(struct pe_ep *ep, const struct glass_cqe *c);
void check_end(void);

/* atomic.c */
void check_atomics(void);

static inline u8 pattern(u32 salt, u32 i)
{
	return pe_byte(salt * 2654435761u + i);
}

static inline bool op_consumes(u8 op)
{
	return op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM || op == GLASS_OP_SEND_INV ||
	       op == GLASS_OP_WRITE_IMM;
}

static inline bool op_writes(u8 op)
{
	return op == GLASS_OP_WRITE || op == GLASS_OP_WRITE_IMM || op == GLASS_OP_ATOMIC_WRITE;
}

static inline bool op_atomic(u8 op)
{
	return op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD;
}

static inline bool op_reads(u8 op)
{
	return op == GLASS_OP_READ || op_atomic(op);
}

/* Does more than an ACK answer it? */
static inline bool op_answered(u8 op)
{
	return op_reads(op) || op == GLASS_OP_FLUSH || op == GLASS_OP_ATOMIC_WRITE;
}

static inline bool op_local(u8 op)
{
	return op == GLASS_OP_LOCAL_INV || op == GLASS_OP_BIND_MW || op == GLASS_OP_REG_MR;
}

/* Does it send payload from K_SRC? */
static inline bool op_sends(u8 op)
{
	return op_writes(op) || op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM ||
	       op == GLASS_OP_SEND_INV;
}

static inline u8 *mem_at(struct hca *h, u32 key, u32 off)
{
	return pe_mr_find(h->mem, key)->mem + off;
}

#endif
