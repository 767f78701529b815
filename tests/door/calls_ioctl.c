// SPDX-License-Identifier: GPL-2.0-only
/* Methods of RDMA_VERBS_IOCTL, by their attributes; Glass' own, too (driver/uapi/glass-ioctl.h). */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "door.h"
#include "uapi/glass-ioctl.h"

enum how {
	IN,	/* `bytes` of the argument's value, in line when they fit into 8 */
	OUT,	/* `bytes` of room */
	IDR,	/* a handle */
	NEW,	/* a handle comes back */
	FD_NEW, /* a descriptor comes back */
	STRUCT, /* `bytes` that begin with the value and go on at random */
};

struct attr {
	uint16_t id;
	enum how how;
	uint16_t bytes;
	bool optional;
};

struct method {
	uint16_t object, id;
	enum object makes, kills;
	const struct attr *attrs; /* for the arguments from the third on, one each */
};

/*
 * `spoil`: what is wrong with the attributes. 0: nothing. Else its low digit says what, and the
 * others with which of them.
 */
#define HEAD                                  \
	{ "ctx", K_CONTEXT, 0, 0, 0, 0, 0 },  \
	{                                     \
		"spoil", K_NUM, 0, 0, 0, 0, 0 \
	}

enum { LEFT_OUT = 1, TWICE, LENGTH, FLAGS, UNKNOWN, NULL_DATA, COUNT, DRIVER, SPOILS };

static void fill(uint8_t *blob, const char *name, uint64_t v, size_t bytes)
{
	static const uint32_t caps[] = { 4, 4, 64 }; /* SGEs, bytes in line */

	memset(blob, 0, bytes);
	memcpy(blob, &v, bytes < 8 ? bytes : 8);
	if (!strcmp(name, "cap")) {
		memcpy(blob + 8, caps, sizeof(caps));
	} else if (!strcmp(name, "lkey")) {
		struct ib_uverbs_sge sge = { (uintptr_t)world.memory, 8192, v };

		memcpy(blob, &sge, sizeof(sge));
	} else if (v > 255) {
		for (size_t k = 8; k < bytes; k++)
			blob[k] = mix(v + k) & 1 ? 0 : mix(v - k);
	}
}

