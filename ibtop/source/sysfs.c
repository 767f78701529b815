// SPDX-License-Identifier: GPL-2.0-only
/* sysfs: counters of ports, and facts about devices that netlink lacks. /proc: processes. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/source/source.h"

/* Reads the beginning of a file unchanged. Returns its length or -errno. */
static ssize_t read_beginning(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n >= 0)
		text[n] = 0;
	return n;
}

/* Reads a small file without its newline. Returns its length or -errno. */
static ssize_t read_small(const char *path, char *text, size_t size)
{
	ssize_t n = read_beginning(path, text, size);

	if (n < 0)
		return n;
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text[n] = 0;
	printable(text);
	return n;
}

void sysfs_devices(struct model *m)
{
	struct dirent **entries;
	char path[512];
	int i, n;

	snprintf(path, sizeof(path), "%s/class/infiniband", m->sysfs);
	n = scandir(path, &entries, NULL, versionsort);
	for (i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		int dev = *name == '.' || !device_wanted(m, name) ? -1 : device_get(m, name);

		if (dev >= 0) {
			m->devices[dev].present = true;
			m->devices[dev].sources |= SOURCE_SYSFS;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* ---- ports */

/* counters/ of a port: InfiniBand's PortCounters */
static const struct {
	const char *file;
	int column;
	bool error;
} counters[] = {
	{ "port_xmit_data", COL_PORT_tx_words, false },
	{ "port_rcv_data", COL_PORT_rx_words, false },
	{ "port_xmit_packets", COL_PORT_tx_pkts, false },
	{ "port_rcv_packets", COL_PORT_rx_pkts, false },
	{ "unicast_xmit_packets", COL_PORT_tx_ucast, false },
	{ "unicast_rcv_packets", COL_PORT_rx_ucast, false },
	{ "multicast_xmit_packets", COL_PORT_tx_mcast, false },
	{ "multicast_rcv_packets", COL_PORT_rx_mcast, false },
	{ "link_downed", COL_PORT_link_downed, true },
	{ "link_error_recovery", COL_PORT_link_recovery, true },
	{ "symbol_error", COL_PORT_symbol_errors, true },
	{ "port_rcv_errors", COL_PORT_rcv_errors, true },
	{ "port_rcv_remote_physical_errors", COL_PORT_rcv_remphys, true },
	{ "port_rcv_switch_relay_errors", COL_PORT_rcv_relay, true },
	{ "port_rcv_constraint_errors", COL_PORT_rcv_constraint, true },
	{ "port_xmit_constraint_errors", COL_PORT_xmit_constraint, true },
	{ "port_xmit_discards", COL_PORT_xmit_discards, false },
	{ "port_xmit_wait", COL_PORT_xmit_wait, false },
	{ "local_link_integrity_errors", COL_PORT_local_integrity, true },
	{ "excessive_buffer_overrun_errors", COL_PORT_buffer_overrun, true },
	{ "VL15_dropped", COL_PORT_vl15_dropped, false },
};

/* hardware counters by the drivers' names; several may be summed in one column */
static const struct {
	const char *name;
	int column;
} hw_counters[] = {
	/* glass */
	{ "retries", COL_PORT_retries },
	{ "rnr_rx", COL_PORT_rnr_naks },
	{ "rnr_tx", COL_PORT_rnr_naks },
	{ "drops", COL_PORT_drops },
	/* rxe */
	{ "sent_pkts", COL_PORT_tx_pkts },
	{ "rcvd_pkts", COL_PORT_rx_pkts },
	{ "completer_retry_err", COL_PORT_retries },
	{ "rcvd_rnr_err", COL_PORT_rnr_naks },
	{ "send_rnr_err", COL_PORT_rnr_naks },
	{ "link_downed", COL_PORT_link_downed },
	{ "send_err", COL_PORT_errors },
	/* mlx5 */
	{ "local_ack_timeout_err", COL_PORT_retries },
	{ "packet_seq_err", COL_PORT_retries },
	{ "rnr_nak_retry_err", COL_PORT_rnr_naks },
	{ "out_of_buffer", COL_PORT_drops },
};

struct hw {
	struct row *row;
	uint64_t mine; /* columns that this call filled; others come from another source */
};

static void on_hw_counter(void *arg, const char *name, uint64_t value)
{
	struct hw *hw = arg;
	size_t i;

	for (i = 0; i < ARRAY_LEN(hw_counters); i++) {
		unsigned int column = hw_counters[i].column;

		if (strcmp(hw_counters[i].name, name))
			continue;
		if (!row_has(hw->row, column)) {
			row_num(hw->row, column, value);
			hw->mine |= 1ULL << i;
			continue;
		}
		for (size_t k = 0; k < ARRAY_LEN(hw_counters); k++) {
			if (hw->mine >> k & 1 && hw_counters[k].column == (int)column) {
				hw->row->v[column].num += value;
				break;
			}
		}
	}
}

static void read_counters(struct model *m, struct row *row, const char *base)
{
	uint64_t value, errors = 0;
	bool any = false;
	char path[512], text[64];
	ssize_t n;
	size_t i;

	(void)m;
	for (i = 0; i < ARRAY_LEN(counters); i++) {
		snprintf(path, sizeof(path), "%s/counters/%s", base, counters[i].file);
		n = read_small(path, text, sizeof(text));
		/* the directory is missing: so are the other files */
		if (n == -ENOENT && !i)
			return;
		if (n > 0 && debugfs_number(text, n, &value)) {
			row_num(row, counters[i].column, value);
			if (counters[i].error) {
				errors += value;
				any = true;
			}
		}
	}
	if (any)
		row_num(row, COL_PORT_errors, errors);
}

static void sum_errors(struct row *row)
{
	uint64_t errors = 0;
	bool any = false;
	size_t i;

	for (i = 0; i < ARRAY_LEN(counters); i++) {
		if (counters[i].error && row_has(row, counters[i].column)) {
			errors += row->v[counters[i].column].num;
			any = true;
		}
	}
	if (any)
		row_num(row, COL_PORT_errors, errors);
}

static void fixed_text(struct model *m, struct row *row, unsigned int column, const char *base,
		       const char *file)
{
	char path[512], text[128];

	snprintf(path, sizeof(path), "%s/%s", base, file);
	if (read_small(path, text, sizeof(text)) > 0)
		row_text(m, row, column, text);
}

/* Adds ports of a device that only sysfs knows, in their order. */
static void add_ports(struct model *m, int dev, const char *ports)
{
	struct dirent **entries;
	uint64_t port;
	int i, n;

	n = scandir(ports, &entries, NULL, versionsort);
	for (i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		struct row *row = NULL;

		if (debugfs_number(name, strlen(name), &port) && port && port <= 255)
			row = table_add(m, VIEW_PORT, dev);
		free(entries[i]);
		if (!row)
			continue;
		row_num(row, COL_PORT_port, port);
		row_identify(m, row);
		m->devices[dev].ports = port > m->devices[dev].ports ? port : m->devices[dev].ports;
	}
	if (n >= 0)
		free(entries);
}

void sysfs_ports(struct model *m, int dev)
{
	struct device *d = &m->devices[dev];
	struct table *t = &m->now->tables[VIEW_PORT];
	char base[400];
	size_t i, first;

	for (first = 0; first < t->count && table_row(t, first)->dev != dev; first++)
		;
	snprintf(base, sizeof(base), "%s/class/infiniband/%s/ports", m->sysfs, d->name);
	if (access(base, X_OK))
		return;
	d->sources |= SOURCE_SYSFS;
	if (first == t->count)
		add_ports(m, dev, base);
	for (i = first; i < t->count; i++) {
		struct row *row = table_row(t, i);
		struct hw hw = { row, 0 };

		if (row->dev != dev)
			continue;
		snprintf(base, sizeof(base), "%s/class/infiniband/%s/ports/%u", m->sysfs, d->name,
			 (unsigned int)row->num[0]);
		fixed_text(m, row, COL_PORT_link_layer, base, "link_layer");
		fixed_text(m, row, COL_PORT_link_rate, base, "rate");
		if (d->tables)
			sum_errors(row);
		else
			read_counters(m, row, base);
		if (d->sources & SOURCE_NETLINK)
			netlink_counters(m, dev, row->num[0], on_hw_counter, &hw);
	}
}

/* ---- GIDs */

#define MAX_GIDS 4096 /* entries of a table that are looked at */

/*
 * Fills in what the GID is: InfiniBand and Ethernet share a word of the kernel. At Ethernet, a GID is an
 * IPv6 address, or has an IPv4 address at its end.
 */
static void gid_meaning(struct gid *g, bool ethernet)
{
	struct in6_addr in;
	bool v4;

	if (!strcmp(g->type, "IB/RoCE v1"))
		strcpy(g->type, ethernet ? "RoCE v1" : "IB");
	if (!ethernet || inet_pton(AF_INET6, g->gid, &in) != 1)
		return;
	v4 = IN6_IS_ADDR_V4MAPPED(&in);
	inet_ntop(v4 ? AF_INET : AF_INET6, in.s6_addr + 12 * v4, g->address, sizeof(g->address));
}

bool sysfs_port_gids(const struct model *m, int dev, unsigned int port,
		     void (*fn)(void *arg, const struct gid *gid), void *arg)
{
	char base[400], path[512], text[64];
	unsigned int i;
	bool ethernet;

	snprintf(base, sizeof(base), "%s/class/infiniband/%s/ports/%u", m->sysfs,
		 m->devices[dev].name, port);
	snprintf(path, sizeof(path), "%s/link_layer", base);
	ethernet = read_small(path, text, sizeof(text)) > 0 && !strcmp(text, "Ethernet");
	for (i = 0; i < MAX_GIDS; i++) {
		struct gid g = { .index = i };
		ssize_t n;

		snprintf(path, sizeof(path), "%s/gids/%u", base, i);
		n = read_small(path, g.gid, sizeof(g.gid));
		if (n == -ENOENT)
			return i > 0;
		if (n <= 0 || strspn(g.gid, "0:") == (size_t)n)
			continue;
		snprintf(path, sizeof(path), "%s/gid_attrs/types/%u", base, i);
		if (read_small(path, g.type, sizeof(g.type)) < 0)
			*g.type = 0;
		snprintf(path, sizeof(path), "%s/gid_attrs/ndevs/%u", base, i);
		if (read_small(path, g.netdev, sizeof(g.netdev)) < 0)
			*g.netdev = 0;
		gid_meaning(&g, ethernet);
		fn(arg, &g);
	}
	return true;
}

struct gid_rows {
	struct model *m;
	int dev;
	unsigned int port;
};

static void text_or_none(struct model *m, struct row *row, unsigned int column, const char *text)
{
	if (*text)
		row_text(m, row, column, text);
	else
		row_set_none(row, column);
}

static void add_gid(void *arg, const struct gid *g)
{
	const struct gid_rows *to = arg;
	struct row *row = table_add(to->m, VIEW_GID, to->dev);

	if (!row)
		return;
	row_num(row, COL_GID_port, to->port);
	row_num(row, COL_GID_index, g->index);
	row_text(to->m, row, COL_GID_gid, g->gid);
	if (*g->type)
		row_text(to->m, row, COL_GID_gid_type, g->type);
	text_or_none(to->m, row, COL_GID_address, g->address);
	text_or_none(to->m, row, COL_GID_netdev, g->netdev);
	if (!row_identify(to->m, row))
		table_drop_last(&to->m->now->tables[VIEW_GID]);
}

void sysfs_gids(struct model *m, int dev)
{
	const struct table *ports = &m->now->tables[VIEW_PORT];
	size_t i;

	for (i = 0; i < ports->count; i++) {
		const struct row *port = table_row(ports, i);
		struct gid_rows to = { m, dev, port->num[0] };

		if (port->dev == dev && sysfs_port_gids(m, dev, to.port, add_gid, &to))
			m->known |= 1U << VIEW_GID;
	}
}

/* ---- processes */

/* Columns of pid and comm, for views that have them */
static const struct {
	enum view_id view;
	int pid, comm;
} owners[] = {
	{ VIEW_QP, COL_QP_pid, COL_QP_comm },
	{ VIEW_CQ, COL_CQ_pid, COL_CQ_comm },
	{ VIEW_MR, COL_MR_pid, COL_MR_comm },
	{ VIEW_PD, COL_PD_pid, COL_PD_comm },
	{ VIEW_SRQ, COL_SRQ_pid, COL_SRQ_comm },
	{ VIEW_AH, COL_AH_pid, COL_AH_comm },
	{ VIEW_MW, COL_MW_pid, COL_MW_comm },
	{ VIEW_DM, COL_DM_pid, COL_DM_comm },
	{ VIEW_XRCD, COL_XRCD_pid, COL_XRCD_comm },
	{ VIEW_UCONTEXT, COL_UCONTEXT_pid, COL_UCONTEXT_comm },
	{ VIEW_CM_ID, COL_CM_ID_pid, COL_CM_ID_comm },
};

/* Returns the name of a user. Caches the latest ones, for machines with many users. */
static const char *user_name(unsigned long id)
{
	static struct {
		unsigned long id;
		char name[40];
	} known[16];
	static unsigned int next;
	const struct passwd *pw;
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (*known[i].name && known[i].id == id)
			return known[i].name;
	i = next++ % ARRAY_LEN(known);
	pw = getpwuid(id);
	known[i].id = id;
	if (pw)
		snprintf(known[i].name, sizeof(known[i].name), "%s", pw->pw_name);
	else
		snprintf(known[i].name, sizeof(known[i].name), "%lu", id);
	return known[i].name;
}

/*
 * Reads the value of the line "KEY:<tab>VALUE" of a status file. The kernel escapes newlines in
 * names, so a process cannot forge a line.
 */
static bool status_value(const char *text, const char *key, char *to, size_t size)
{
	size_t len = strlen(key);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, len) || text[len] != ':' || text[len + 1] != '\t')
			continue;
		text += len + 2;
		snprintf(to, size, "%.*s", (int)strcspn(text, "\n"), text);
		return true;
	}
	return false;
}

