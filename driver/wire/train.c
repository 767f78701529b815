// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Splits a train (one struct glass_pkt for several packets) into its packets. */
#include "wire/opcode.h"
#include "wire/train.h"

/* The BTH operations (only, first, middle, last) of a message that may have several packets. */
#define FAMILY(f, m, l, o) { GLASS_BOP_##o, GLASS_BOP_##f, GLASS_BOP_##m, GLASS_BOP_##l },
#define FAMILY_MANY(f, m, l, o) FAMILY(f, m, l, o)
#define FAMILY_ONE(o)
#define FAMILY_NONE
#define FAMILY_OF(X, E, n, w, v, verb, wc, on, naks, packets, ...) FAMILY_##packets

static const struct family {
	u8 only, first, middle, last;
} families[] = {
	GLASS_WR_TABLE(FAMILY_OF, , )
	FAMILY(READ_RESP_FIRST, READ_RESP_MIDDLE, READ_RESP_LAST, READ_RESP_ONLY)
};

static const struct family *family_of(u8 bop)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct family *f = &families[i];

		if (bop == f->only || bop == f->first || bop == f->middle || bop == f->last)
			return f;
	}
	return NULL;
}

int glass_train_part(const struct glass_pkt *train, u32 i, struct glass_pkt *one)
{
	u8 bop = train->opcode & GLASS_BOP_MASK;
	u32 more = train->more;
	const struct family *f;
	bool first, last;
	u32 mtu;

	if (i > more)
		return -EINVAL;
	*one = *train;
	one->nseg = 0;
	one->seg = NULL;
	one->more = 0;
	if (!more)
		return 0;
	f = family_of(bop);
	if (!f)
		return -EINVAL;
	/* each packet but the last has one MTU of payload, so only one MTU fits train->len */
	for (mtu = 256; mtu <= GLASS_MTU_MAX; mtu *= 2)
		if (train->len > more * mtu && train->len <= (more + 1) * mtu)
			break;
	if (mtu > GLASS_MTU_MAX)
		return -EINVAL;
	first = i == 0 && (bop == f->first || bop == f->only);
	last = i == more && (bop == f->last || bop == f->only);
	one->psn = glass_psn_add(train->psn, i);
	one->len = i < more ? mtu : train->len - more * mtu;
	one->opcode = (train->opcode & GLASS_TR_MASK) |
		      (first ? f->first : last ? f->last : f->middle);
	one->ack_req = train->ack_req && i == more;
	one->se = train->se && last;
	one->pad = glass_pad_bytes(one->len);
	if (one->lnh == GLASS_LNH_GLOBAL)
		one->grh.pay_len = GLASS_BTH_BYTES + glass_opcodes[one->opcode].ext_bytes + one->len + one->pad +
				   GLASS_ICRC_BYTES;
	return 0;
}