static long ioctl_call(const struct row *row, const uint64_t *value)
{
	const struct method *m = row->data;
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[24];
	} cmd = {};
	static uint8_t blob[8192];
	uint64_t spoil = value[1], which = spoil / SPOILS;
	unsigned int ctx = value[0] % CONTEXTS, i, n = 0, made = 0, total = row->nargs - 2;
	struct thing *t;

	for (i = 0; i < total; i++) {
		const struct attr *d = &m->attrs[i];
		const struct arg *a = &row->args[i + 2];
		struct ib_uverbs_attr *at = &cmd.attr[n];
		uint64_t v = arg_resolve(a, ctx, value[i + 2]);
		bool hit = spoil && which % total == i;

		/* ~0 leaves an optional attribute out */
		if ((d->optional && value[i + 2] == ~0ull) || (hit && spoil % SPOILS == LEFT_OUT))
			continue;
		at->attr_id = d->id;
		at->flags = d->optional ? 0 : UVERBS_ATTR_F_MANDATORY;
		at->data = v;
		switch (d->how) {
		case IN:
			at->len = d->bytes;
			break;
		case STRUCT:
			at->len = d->bytes;
			fill(blob, a->name, v, d->bytes);
			if (d->bytes > 8)
				at->data = (uintptr_t)blob;
			break;
		case OUT:
			at->len = d->bytes;
			at->data = (uintptr_t)answer + 512 * i;
			break;
		case NEW:
		case FD_NEW:
			made = n;
			at->data = 0;
			break;
		case IDR:
			break;
		}
		n++;
		if (!hit)
			continue;
		switch (spoil % SPOILS) {
		case TWICE:
			cmd.attr[n++] = *at;
			break;
		case LENGTH:
			at->len += which / total % 64 ? (int)(which / total) : -1;
			break;
		case FLAGS:
			at->flags = which / total;
			break;
		case UNKNOWN:
			at->attr_id = which / total;
			break;
		case NULL_DATA:
			at->data = which / total;
			break;
		}
	}
	cmd.hdr.length = sizeof(cmd.hdr) + n * sizeof(cmd.attr[0]);
	cmd.hdr.num_attrs = n;
	cmd.hdr.object_id = m->object;
	cmd.hdr.method_id = m->id;
	cmd.hdr.driver_id = spoil && spoil % SPOILS == DRIVER ? which : RDMA_DRIVER_UNKNOWN;
	if (spoil && spoil % SPOILS == COUNT)
		cmd.hdr.num_attrs = which;
	if (ioctl(world.fd[ctx], RDMA_VERBS_IOCTL, &cmd))
		return -errno;
	if (m->makes) {
		t = thing_add(m->makes, ctx, cmd.attr[made].data);
		/* what was told besides: the keys of a region, the number of a QP */
		for (i = 0; t && i < total; i++) {
			const char *name = row->args[i + 2].name;
			uint32_t told = *(uint32_t *)(answer + 512 * i);

			if (!strcmp(name, "resp_lkey") || !strcmp(name, "resp_num"))
				t->num = told;
			else if (!strcmp(name, "resp_rkey"))
				t->rkey = told;
			else if (!strcmp(name, "length") || !strcmp(name, "offset"))
				*(name[0] == 'l' ? &t->len : &t->addr) = value[i + 2];
			else if (!strcmp(name, "dm_resp") &&
				 world.noffsets < ARRAY_LEN(world.offsets)) {
				struct glass_dm_resp *r = (void *)(answer + 512 * i);

				world.offsets[world.noffsets] = r->mmap_offset;
				world.lengths[world.noffsets++] = r->mmap_bytes;
			} else if (!strcmp(name, "cq_driver")) {
				ring_map(
					&t->rq, ctx,
					&((struct glass_create_cq_resp *)(answer + 512 * i))->ring);
			} else if (!strcmp(name, "qp_driver")) {
				ring_map(&t->sq, ctx,
					 &((struct glass_create_qp_resp *)(answer + 512 * i))->sq);
				ring_map(&t->rq, ctx,
					 &((struct glass_create_qp_resp *)(answer + 512 * i))->rq);
			} else if (!strcmp(name, "srq_driver")) {
				ring_map(&t->rq, ctx,
					 &((struct glass_create_srq_resp *)(answer + 512 * i))->rq);
			}
		}
	}
	if (m->kills)
		thing_gone(m->kills, ctx, arg_resolve(&row->args[2], ctx, value[2]));
	return 0;
}

/* ---- the methods */

#define H(n, o)                                  \
	{                                        \
		n, K_HANDLE, OBJ_##o, 0, 0, 0, 0 \
	}
#define HO(n, o)                                     \
	{                                            \
		n, K_HANDLE, OBJ_##o, 0, ~0ull, 0, 0 \
	}
#define V(n, d)                         \
	{                               \
		n, K_NUM, 0, 0, d, 0, 0 \
	}
#define FL(n, d)                          \
	{                                 \
		n, K_FLAGS, 0, 0, d, 0, 0 \
	}
#define EN(n, l, d)                      \
	{                                \
		n, K_ENUM, 0, l, d, 0, 0 \
	}
/* attributes: ATTR(id, how), ATTR_OF(id, how, bytes), ATTR_MAY(id, how, bytes) is optional */
#define ATTR(n, h)                \
	{                         \
		.id = n, .how = h \
	}
#define ATTR_OF(n, h, b)                      \
	{                                     \
		.id = n, .how = h, .bytes = b \
	}
#define ATTR_MAY(n, h, b)                                       \
	{                                                       \
		.id = n, .how = h, .bytes = b, .optional = true \
	}

/* KILL(word, OBJECT, METHOD, HANDLE attribute, object) */
#define KILL(w, obj, method, attribute, o)                          \
	static const struct arg a_##w[] = { HEAD, H("handle", o) }; \
	static const struct attr t_##w[] = { ATTR(UVERBS_ATTR_##attribute, IDR) };
