/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Link training over a netdev cable: decides from the hellos that arrive (wire/frame.h) who the peer
 * is, and whether the cable is up. No locks, no clock: the owner (link/netcable.c) serialises all
 * calls, and passes the time.
 *
 * Each side chooses a session number at random, and a new one each time that its link has gone
 * down. A hello carries the sender's session, and that of the peer which the sender has heard. So a
 * side that reads its own session in a hello knows that the peer hears it: the cable is up. And a
 * side that reads another session of its peer than before knows that the peer has begun anew.
 */
#ifndef GLASS_FABRIC_TRAINING_H
#define GLASS_FABRIC_TRAINING_H

#include "wire/frame.h"

struct glass_training {
	u64 silence; /* ns: a peer that says nothing for this time is gone */
	u32 session; /* ours */
	u32 old_session[2]; /* ours before, the last one first; 0: none */
	u8 mac[6]; /* our address */
	u8 state; /* enum glass_cable_state */
	u8 trouble; /* enum glass_cable_trouble: the last one that was seen */
	u64 trouble_until; /* ns: the trouble is over if it is not seen again before this time */
	/* The fields below are valid in HEARD and UP. */
	struct glass_hello peer; /* the peer's last hello */
	u8 peer_mac[6];
	u64 heard; /* ns: when that hello arrived */
	u32 echo; /* session in the header of that hello: of the port that the peer hears, or 0 */
	/* The other port that disturbs; valid with the troubles SAME_GUID, VERSION and THIRD. */
	struct glass_hello other;
	u8 other_version;
};

/* The changes that a call has made; several bits may be set. */
#define GLASS_TRAINED_UP BIT(0) /* the cable has come up */
#define GLASS_TRAINED_DOWN BIT(1) /* it was up, and is down; the owner begins a new session */
#define GLASS_TRAINED_PEER BIT(2) /* fields of the peer's hello differ from those before */
#define GLASS_TRAINED_ANSWER BIT(3) /* the peer should hear a hello of ours at once */
#define GLASS_TRAINED_TROUBLE BIT(4) /* a trouble has begun, or is over, or is another one */

/* Begins without carrier. `session` is not 0. */
void glass_training_init(struct glass_training *t, u64 silence, u32 session, const u8 mac[6]);

/* The interface has a carrier now, or has none any more. */
u32 glass_training_carrier(struct glass_training *t, bool carrier);

/*
 * Our link has gone down, or our session shall end for another reason. The peer, if one was heard,
 * is still known, and must answer the new session.
 */
u32 glass_training_restart(struct glass_training *t, u32 session);

/*
 * A hello has arrived from the address `mac`. `echo` is the session in the header of its frame. If
 * the frame is of another version, `version` is that version, and only the fields of `h` up to
 * `desc` are valid. `now` in ns.
 */
u32 glass_training_hello(struct glass_training *t, const struct glass_hello *h, u32 echo,
			 u8 version, const u8 mac[6], u64 now);

/*
 * Is called in place of glass_training_hello() if the node GUID in the hello is that of a node of
 * our own fabric, which is not the sender. The port is no peer: a subnet manager could not tell the
 * two nodes apart.
 */
u32 glass_training_same_guid(struct glass_training *t, const struct glass_hello *h, u64 now);

/* Time has passed: `now` in ns. */
u32 glass_training_tick(struct glass_training *t, u64 now);

/* Sets or ends the trouble SMALL_MTU. */
u32 glass_training_small_mtu(struct glass_training *t, bool small);

/* Is this our session, or one of the two before? A hello of these may still be on its way. */
static inline bool glass_training_own_session(const struct glass_training *t, u32 session)
{
	return session == t->session || session == t->old_session[0] ||
	       session == t->old_session[1];
}

/* The session for the header of a hello of ours: that of the peer, or 0 if there is none. */
static inline u32 glass_training_echo(const struct glass_training *t)
{
	return t->state >= GLASS_CABLE_HEARD ? t->peer.session : 0;
}

#endif
