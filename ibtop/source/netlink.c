// SPDX-License-Identifier: GPL-2.0-only
/*
 * rdma netlink: the kernel core's data about every device. Attributes go straight into rows,
 * without allocations.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <libmnl/libmnl.h>
#include <netinet/in.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ibtop/source/netlink.h"
#include "ibtop/source/source.h"

struct netlink {
	struct mnl_socket *socket;
	unsigned int port_id, seq;
	char buffer[65536];
};

struct netlink *netlink_open(void)
{
	struct netlink *nl = calloc(1, sizeof(*nl));

	if (!nl)
		return NULL;
	nl->socket = mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		netlink_close(nl);
		return NULL;
	}
	nl->port_id = mnl_socket_get_portid(nl->socket);
	return nl;
}

void netlink_close(struct netlink *nl)
{
	if (!nl)
		return;
	if (nl->socket)
		mnl_socket_close(nl->socket);
	free(nl);
}

/* The subject of a request; -1: unset */
struct request {
	int command, dev, port;
	bool dump;
	const char *chardev;
};

/* Sends a request and calls fn for each answer. Returns 0 or -errno. */
static int ask(struct netlink *nl, const struct request *r, mnl_cb_t fn, void *arg)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(nl->buffer);
	unsigned int seq = ++nl->seq;
	ssize_t n;
	int ret;

	h->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, r->command);
	h->nlmsg_flags = NLM_F_REQUEST | (r->dump ? NLM_F_DUMP : NLM_F_ACK);
	h->nlmsg_seq = seq;
	if (r->dev >= 0)
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, r->dev);
	if (r->port >= 0)
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_PORT_INDEX, r->port);
	if (r->chardev)
		mnl_attr_put_strz(h, RDMA_NLDEV_ATTR_CHARDEV_TYPE, r->chardev);
	if (mnl_socket_sendto(nl->socket, h, h->nlmsg_len) < 0)
		return -errno;
	do {
		n = mnl_socket_recvfrom(nl->socket, nl->buffer, sizeof(nl->buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		ret = mnl_cb_run(nl->buffer, n, seq, nl->port_id, fn, arg);
	} while (n < 0 || ret > MNL_CB_STOP);
	return ret < 0 ? -errno : 0;
}

/* ---- attributes: the sender chooses the length, so check it */

/* Reads an attribute of 1, 4 or 8 bytes. Returns false for other lengths. */
static bool attr_u64(const struct nlattr *a, uint64_t *value)
{
	const void *p = mnl_attr_get_payload(a);
	uint64_t v64;
	uint32_t v32;
	uint8_t v8;

	switch (mnl_attr_get_payload_len(a)) {
	case 8:
		memcpy(&v64, p, 8);
		*value = v64;
		return true;
	case 4:
		memcpy(&v32, p, 4);
		*value = v32;
		return true;
	case 1:
		memcpy(&v8, p, 1);
		*value = v8;
		return true;
	default:
		return false;
	}
}

/* Reads a text, which may lack its NUL. Returns false if it does not fit. */
static bool attr_text(const struct nlattr *a, char *text, size_t size)
{
	size_t len = mnl_attr_get_payload_len(a);

	len = strnlen(mnl_attr_get_payload(a), len);
	if (len >= size)
		return false;
	memcpy(text, mnl_attr_get_payload(a), len);
	text[len] = 0;
	printable(text);
	return true;
}

/* Formats a sockaddr_storage as ADDRESS:PORT. */
static bool attr_address(const struct nlattr *a, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	struct sockaddr_storage ss = {};
	size_t len = mnl_attr_get_payload_len(a);

	memcpy(&ss, mnl_attr_get_payload(a), len < sizeof(ss) ? len : sizeof(ss));
	if (ss.ss_family == AF_INET) {
		const struct sockaddr_in *in = (void *)&ss;

		inet_ntop(AF_INET, &in->sin_addr, address, sizeof(address));
		snprintf(text, size, "%s:%u", address, ntohs(in->sin_port));
		return true;
	}
	if (ss.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (void *)&ss;

		inet_ntop(AF_INET6, &in->sin6_addr, address, sizeof(address));
		snprintf(text, size, "[%s]:%u", address, ntohs(in->sin6_port));
		return true;
	}
	return false;
}

/* ---- words of enums, for the values 0 .. n - 1 */

static void put_word(struct row *row, unsigned int column, const char *const *words, size_t n,
		     uint64_t value)
{
	if (value < n && words[value])
		row_word(row, column, words[value]);
}

#define PUT_WORD(row, column, words, value) put_word(row, column, words, ARRAY_LEN(words), value)

static const char *const qp_types[] = { "smi",
					"gsi",
					"rc",
					"uc",
					"ud",
					"raw_ipv6",
					"raw_ethertype",
					[8] = "raw_packet",
					"xrc_ini",
					"xrc_tgt",
					[255] = "driver" };
static const char *const qp_states[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };
static const char *const port_states[] = {
	"nop", "down", "init", "armed", "active", "active_defer"
};
static const char *const node_types[] = { [1] = "ca", "switch",	   "router",	 "rnic",
					  "usnic",    "usnic_udp", "unspecified" };
static const char *const cm_states[] = { "idle",	   "addr_query",     "addr_resolved",
					 "route_query",	   "route_resolved", "connect",
					 "disconnect",	   "addr_bound",     "listen",
					 "device_removal", "destroying" };
static const char *const drivers[] = {
	[RDMA_DRIVER_MLX5] = "mlx5",	 [RDMA_DRIVER_MLX4] = "mlx4",
	[RDMA_DRIVER_CXGB3] = "cxgb3",	 [RDMA_DRIVER_CXGB4] = "cxgb4",
	[RDMA_DRIVER_MTHCA] = "mthca",	 [RDMA_DRIVER_BNXT_RE] = "bnxt_re",
	[RDMA_DRIVER_OCRDMA] = "ocrdma", [RDMA_DRIVER_NES] = "nes",
	[RDMA_DRIVER_IRDMA] = "irdma",	 [RDMA_DRIVER_VMW_PVRDMA] = "vmw_pvrdma",
	[RDMA_DRIVER_QEDR] = "qedr",	 [RDMA_DRIVER_HNS] = "hns",
	[RDMA_DRIVER_USNIC] = "usnic",	 [RDMA_DRIVER_RXE] = "rxe",
	[RDMA_DRIVER_HFI1] = "hfi1",	 [RDMA_DRIVER_QIB] = "qib",
	[RDMA_DRIVER_EFA] = "efa",	 [RDMA_DRIVER_SIW] = "siw",
	[RDMA_DRIVER_ERDMA] = "erdma",
	/* RDMA_DRIVER_MANA, which headers of Linux 6.1 lack */
	[RDMA_DRIVER_ERDMA + 1] = "mana",
};

/* ---- devices */

static int on_device(const struct nlmsghdr *h, void *arg)
{
	struct model *m = arg;
	uint64_t index = UINT32_MAX, ports = 0, guid = 0, type = 0;
	char name[64] = "", fw[64] = "";
	const struct nlattr *a;
	struct device *d;
	int dev;

	mnl_attr_for_each(a, h, 0) {
		switch (mnl_attr_get_type(a)) {
		case RDMA_NLDEV_ATTR_DEV_INDEX:
			attr_u64(a, &index);
			break;
		case RDMA_NLDEV_ATTR_DEV_NAME:
			attr_text(a, name, sizeof(name));
			break;
		case RDMA_NLDEV_ATTR_PORT_INDEX:
			attr_u64(a, &ports);
			break;
		case RDMA_NLDEV_ATTR_FW_VERSION:
			attr_text(a, fw, sizeof(fw));
			break;
		case RDMA_NLDEV_ATTR_NODE_GUID:
			attr_u64(a, &guid);
			break;
		case RDMA_NLDEV_ATTR_DEV_NODE_TYPE:
			attr_u64(a, &type);
			break;
		}
	}
	if (index > INT32_MAX || !*name || !device_wanted(m, name))
		return MNL_CB_OK;
	dev = device_get(m, name);
	if (dev < 0)
		return MNL_CB_OK;
	d = &m->devices[dev];
	if (d->index != (int)index)
		*d->driver = 0;
	d->index = index;
	d->present = true;
	d->sources |= SOURCE_NETLINK;
	d->ports = ports < 256 ? ports : 255;
	d->node_guid = guid;
	d->has_guid = true;
	memcpy(d->fw, fw, sizeof(fw));
	snprintf(d->node_type, sizeof(d->node_type), "%s",
		 type < ARRAY_LEN(node_types) && node_types[type] ? node_types[type] : "");
	return MNL_CB_OK;
}

static int on_chardev(const struct nlmsghdr *h, void *arg)
{
	struct device *d = arg;
	const struct nlattr *a;
	uint64_t id;

	mnl_attr_for_each(a, h, 0)
		if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID && attr_u64(a, &id) &&
		    id < ARRAY_LEN(drivers) && drivers[id])
			strcpy(d->driver, drivers[id]);
	return MNL_CB_OK;
}