#define KILL_RESP(w, obj, method, attribute, o)                                           \
	static const struct arg a_##w[] = { HEAD, H("handle", o), V("resp", 0) };         \
	static const struct attr t_##w[] = { ATTR(UVERBS_ATTR_##attribute##_HANDLE, IDR), \
					     ATTR_OF(UVERBS_ATTR_##attribute##_RESP, OUT, 8) };

KILL(pd_destroy, PD, PD_DESTROY, DESTROY_PD_HANDLE, PD)
KILL(mw_destroy, MW, MW_DESTROY, DESTROY_MW_HANDLE, MW)
KILL(mr_destroy, MR, MR_DESTROY, DESTROY_MR_HANDLE, MR)
KILL(xrcd_destroy, XRCD, XRCD_DESTROY, DESTROY_XRCD_HANDLE, XRCD)
KILL(ah_destroy, AH, AH_DESTROY, DESTROY_AH_HANDLE, AH)
KILL(dm_free, DM, DM_FREE, FREE_DM_HANDLE, DM)
KILL_RESP(cq_destroy, CQ, CQ_DESTROY, DESTROY_CQ, CQ)
KILL_RESP(qp_destroy, QP, QP_DESTROY, DESTROY_QP, QP)
KILL_RESP(srq_destroy, SRQ, SRQ_DESTROY, DESTROY_SRQ, SRQ)

static const struct arg a_info[] = { HEAD, EN("object_id", 18, 1), V("total", 0), V("list", 0) };
static const struct attr t_info[] = { ATTR_OF(UVERBS_ATTR_INFO_OBJECT_ID, IN, 8),
				      ATTR_OF(UVERBS_ATTR_INFO_TOTAL_HANDLES, OUT, 4),
				      ATTR_OF(UVERBS_ATTR_INFO_HANDLES_LIST, OUT, 400) };
static const struct arg a_port[] = { HEAD, V("port", 1), V("resp", 0) };
static const struct attr t_port[] = { ATTR_OF(UVERBS_ATTR_QUERY_PORT_PORT_NUM, IN, 8),
				      ATTR_OF(UVERBS_ATTR_QUERY_PORT_RESP, OUT,
					      sizeof(struct ib_uverbs_query_port_resp_ex)) };
static const struct arg a_query_context[] = { HEAD, V("vectors", 0), V("support", 0),
					      V("driver", 0) };
static const struct attr t_query_context[] = {
	ATTR_OF(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, OUT, 4),
	ATTR_OF(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, OUT, 8),
	ATTR_OF(GLASS_ATTR_QUERY_CONTEXT_RESP, OUT, sizeof(struct glass_alloc_ucontext_resp))
};
static const struct arg a_gid_table[] = { HEAD, V("entry_size", sizeof(struct ib_uverbs_gid_entry)),
					  FL("flags", 0), V("entries", 0), V("num", 0) };
static const struct attr t_gid_table[] = { ATTR_OF(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, IN, 8),
					   ATTR_MAY(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, IN, 4),
					   ATTR_OF(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, OUT,
						   10 * sizeof(struct ib_uverbs_gid_entry)),
					   ATTR_OF(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
						   OUT, 8) };
static const struct arg a_gid_entry[] = { HEAD, V("port", 1), V("index", 0), FL("flags", 0),
					  V("entry", 0) };
static const struct attr t_gid_entry[] = { ATTR_OF(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, IN, 8),
					   ATTR_OF(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, IN, 8),
					   ATTR_MAY(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, IN, 4),
					   ATTR_OF(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, OUT,
						   sizeof(struct ib_uverbs_gid_entry)) };
static const struct arg a_dm_alloc[] = { HEAD,
					 V("handle", 0),
					 { "length", K_LEN, 0, 0, 8192, 0, 0 },
					 V("alignment", 0),
					 V("dm_resp", 0) };
static const struct attr t_dm_alloc[] = {
	ATTR(UVERBS_ATTR_ALLOC_DM_HANDLE, NEW), ATTR_OF(UVERBS_ATTR_ALLOC_DM_LENGTH, IN, 8),
	ATTR_OF(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, IN, 4),
	ATTR_OF(GLASS_ATTR_ALLOC_DM_RESP, OUT, sizeof(struct glass_dm_resp))
};
static const struct arg a_dm_reg[] = { HEAD,
				       V("handle", 0),
				       V("offset", 0),
				       { "length", K_LEN, 0, 0, 4096, 0, 0 },
				       H("pd", PD),
				       FL("access", IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE |
							    IBV_ACCESS_REMOTE_WRITE |
							    IBV_ACCESS_REMOTE_READ),
				       H("dm", DM),
				       V("resp_lkey", 0),
				       V("resp_rkey", 0) };
static const struct attr t_dm_reg[] = { ATTR(UVERBS_ATTR_REG_DM_MR_HANDLE, NEW),
					ATTR_OF(UVERBS_ATTR_REG_DM_MR_OFFSET, IN, 8),
					ATTR_OF(UVERBS_ATTR_REG_DM_MR_LENGTH, IN, 8),
					ATTR(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, IDR),
					ATTR_OF(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, IN, 4),
					ATTR(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, IDR),
					ATTR_OF(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, OUT, 4),
					ATTR_OF(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, OUT, 4) };
static const struct arg a_advise[] = {
	HEAD, H("pd", PD), EN("advice", 4, 0), FL("flags", 1), { "lkey", K_LKEY, 0, 0, 0, 0, 0 }
};
static const struct attr t_advise[] = { ATTR(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, IDR),
					ATTR_OF(UVERBS_ATTR_ADVISE_MR_ADVICE, IN, 8),
					ATTR_OF(UVERBS_ATTR_ADVISE_MR_FLAGS, IN, 4),
					ATTR_OF(UVERBS_ATTR_ADVISE_MR_SGE_LIST, STRUCT, 32) };
static const struct arg a_query_mr[] = { HEAD,	       H("handle", MR),	   V("lkey", 0),
					 V("rkey", 0), V("length_out", 0), V("iova", 0) };
static const struct attr t_query_mr[] = { ATTR(UVERBS_ATTR_QUERY_MR_HANDLE, IDR),
					  ATTR_OF(UVERBS_ATTR_QUERY_MR_RESP_LKEY, OUT, 4),
					  ATTR_OF(UVERBS_ATTR_QUERY_MR_RESP_RKEY, OUT, 4),
					  ATTR_OF(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, OUT, 8),
					  ATTR_MAY(UVERBS_ATTR_QUERY_MR_RESP_IOVA, OUT, 8) };
static const struct arg a_dmabuf[] = { HEAD,
				       V("handle", 0),
				       H("pd", PD),
				       V("offset", 0),
				       { "length", K_LEN, 0, 0, 4096, 0, 0 },
				       V("iova", 0),
				       V("fd", 0),
				       FL("access", IBV_ACCESS_LOCAL_WRITE),
				       V("resp_lkey", 0),
				       V("resp_rkey", 0) };
static const struct attr t_dmabuf[] = { ATTR(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, NEW),
					ATTR(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, IDR),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, IN, 8),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, IN, 8),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_IOVA, IN, 8),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_FD, IN, 4),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, IN, 4),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, OUT, 4),
					ATTR_OF(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, OUT, 4) };
