/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the RDMA core's objects that are read for drivers without trace events of their
 * own. The BTF of the running kernel's modules supplies their offsets. bpf_core_field_exists()
 * guards those that a kernel may lack.
 */
#ifndef GLASS_RDMA_TYPES_BPF_H
#define GLASS_RDMA_TYPES_BPF_H

#include "vmlinux.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ib_device___glass {
	char name[64];
};

struct rdma_restrack_entry___glass {
	__u32 id;
};

struct ib_ucontext___glass {
	struct ib_device___glass *device;
};

struct ib_pd___glass {
	struct ib_device___glass *device;
	struct rdma_restrack_entry___glass res;
};

struct ib_mr___glass {
	struct ib_device___glass *device;
	__u32 lkey;
};

struct ib_cq___glass {
	struct ib_device___glass *device;
	struct rdma_restrack_entry___glass res;
};

struct ib_srq___glass {
	struct ib_device___glass *device;
};

struct ib_ah___glass {
	struct ib_device___glass *device;
};

struct ib_qp___glass {
	struct ib_device___glass *device;
	__u32 qp_num;
};

/* CO-RE matches by kind: these must be enums, too. */
enum ib_event_type___glass { IB_EVENT_NONE___glass };
enum ib_qp_type___glass { IB_QPT_NONE___glass };
enum ib_qp_state___glass { IB_QPS_NONE___glass };

struct ib_event___glass {
	struct ib_device___glass *device;
	union {
		struct ib_cq___glass *cq;
		struct ib_qp___glass *qp;
		__u32 port_num;
	} element;
	enum ib_event_type___glass event;
};

struct ib_cq_init_attr___glass {
	unsigned int cqe;
};

struct ib_qp_cap___glass {
	__u32 max_send_wr, max_recv_wr;
};

struct ib_qp_init_attr___glass {
	struct ib_qp_cap___glass cap;
	enum ib_qp_type___glass qp_type;
};

struct ib_qp_attr___glass {
	enum ib_qp_state___glass qp_state;
};

#pragma clang attribute pop

#endif