bool netlink_devices(struct model *m)
{
	struct request r = { RDMA_NLDEV_CMD_GET, -1, -1, .dump = true };
	int err = ask(m->netlink, &r, on_device, m);
	size_t i;

	if (err) {
		tell(m, SEVERITY_WARNING, NULL,
		     "rdma netlink does not answer: %s; objects are unknown", strerror(-err));
		return false;
	}
	for (i = 0; i < m->num_devices; i++) {
		struct device *d = &m->devices[i];
		struct request c = { RDMA_NLDEV_CMD_GET_CHARDEV, d->index, -1,
				     .chardev = "uverbs" };

		if (d->present && !*d->driver)
			ask(m->netlink, &c, on_chardev, d);
	}
	return true;
}

/* ---- ports */

struct filling {
	struct model *m;
	int dev;
};

static int on_port(const struct nlmsghdr *h, void *arg)
{
	static const struct {
		int attr, column;
	} numbers[] = {
		{ RDMA_NLDEV_ATTR_PORT_INDEX, COL_PORT_port },
		{ RDMA_NLDEV_ATTR_LID, COL_PORT_lid },
		{ RDMA_NLDEV_ATTR_SM_LID, COL_PORT_sm_lid },
		{ RDMA_NLDEV_ATTR_LMC, COL_PORT_lmc },
		{ RDMA_NLDEV_ATTR_PORT_PHYS_STATE, COL_PORT_phys_state },
		{ RDMA_NLDEV_ATTR_SUBNET_PREFIX, COL_PORT_gid_prefix },
		{ RDMA_NLDEV_ATTR_CAP_FLAGS, COL_PORT_cap_mask },
	};
	struct filling *f = arg;
	const struct nlattr *a;
	char netdev[64] = "";
	struct row *row, *glass;
	uint64_t v, port = 0, state = 0;
	bool has_state = false;
	size_t i;

	mnl_attr_for_each(a, h, 0) {
		switch (mnl_attr_get_type(a)) {
		case RDMA_NLDEV_ATTR_PORT_INDEX:
			attr_u64(a, &port);
			break;
		case RDMA_NLDEV_ATTR_NDEV_NAME:
			attr_text(a, netdev, sizeof(netdev));
			break;
		case RDMA_NLDEV_ATTR_PORT_STATE:
			has_state = attr_u64(a, &state);
			break;
		}
	}
	/* debugfs already supplied a row with more data: only add the net device */
	glass = table_find(&f->m->now->tables[VIEW_PORT], f->dev, port, 0, 0);
	if (glass) {
		if (*netdev)
			row_text(f->m, glass, COL_PORT_netdev, netdev);
		else
			row_set_none(glass, COL_PORT_netdev);
		return MNL_CB_OK;
	}
	row = table_add(f->m, VIEW_PORT, f->dev);
	if (!row)
		return MNL_CB_ERROR;
	mnl_attr_for_each(a, h, 0)
		for (i = 0; i < ARRAY_LEN(numbers); i++)
			if (mnl_attr_get_type(a) == numbers[i].attr && attr_u64(a, &v))
				row_num(row, numbers[i].column, v);
	if (has_state)
		PUT_WORD(row, COL_PORT_state, port_states, state);
	if (*netdev)
		row_text(f->m, row, COL_PORT_netdev, netdev);
	else
		row_set_none(row, COL_PORT_netdev);
	if (!row_identify(f->m, row))
		table_drop_last(&f->m->now->tables[VIEW_PORT]);
	return MNL_CB_OK;
}