static const struct arg a_async[] = { HEAD, V("fd", 0) };
static const struct attr t_async[] = { ATTR(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, FD_NEW) };
static const struct arg a_cq_create[] = { HEAD,
					  V("handle", 0),
					  V("cqe", 64),
					  V("user_handle", 7),
					  HO("channel", CHANNEL),
					  V("vector", 0),
					  FL("flags", ~0ull),
					  V("resp_cqe", 0),
					  HO("event_fd", ASYNC),
					  V("cq_driver", 0) };
static const struct attr t_cq_create[] = { ATTR(UVERBS_ATTR_CREATE_CQ_HANDLE, NEW),
					   ATTR_OF(UVERBS_ATTR_CREATE_CQ_CQE, IN, 4),
					   ATTR_OF(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, IN, 8),
					   ATTR_MAY(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, IDR, 0),
					   ATTR_OF(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, IN, 4),
					   ATTR_MAY(UVERBS_ATTR_CREATE_CQ_FLAGS, IN, 4),
					   ATTR_OF(UVERBS_ATTR_CREATE_CQ_RESP_CQE, OUT, 4),
					   ATTR_MAY(UVERBS_ATTR_CREATE_CQ_EVENT_FD, IDR, 0),
					   ATTR_MAY(UVERBS_ATTR_UHW_OUT, OUT,
						    sizeof(struct glass_create_cq_resp)) };
static const struct arg a_qp_create[] = { HEAD,
					  V("handle", 0),
					  HO("xrcd", XRCD),
					  H("pd", PD),
					  HO("srq", SRQ),
					  H("send_cq", CQ),
					  H("recv_cq", CQ),
					  V("user_handle", 8),
					  V("cap", 16 | 16ull << 32),
					  EN("type", 5, 0),
					  FL("flags", ~0ull),
					  V("source_qpn", ~0ull),
					  HO("event_fd", ASYNC),
					  V("resp_cap", 0),
					  V("resp_num", 0),
					  V("qp_driver", 0) };
