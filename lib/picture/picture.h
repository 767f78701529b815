/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures of RDMA traffic. A tool reports observations of packets (struct picture_sight) and moments at
 * an end (struct picture_moment) to a book (book.h), to a trace (trace.h), or to both. A book chooses one
 * pair of QPs as a struct picture, which writers (write.h) turn into a diagram.
 */
#ifndef GLASS_LIB_PICTURE_H
#define GLASS_LIB_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PICTURE_DEV 64
#define PICTURE_COMM 16
#define PICTURE_RULE 32
#define PICTURE_NODE 32
#define PICTURE_IP 46 /* INET6_ADDRSTRLEN */

#define PICTURE_ITEMS 200 /* default limit of packets and events in a diagram */
#define PICTURE_ITEMS_MIN 10
#define PICTURE_ITEMS_MAX 2000

#define PICTURE_UNKNOWN UINT32_MAX /* an unknown LID or QPN */

/* The place of a QP in its fabric. A source without LIDs uses any other number that tells ports apart. */
struct picture_address {
	uint32_t lid, qpn;
};

/*
 * One observation of a packet: at its sender, at its receiver, or at a switch between them. Texts may
 * come from hostile programs; writers escape them. NULL: unknown.
 */
struct picture_sight {
	uint64_t ns; /* any clock, the same for all observations */
	uint64_t flow, wr_id; /* of the work request; flow 0: unknown */
	struct picture_address from, to;
	const char *dev; /* the device that saw it */
	const char *comm; /* the process of the QP at this device; pid is valid if comm is not NULL */
	const char *rule; /* the injection rule that fired on it */
	const char *node; /* the switch that saw it; NULL: one of the ends */
	const char *from_ip, *to_ip; /* the ends' addresses, of an Ethernet port; NULL: unknown, or InfiniBand */
	uint32_t pid;
	uint32_t psn, len; /* len: bytes of payload */
	uint32_t more; /* further packets of a train: PSNs psn + 1 to psn + more */
	uint32_t dma_len; /* bytes of the RDMA request, or 0 */
	uint8_t opcode, syndrome; /* of the BTH, and of the AETH */
	uint8_t reason; /* enum glass_drop; 0: not dropped here */
	bool sent; /* seen at its sender, else at its receiver */
	bool again_here; /* a second observation at the same place: only its reason is new */
};

/* X(NAME, word): what an item of a picture is */
#define PICTURE_KINDS(X)          \
	X(PACKET, packet)         \
	X(POSTED, posted)         \
	X(TAKEN, taken)           \
	X(BEGUN, begun)           \
	X(RNR, rnr)               \
	X(TIMER, timer)           \
	X(RETRY, retry)           \
	X(DONE, done)             \
	X(COMPLETED, completed)   \
	X(POLLED, polled)         \
	X(STATE, state)           \
	X(NOTE, note)

#define PICTURE_KIND_E(name, word) PICTURE_##name,
enum picture_kind { PICTURE_KINDS(PICTURE_KIND_E) PICTURE_KIND_COUNT };

/* Something that happened at one end, besides packets */
struct picture_moment {
	enum picture_kind kind;
	uint64_t ns, flow, wr_id;
	/*
	 * A QP of the pair; a LID of PICTURE_UNKNOWN: the QP `at.qpn` of `dev`. far: it happened at the
	 * other end of this pair.
	 */
	struct picture_address at;
	bool far;
	bool bad; /* an error */
	const char *dev, *comm;
	uint32_t pid, psn, len;
	const char *op; /* operation of the request or completion, or NULL */
	const char *what; /* status, reason or text; NULL: none */
};

/* One end of a pair of QPs */
struct picture_end {
	struct picture_address at;
	char dev[PICTURE_DEV]; /* empty: nothing was seen there */
	char comm[PICTURE_COMM]; /* empty: unknown */
	char ip[PICTURE_IP]; /* of an Ethernet port; empty: unknown, or InfiniBand */
	uint32_t pid;
	uint64_t sent, arrived; /* observations of packets at this end */
};