void netlink_ports(struct model *m, int dev)
{
	struct device *d = &m->devices[dev];
	struct request r = { RDMA_NLDEV_CMD_PORT_GET, d->index, -1, .dump = true };
	struct filling f = { m, dev };
	int err;

	if (!m->netlink || !(d->sources & SOURCE_NETLINK))
		return;
	err = ask(m->netlink, &r, on_port, &f);
	if (err == -ENODEV)
		d->present = false; /* the device was removed meanwhile */
	else if (err)
		device_failed(m, dev, "ports: %s", strerror(-err));
}

/* ---- objects */

/* Maps an attribute to a column of the object's view */
struct object_attr {
	uint16_t attr;
	int16_t column;
};

struct object_kind {
	enum view_id view;
	int command, table, entry;
	const struct object_attr *attrs;
	size_t num_attrs;
	int pid, comm; /* columns */
};

static const struct object_attr qp_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_LQPN, COL_QP_qpn },
	{ RDMA_NLDEV_ATTR_PORT_INDEX, COL_QP_port },
	{ RDMA_NLDEV_ATTR_RES_RQPN, COL_QP_dest_qpn },
	{ RDMA_NLDEV_ATTR_RES_SQ_PSN, COL_QP_sq_psn },
	{ RDMA_NLDEV_ATTR_RES_PDN, COL_QP_pdn },
};