static const struct attr t_qp_create[] = {
	ATTR(UVERBS_ATTR_CREATE_QP_HANDLE, NEW),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, IDR, 0),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_PD_HANDLE, IDR, 0),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, IDR, 0),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, IDR, 0),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, IDR, 0),
	ATTR_OF(UVERBS_ATTR_CREATE_QP_USER_HANDLE, IN, 8),
	ATTR_OF(UVERBS_ATTR_CREATE_QP_CAP, STRUCT, sizeof(struct ib_uverbs_qp_cap)),
	ATTR_OF(UVERBS_ATTR_CREATE_QP_TYPE, IN, 8),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_FLAGS, IN, 4),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, IN, 4),
	ATTR_MAY(UVERBS_ATTR_CREATE_QP_EVENT_FD, IDR, 0),
	ATTR_OF(UVERBS_ATTR_CREATE_QP_RESP_CAP, OUT, sizeof(struct ib_uverbs_qp_cap)),
	ATTR_OF(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, OUT, 4),
	ATTR_MAY(UVERBS_ATTR_UHW_OUT, OUT, sizeof(struct glass_create_qp_resp))
};
static const struct arg a_srq_create[] = { HEAD,
					   V("handle", 0),
					   H("pd", PD),
					   HO("xrcd", XRCD),
					   HO("cq", CQ),
					   V("user_handle", 9),
					   V("max_wr", 16),
					   V("max_sge", 4),
					   V("limit", 0),
					   V("max_tags", ~0ull),
					   EN("type", 3, 0),
					   HO("event_fd", ASYNC),
					   V("resp_wr", 0),
					   V("resp_sge", 0),
					   V("resp_num", 0),
					   V("srq_driver", 0) };
static const struct attr t_srq_create[] = { ATTR(UVERBS_ATTR_CREATE_SRQ_HANDLE, NEW),
					    ATTR(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, IDR),
					    ATTR_MAY(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, IDR, 0),
					    ATTR_MAY(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, IDR, 0),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, IN, 8),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_MAX_WR, IN, 4),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, IN, 4),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_LIMIT, IN, 4),
					    ATTR_MAY(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, IN, 4),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_TYPE, IN, 8),
					    ATTR_MAY(UVERBS_ATTR_CREATE_SRQ_EVENT_FD, IDR, 0),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, OUT, 4),
					    ATTR_OF(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, OUT, 4),
					    ATTR_MAY(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, OUT, 4),
					    ATTR_MAY(UVERBS_ATTR_UHW_OUT, OUT,
						     sizeof(struct glass_create_srq_resp)) };
static const struct arg a_wq_create[] = { HEAD,		  V("handle", 0),      H("pd", PD),
					  H("cq", CQ),	  V("user_handle", 1), V("type", 0),
					  V("max_wr", 8), V("max_sge", 1) };
static const struct attr t_wq_create[] = { ATTR(UVERBS_ATTR_CREATE_WQ_HANDLE, NEW),
					   ATTR(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, IDR),
					   ATTR(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, IDR),
					   ATTR_OF(UVERBS_ATTR_CREATE_WQ_USER_HANDLE, IN, 8),
					   ATTR_OF(UVERBS_ATTR_CREATE_WQ_TYPE, IN, 8),
					   ATTR_OF(UVERBS_ATTR_CREATE_WQ_MAX_WR, IN, 4),
					   ATTR_OF(UVERBS_ATTR_CREATE_WQ_MAX_SGE, IN, 4) };
static const struct arg a_counters[] = { HEAD, V("handle", 0) };
static const struct attr t_counters[] = { ATTR(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, NEW) };

/* Glass' own. A report begins with version and kind. */
static const struct arg a_report[] = { HEAD, V("report", GLASS_ABI_VERSION) };
static const struct attr t_report[] = { ATTR_OF(GLASS_ATTR_REPORT_DATA, STRUCT,
						sizeof(struct glass_report)) };
static const struct arg a_pd_query[] = { HEAD, H("pd", PD), V("resp", 0) };
static const struct attr t_pd_query[] = { ATTR(GLASS_ATTR_PD_QUERY_HANDLE, IDR),
					  ATTR_OF(GLASS_ATTR_PD_QUERY_RESP, OUT,
						  sizeof(struct glass_alloc_pd_resp)) };
