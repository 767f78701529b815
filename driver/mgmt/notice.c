// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Requests and builds traps to the subnet manager. */
#include "mgmt/notice.h"

#define NOTICE_GENERIC 0x80
#define NOTICE_URGENT 1
#define NOTICE_INFORMATIONAL 4
#define TRAP_TID_HIGH 0x476c7373 /* high half of the TID of traps; MADs of programs have others */

void glass_trap_request(struct glass_node *n, u32 port, u16 number)
{
	n->trap_tid++;
	n->trap_pending = true;
	n->trap_num = number;
	n->trap_port = n->type == GLASS_NODE_SWITCH ? 0 : port;
}

bool glass_trap_build(struct glass_node *n, u8 mad[256], u32 *port)
{
	const struct glass_port *p;
	u8 *nt = mad + GLASS_SMP_DATA;
	u8 *det = nt + GLASS_NT_DETAILS;

	if (!n->trap_pending)
		return false;
	p = glass_node_port(n, n->trap_port);
	if (!p || !p->lid || !p->sm_lid)
		return false;

	memset(mad, 0, GLASS_MAD_BYTES);
	mad[GLASS_MAD_BASE_VERSION] = 1;
	mad[GLASS_MAD_CLASS] = GLASS_MC_SM_LID;
	mad[GLASS_MAD_CLASS_VERSION] = 1;
	mad[GLASS_MAD_METHOD] = GLASS_MM_TRAP;
	put_unaligned_be32(TRAP_TID_HIGH, mad + GLASS_MAD_TID);
	put_unaligned_be32(n->trap_tid, mad + GLASS_MAD_TID + 4);
	put_unaligned_be16(GLASS_SA_NOTICE, mad + GLASS_MAD_ATTR);
	put_unaligned_be64(p->mkey, mad + GLASS_SMP_MKEY);

	put_unaligned_be32(n->type, nt + GLASS_NT_TYPE);
	put_unaligned_be16(n->trap_num, nt + GLASS_NT_NUMBER);
	put_unaligned_be16(p->lid, nt + GLASS_NT_ISSUER_LID);
	switch (n->trap_num) {
	case GLASS_TRAP_LINK_STATE:
		nt[GLASS_NT_TYPE] = NOTICE_GENERIC | NOTICE_URGENT;
		put_unaligned_be16(p->lid, det);
		break;
	case GLASS_TRAP_LOCAL_CHANGE:
		nt[GLASS_NT_TYPE] = NOTICE_GENERIC | NOTICE_INFORMATIONAL;
		put_unaligned_be16(p->lid, det + 2);
		put_unaligned_be32(p->cap_mask, det + 6);
		break;
	default:
		return false;
	}
	*port = p->num;
	return true;
}