/* Reads comm and owner of a process from its status file. */
static void add_process(struct model *m, uint64_t pid, const char *comm)
{
	struct row *row = table_add(m, VIEW_PROCESS, -1);
	char path[64], text[1024], value[128];

	if (!row)
		return;
	row_num(row, COL_PROCESS_pid, pid);
	row_identify(m, row);
	if (comm)
		row_text(m, row, COL_PROCESS_comm, comm);
	if (!pid) {
		row_word(row, COL_PROCESS_owner, "root");
		row_word(row, COL_PROCESS_comm, "kernel");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%llu/status", (unsigned long long)pid);
	if (m->replay || read_beginning(path, text, sizeof(text)) <= 0)
		return;
	if (!comm && status_value(text, "Name", value, sizeof(value)))
		row_text(m, row, COL_PROCESS_comm, value);
	if (status_value(text, "Uid", value, sizeof(value)))
		row_text(m, row, COL_PROCESS_owner, user_name(strtoul(value, NULL, 10)));
}

static void name_users(struct model *m)
{
	struct table *t = &m->now->tables[VIEW_SHARE];
	size_t i;

	for (i = 0; i < t->count && !m->replay; i++) {
		struct row *row = table_row(t, i);

		row_text(m, row, COL_SHARE_owner, user_name(row->v[COL_SHARE_uid].num));
	}
}

void proc_fill(struct model *m)
{
	struct table *processes = &m->now->tables[VIEW_PROCESS];
	size_t i, k;

	name_users(m);
	for (i = 0; i < ARRAY_LEN(owners); i++) {
		struct table *t = &m->now->tables[owners[i].view];
		int pid_col = owners[i].pid, comm_col = owners[i].comm;
		const char *comm = NULL;
		uint64_t last = UINT64_MAX;

		for (k = 0; k < t->count; k++) {
			struct row *row = table_row(t, k), *process;
			bool has_comm = row_has(row, comm_col);
			uint64_t pid = row->v[pid_col].num;

			if (!row_has(row, pid_col))
				continue;
			if (pid != last) {
				if (!table_find(processes, -1, pid, 0, 0))
					add_process(m, pid,
						    has_comm ? row->v[comm_col].text : NULL);
				process = table_find(processes, -1, pid, 0, 0);
				comm = process && row_has(process, COL_PROCESS_comm)
					       ? process->v[COL_PROCESS_comm].text
					       : NULL;
				last = pid;
			}
			if (!has_comm && comm)
				row_word(row, comm_col, comm);
		}
	}
}