static const struct object_attr cq_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_CQN, COL_CQ_cqn },
	{ RDMA_NLDEV_ATTR_RES_CQE, COL_CQ_max },
	{ RDMA_NLDEV_ATTR_RES_USECNT, COL_CQ_users },
	{ RDMA_NLDEV_ATTR_RES_CTXN, COL_CQ_ctxn },
};

static const struct object_attr mr_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_MRN, COL_MR_mrn },   { RDMA_NLDEV_ATTR_RES_PDN, COL_MR_pdn },
	{ RDMA_NLDEV_ATTR_RES_RKEY, COL_MR_rkey }, { RDMA_NLDEV_ATTR_RES_LKEY, COL_MR_lkey },
	{ RDMA_NLDEV_ATTR_RES_IOVA, COL_MR_iova }, { RDMA_NLDEV_ATTR_RES_MRLEN, COL_MR_len },
};

static const struct object_attr pd_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_PDN, COL_PD_pdn },
	{ RDMA_NLDEV_ATTR_RES_CTXN, COL_PD_ctxn },
};

static const struct object_attr ctx_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_CTXN, COL_UCONTEXT_ctxn },
};

static const struct object_attr srq_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_SRQN, COL_SRQ_srqn },
	{ RDMA_NLDEV_ATTR_RES_PDN, COL_SRQ_pdn },
};

static const struct object_attr cm_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_CM_IDN, COL_CM_ID_cm_idn },
	{ RDMA_NLDEV_ATTR_RES_LQPN, COL_CM_ID_qpn },
	{ RDMA_NLDEV_ATTR_PORT_INDEX, COL_CM_ID_port },
};

#define KIND(VIEW, command, attrs)                                                              \
	{                                                                                       \
		VIEW_##VIEW, RDMA_NLDEV_CMD_RES_##command##_GET, RDMA_NLDEV_ATTR_RES_##command, \
			RDMA_NLDEV_ATTR_RES_##command##_ENTRY, attrs, ARRAY_LEN(attrs),         \
			COL_##VIEW##_pid, COL_##VIEW##_comm                                     \
	}