static const struct arg a_dm_query[] = { HEAD, H("dm", DM), V("resp", 0) };
static const struct attr t_dm_query[] = { ATTR(GLASS_ATTR_DM_QUERY_HANDLE, IDR),
					  ATTR_OF(GLASS_ATTR_DM_QUERY_RESP, OUT,
						  sizeof(struct glass_dm_resp)) };
static const struct arg a_doorbell[] = { HEAD, V("fd", 0) };
static const struct attr t_doorbell[] = { ATTR(GLASS_ATTR_DOORBELL_FD, FD_NEW) };

#define ROW(w, s, obj, meth, mk, kl)                                                       \
	{                                                                                  \
		"ioctl_" w, ioctl_call, a_##s, ARRAY_LEN(a_##s), 0, &(const struct method) \
		{                                                                          \
			obj, meth, OBJ_##mk, OBJ_##kl, t_##s                               \
		}                                                                          \
	}
#define STD(w, s, obj, meth, mk, kl) ROW(w, s, UVERBS_OBJECT_##obj, UVERBS_METHOD_##meth, mk, kl)

const struct row rows_ioctl[] = {
	STD("pd_destroy", pd_destroy, PD, PD_DESTROY, NONE, PD),
	STD("mw_destroy", mw_destroy, MW, MW_DESTROY, NONE, MW),
	STD("mr_destroy", mr_destroy, MR, MR_DESTROY, NONE, MR),
	STD("xrcd_destroy", xrcd_destroy, XRCD, XRCD_DESTROY, NONE, XRCD),
	STD("ah_destroy", ah_destroy, AH, AH_DESTROY, NONE, AH),
	STD("dm_free", dm_free, DM, DM_FREE, NONE, DM),
	STD("cq_destroy", cq_destroy, CQ, CQ_DESTROY, NONE, CQ),
	STD("qp_destroy", qp_destroy, QP, QP_DESTROY, NONE, QP),
	STD("srq_destroy", srq_destroy, SRQ, SRQ_DESTROY, NONE, SRQ),
	STD("info_handles", info, DEVICE, INFO_HANDLES, NONE, NONE),
	STD("query_port", port, DEVICE, QUERY_PORT, NONE, NONE),
	STD("query_context", query_context, DEVICE, QUERY_CONTEXT, NONE, NONE),
	STD("query_gid_table", gid_table, DEVICE, QUERY_GID_TABLE, NONE, NONE),
	STD("query_gid_entry", gid_entry, DEVICE, QUERY_GID_ENTRY, NONE, NONE),
	STD("dm_alloc", dm_alloc, DM, DM_ALLOC, DM, NONE),
	STD("dm_mr_reg", dm_reg, MR, DM_MR_REG, MR, NONE),
	STD("advise_mr", advise, MR, ADVISE_MR, NONE, NONE),
	STD("query_mr", query_mr, MR, QUERY_MR, NONE, NONE),
	STD("reg_dmabuf_mr", dmabuf, MR, REG_DMABUF_MR, MR, NONE),
	STD("async_event_alloc", async, ASYNC_EVENT, ASYNC_EVENT_ALLOC, ASYNC, NONE),
	STD("cq_create", cq_create, CQ, CQ_CREATE, CQ, NONE),
	STD("qp_create", qp_create, QP, QP_CREATE, QP, NONE),
	STD("srq_create", srq_create, SRQ, SRQ_CREATE, SRQ, NONE),
	STD("wq_create", wq_create, WQ, WQ_CREATE, WQ, NONE),
	STD("counters_create", counters, COUNTERS, COUNTERS_CREATE, NONE, NONE),
	ROW("report", report, UVERBS_OBJECT_DEVICE, GLASS_METHOD_REPORT, NONE, NONE),
	ROW("pd_query", pd_query, UVERBS_OBJECT_PD, GLASS_METHOD_PD_QUERY, NONE, NONE),
	ROW("dm_query", dm_query, UVERBS_OBJECT_DM, GLASS_METHOD_DM_QUERY, NONE, NONE),
	ROW("doorbell_alloc", doorbell, GLASS_OBJECT_DOORBELL, GLASS_METHOD_DOORBELL_ALLOC,
	    DOORBELL, NONE),
	{},
};
