// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Link training over a netdev cable (training.h). */
#include "fabric/training.h"

void glass_training_init(struct glass_training *t, u64 silence, u32 session, const u8 mac[6])
{
	memset(t, 0, sizeof(*t));
	t->silence = silence;
	t->session = session;
	memcpy(t->mac, mac, sizeof(t->mac));
	t->state = GLASS_CABLE_NO_CARRIER;
}

static u32 training_trouble(struct glass_training *t, u8 trouble, u64 until)
{
	bool changed = t->trouble != trouble;

	t->trouble = trouble;
	t->trouble_until = until;
	return changed ? GLASS_TRAINED_TROUBLE : 0;
}

/* Leaves HEARD or UP for a state without a peer. */
static u32 forget_peer(struct glass_training *t, enum glass_cable_state state)
{
	u32 did = t->state == GLASS_CABLE_UP ? GLASS_TRAINED_DOWN : 0;

	if (t->state >= GLASS_CABLE_HEARD)
		did |= GLASS_TRAINED_PEER;
	if (t->trouble == GLASS_TROUBLE_PEER_DOWN)
		did |= training_trouble(t, GLASS_TROUBLE_NONE, 0);
	t->state = state;
	return did;
}

u32 glass_training_carrier(struct glass_training *t, bool carrier)
{
	if (carrier == (t->state != GLASS_CABLE_NO_CARRIER))
		return 0;
	if (!carrier)
		return forget_peer(t, GLASS_CABLE_NO_CARRIER);
	t->state = GLASS_CABLE_SILENT;
	return GLASS_TRAINED_ANSWER;
}

u32 glass_training_restart(struct glass_training *t, u32 session)
{
	u32 did = GLASS_TRAINED_ANSWER;

	t->old_session[1] = t->old_session[0];
	t->old_session[0] = t->session;
	t->session = session;
	if (t->state == GLASS_CABLE_UP) {
		t->state = GLASS_CABLE_HEARD;
		did |= GLASS_TRAINED_DOWN;
	}
	return did;
}

u32 glass_training_small_mtu(struct glass_training *t, bool small)
{
	if (small)
		return training_trouble(t, GLASS_TROUBLE_SMALL_MTU, ~0ULL);
	return t->trouble == GLASS_TROUBLE_SMALL_MTU ? training_trouble(t, GLASS_TROUBLE_NONE, 0) : 0;
}

/* A disturbance that is not seen again within the time of silence is over. */
static u32 training_disturbed(struct glass_training *t, u8 trouble, u64 now)
{
	if (t->trouble == GLASS_TROUBLE_SMALL_MTU)
		return 0;
	return training_trouble(t, trouble, now + t->silence);
}

static bool hello_differs(const struct glass_hello *a, const struct glass_hello *b)
{
	return a->guid != b->guid || a->port != b->port || a->type != b->type ||
	       a->flags != b->flags || a->mtu != b->mtu || a->width != b->width ||
	       a->speed != b->speed || a->speed_ext != b->speed_ext || strcmp(a->node, b->node) ||
	       strcmp(a->host, b->host) || strcmp(a->desc, b->desc);
}

u32 glass_training_hello(struct glass_training *t, const struct glass_hello *h, u32 echo,
			 u8 version, const u8 mac[6], u64 now)
{
	bool known = t->state >= GLASS_CABLE_HEARD, answers = echo == t->session;
	u32 did = 0;

	if (t->state == GLASS_CABLE_NO_CARRIER)
		return 0;
	if (version != GLASS_FRAME_VERSION) {
		t->other = *h;
		t->other_version = version;
		return training_disturbed(t, GLASS_TROUBLE_VERSION, now);
	}
	/*
	 * Two cables of one host have different sessions, so this hello is one of ours. It may have
	 * been on its way while a new session began, or two at once.
	 */
	if (glass_training_own_session(t, h->session) &&
	    !memcmp(mac, t->mac, sizeof(t->mac)))
		return training_disturbed(t, GLASS_TROUBLE_SELF, now);
	if (known && memcmp(mac, t->peer_mac, sizeof(t->peer_mac))) {
		/*
		 * Another port than the peer: it becomes the peer if it hears us, and the peer does
		 * not. If the peer hears a third one, three or more ports may wait in a circle. If
		 * all of them turned round at once, it would be a circle again: only ports that thus
		 * get a peer with a lower address do.
		 */
		if (!answers || t->echo == t->session ||
		    (t->echo && memcmp(mac, t->peer_mac, sizeof(t->peer_mac)) > 0)) {
			t->other = *h;
			return training_disturbed(t, GLASS_TROUBLE_THIRD, now);
		}
		known = false;
	}
	if (!known || hello_differs(&t->peer, h))
		did |= GLASS_TRAINED_PEER;
	if (t->state == GLASS_CABLE_UP && (h->session != t->peer.session || !answers)) {
		/* the peer has begun anew, or does not hear us any more */
		t->state = GLASS_CABLE_HEARD;
		did |= GLASS_TRAINED_DOWN;
		answers = false;
	}
	if (!known)
		t->state = GLASS_CABLE_HEARD;
	t->peer = *h;
	memcpy(t->peer_mac, mac, sizeof(t->peer_mac));
	t->heard = now;
	t->echo = echo;
	if (!answers)
		did |= GLASS_TRAINED_ANSWER;
	if (!(h->flags & GLASS_HELLO_LINK)) {
		if (t->state == GLASS_CABLE_UP) {
			t->state = GLASS_CABLE_HEARD;
			did |= GLASS_TRAINED_DOWN;
		}
		return did | training_disturbed(t, GLASS_TROUBLE_PEER_DOWN, now);
	}
	if (t->trouble == GLASS_TROUBLE_PEER_DOWN)
		did |= training_trouble(t, GLASS_TROUBLE_NONE, 0);
	if (answers && t->state == GLASS_CABLE_HEARD && t->trouble != GLASS_TROUBLE_SMALL_MTU) {
		t->state = GLASS_CABLE_UP;
		did |= GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER;
	}
	return did;
}

u32 glass_training_same_guid(struct glass_training *t, const struct glass_hello *h, u64 now)
{
	if (t->state == GLASS_CABLE_NO_CARRIER)
		return 0;
	t->other = *h;
	return training_disturbed(t, GLASS_TROUBLE_SAME_GUID, now);
}

u32 glass_training_tick(struct glass_training *t, u64 now)
{
	u32 did = 0;

	if (t->trouble && now >= t->trouble_until)
		did |= training_trouble(t, GLASS_TROUBLE_NONE, 0);
	if (t->state >= GLASS_CABLE_HEARD && now - t->heard >= t->silence)
		did |= forget_peer(t, GLASS_CABLE_SILENT);
	return did;
}