/* A packet or a moment */
struct picture_item {
	uint64_t ns; /* when it was sent; if unknown, when it arrived; when the moment was */
	uint64_t arrived_ns; /* 0: not seen to arrive */
	uint64_t flow, wr_id;
	uint64_t left_packets, left_moments; /* left out before this one */
	uint32_t psn, more, len, dma_len; /* more: as in struct picture_sight */
	uint8_t kind; /* enum picture_kind */
	uint8_t end; /* sender of the packet, or place of the moment: 0 or 1 */
	uint8_t opcode, syndrome;
	uint8_t reason; /* enum glass_drop */
	bool sent; /* seen at its sender */
	bool again; /* a retransmission */
	bool copy; /* arrived more often than it was sent */
	bool bad; /* a drop, a NAK, or an error */
	char rule[PICTURE_RULE + 1];
	char node[PICTURE_NODE + 1]; /* the switch that dropped it */
	char text[64]; /* of a moment: operation and result */
};

/* A pair of QPs: ends[0] is the one that was seen to send first. */
struct picture {
	struct picture_end ends[2];
	struct picture_item *items; /* by time */
	size_t count;
	uint64_t packets, dropped, again, naks, bytes; /* of all packets, also those left out */
	uint64_t left_packets, left_moments; /* left out behind the last item */
	uint64_t lost; /* observations that the source has lost; set by the tool */
	uint64_t zero; /* the time from which rows count; 0: that of the first row; set by the tool */
};

/* ---- label.c: texts for writers. All texts are plain, and are not escaped. */

#define PICTURE_LABEL 200

/* Is the packet an answer: an acknowledgement, data of a READ, the result of an atomic? */
bool picture_is_answer(const struct picture_item *i);
/* Is the packet a NAK, also one for a receiver that is not ready? Any opcode without an AETH is none. */
bool picture_is_nak(uint8_t opcode, uint8_t syndrome);
/* Writes "send_only PSN 5, 1,024 B", or for a moment "completed send: success". */
void picture_label(const struct picture_item *i, char text[PICTURE_LABEL]);
/*
 * Writes the fate of a packet: "dropped: injected (rule lossy)", "sent again"; empty: it arrived, and
 * nothing else is to be said. p tells whether the receiver's end was watched.
 */
void picture_fate(const struct picture *p, const struct picture_item *i, char text[PICTURE_LABEL]);
/* Writes "glass0:0x11", or "LID 3, QP 0x11" or "10.9.0.1, QP 0x11" of an end that was not watched. */
void picture_end_name(const struct picture_end *e, char text[PICTURE_LABEL]);
/* Writes "traffic [812]"; empty: unknown. */
void picture_end_owner(const struct picture_end *e, char text[PICTURE_LABEL]);
/* Writes a number with commas: "1,204". */
void picture_number(uint64_t n, char text[32]);
/* Writes a duration in a unit that suits it: "12.3 us", "268 ms". */
void picture_duration(uint64_t ns, char text[32]);
/* Writes the time of an item, so that times beside each other differ: "268.005 ms", "-12.0 us". */
void picture_time(const struct picture *p, const struct picture_item *i, char text[32]);
/* Writes "1,204 packets left out"; empty: none. */
void picture_left_out(uint64_t packets, uint64_t moments, char text[PICTURE_LABEL]);
/* Writes one line about all packets: "212 packets, 3 dropped, 4 sent again, 1 NAK". */
void picture_summary(const struct picture *p, char text[PICTURE_LABEL]);
/*
 * Returns the time from which on a pause between two items is compressed and labelled: it depends on
 * the usual distance of items. 0: there are fewer than two items.
 */
uint64_t picture_long_pause(const struct picture *p);
/* Is the packet's receiver an end at which packets were seen to arrive? */
bool picture_receiver_watched(const struct picture *p, const struct picture_item *i);

#endif