static const struct object_kind kinds[] = {
	KIND(UCONTEXT, CTX, ctx_attrs), KIND(PD, PD, pd_attrs),	   KIND(MR, MR, mr_attrs),
	KIND(CQ, CQ, cq_attrs),		KIND(SRQ, SRQ, srq_attrs), KIND(QP, QP, qp_attrs),
	KIND(CM_ID, CM_ID, cm_attrs),
};

static const struct object_kind *kind_of(enum view_id view)
{
	size_t i = 0;

	while (kinds[i].view != view)
		i++;
	return &kinds[i];
}

static void type_and_state(struct row *row, const struct nlattr *a, uint64_t v)
{
	bool type = mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_RES_TYPE;

	if (row->view == VIEW_QP && type)
		PUT_WORD(row, COL_QP_qptype, qp_types, v);
	else if (row->view == VIEW_QP)
		PUT_WORD(row, COL_QP_state, qp_states, v);
	else if (row->view == VIEW_CM_ID && type)
		PUT_WORD(row, COL_CM_ID_qptype, qp_types, v);
	else if (row->view == VIEW_CM_ID)
		PUT_WORD(row, COL_CM_ID_cm_state, cm_states, v);
}

static void port_space(struct row *row, uint64_t v)
{
	row_word(row, COL_CM_ID_port_space,
		 v == 0x106   ? "tcp"
		 : v == 0x111 ? "udp"
		 : v == 0x13f ? "ib"
		 : v == 2     ? "ipoib"
			      : "other");
}

static void object_attr(struct model *m, const struct object_kind *k, struct row *row,
			const struct nlattr *a)
{
	int type = mnl_attr_get_type(a);
	char text[128];
	uint64_t v;
	size_t i;

	switch (type) {
	case RDMA_NLDEV_ATTR_RES_KERN_NAME:
		row_num(row, k->pid, 0);
		if (attr_text(a, text, sizeof(text)))
			row_text(m, row, k->comm, text);
		return;
	case RDMA_NLDEV_ATTR_RES_SRC_ADDR:
	case RDMA_NLDEV_ATTR_RES_DST_ADDR:
		if (k->view == VIEW_CM_ID && attr_address(a, text, sizeof(text)))
			row_text(m, row,
				 type == RDMA_NLDEV_ATTR_RES_SRC_ADDR ? COL_CM_ID_src
								      : COL_CM_ID_dst,
				 text);
		return;
	}
	if (!attr_u64(a, &v))
		return;
	switch (type) {
	case RDMA_NLDEV_ATTR_RES_PID:
		row_num(row, k->pid, v);
		return;
	case RDMA_NLDEV_ATTR_RES_TYPE:
	case RDMA_NLDEV_ATTR_RES_STATE:
		type_and_state(row, a, v);
		return;
	case RDMA_NLDEV_ATTR_RES_PS:
		if (k->view == VIEW_CM_ID)
			port_space(row, v);
		return;
	}
	for (i = 0; i < k->num_attrs; i++)
		if (k->attrs[i].attr == type)
			row_num(row, k->attrs[i].column, v);
}

/* Marks values that the kind of object cannot have, so that they are "-" and not "n/a". */
static void object_done(struct object_fill *f, struct row *row)
{
	if (row->view == VIEW_QP && !row_has(row, COL_QP_dest_qpn) && row_has(row, COL_QP_qptype) &&
	    strcmp(row->v[COL_QP_qptype].text, "rc") && strcmp(row->v[COL_QP_qptype].text, "uc"))
		row_set_none(row, COL_QP_dest_qpn);
	if (row->view == VIEW_MR && !row_has(row, COL_MR_lkey))
		f->keys_hidden = true;
	/* objects of the kernel have no context */
	if (row->view == VIEW_PD && row->v[COL_PD_pid].num == 0 && !row_has(row, COL_PD_ctxn))
		row_set_none(row, COL_PD_ctxn);
	if (row->view == VIEW_CQ && row->v[COL_CQ_pid].num == 0 && !row_has(row, COL_CQ_ctxn))
		row_set_none(row, COL_CQ_ctxn);
	if (row->view == VIEW_CM_ID && !row_has(row, COL_CM_ID_qpn))
		row_set_none(row, COL_CM_ID_qpn);
}

int netlink_add_objects(const struct nlmsghdr *h, void *fill)
{
	struct object_fill *f = fill;
	const struct object_kind *k = kind_of(f->view);
	const struct nlattr *table, *entry, *a;
	struct row *row;

	mnl_attr_for_each(table, h, 0) {
		if (mnl_attr_get_type(table) != k->table)
			continue;
		mnl_attr_for_each_nested(entry, table) {
			if (mnl_attr_get_type(entry) != k->entry)
				continue;
			row = table_add(f->m, k->view, f->dev);
			if (!row)
				return MNL_CB_ERROR;
			mnl_attr_for_each_nested(a, entry)
				object_attr(f->m, k, row, a);
			object_done(f, row);
			if (!row_identify(f->m, row))
				table_drop_last(&f->m->now->tables[k->view]);
		}
	}
	return MNL_CB_OK;
}

void netlink_objects(struct model *m, int dev, bool only_cm)
{
	struct device *d = &m->devices[dev];
	bool keys_hidden = false;
	size_t i;

	if (!m->netlink || !(d->sources & SOURCE_NETLINK) || !d->present)
		return;
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		struct request r = { kinds[i].command, d->index, -1, .dump = true };
		struct object_fill f = { m, dev, kinds[i].view, false };
		int err;

		if (only_cm && kinds[i].view != VIEW_CM_ID)
			continue;
		err = ask(m->netlink, &r, netlink_add_objects, &f);
		if (!err)
			m->known |= 1U << kinds[i].view;
		keys_hidden |= f.keys_hidden;
		if (err == -ENODEV) {
			d->present = false;
			return;
		}
		/* kernels before 5.13 list neither contexts nor SRQs */
		if (err == -EINVAL || err == -EOPNOTSUPP)
			tell(m, SEVERITY_NOTE, d->name,
			     "this kernel does not list the objects of view %s",
			     view_get(kinds[i].view)->name);
		else if (err)
			device_failed(m, dev, "%s: %s", view_get(kinds[i].view)->name,
				      strerror(-err));
	}
	if (keys_hidden)
		tell(m, SEVERITY_NOTE, d->name, "only root may see the keys of memory regions");
}

/* ---- hardware counters */

struct counter_call {
	void (*fn)(void *arg, const char *name, uint64_t value);
	void *arg;
	bool any;
};

static int on_counters(const struct nlmsghdr *h, void *arg)
{
	struct counter_call *c = arg;
	const struct nlattr *table, *entry, *a;

	mnl_attr_for_each(table, h, 0) {
		if (mnl_attr_get_type(table) != RDMA_NLDEV_ATTR_STAT_HWCOUNTERS)
			continue;
		mnl_attr_for_each_nested(entry, table) {
			char name[64] = "";
			uint64_t value;
			bool has = false;

			mnl_attr_for_each_nested(a, entry) {
				if (mnl_attr_get_type(a) ==
				    RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME)
					attr_text(a, name, sizeof(name));
				if (mnl_attr_get_type(a) ==
				    RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE)
					has = attr_u64(a, &value);
			}
			if (has && *name) {
				c->any = true;
				c->fn(c->arg, name, value);
			}
		}
	}
	return MNL_CB_OK;
}

bool netlink_counters(struct model *m, int dev, unsigned int port,
		      void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	struct request r = { .command = RDMA_NLDEV_CMD_STAT_GET,
			     .dev = m->devices[dev].index,
			     .port = port };
	struct counter_call c = { fn, arg, false };

	if (!m->netlink || m->devices[dev].index < 0)
		return false;
	return !ask(m->netlink, &r, on_counters, &c) && c.any;
}
