// SPDX-License-Identifier: GPL-2.0-only
/* Totals of processes, devices, contexts and protection domains, summed over their objects. */
#include <string.h>

#include "ibtop/model/compute.h"

/* For each kind of object: the columns with its owners, and the columns that count it; -1: none */
static const struct {
	enum view_id view;
	int pid, ctxn, pdn, age, created;
	int of_process, of_device, of_ctx, of_pd;
} kinds[] = {
#define NO -1
	{ VIEW_UCONTEXT, COL_UCONTEXT_pid, NO, NO, COL_UCONTEXT_age, COL_UCONTEXT_created,
	  COL_PROCESS_nctx, COL_DEVICE_nctx, NO, NO },
	{ VIEW_PD, COL_PD_pid, COL_PD_ctxn, NO, COL_PD_age, COL_PD_created, COL_PROCESS_npd,
	  COL_DEVICE_npd, COL_UCONTEXT_npd, NO },
	{ VIEW_MR, COL_MR_pid, NO, COL_MR_pdn, COL_MR_age, COL_MR_created, COL_PROCESS_nmr,
	  COL_DEVICE_nmr, COL_UCONTEXT_nmr, COL_PD_nmr },
	{ VIEW_CQ, COL_CQ_pid, COL_CQ_ctxn, NO, COL_CQ_age, COL_CQ_created, COL_PROCESS_ncq,
	  COL_DEVICE_ncq, COL_UCONTEXT_ncq, NO },
	{ VIEW_SRQ, COL_SRQ_pid, COL_SRQ_ctxn, COL_SRQ_pdn, COL_SRQ_age, COL_SRQ_created,
	  COL_PROCESS_nsrq, COL_DEVICE_nsrq, COL_UCONTEXT_nsrq, COL_PD_nsrq },
	{ VIEW_QP, COL_QP_pid, COL_QP_ctxn, COL_QP_pdn, COL_QP_age, COL_QP_created, COL_PROCESS_nqp,
	  COL_DEVICE_nqp, COL_UCONTEXT_nqp, COL_PD_nqp },
	{ VIEW_AH, COL_AH_pid, NO, COL_AH_pdn, COL_AH_age, COL_AH_created, COL_PROCESS_nah,
	  COL_DEVICE_nah, COL_UCONTEXT_nah, COL_PD_nah },
	{ VIEW_MW, COL_MW_pid, NO, COL_MW_pdn, COL_MW_age, COL_MW_created, COL_PROCESS_nmw,
	  COL_DEVICE_nmw, COL_UCONTEXT_nmw, COL_PD_nmw },
	{ VIEW_DM, COL_DM_pid, COL_DM_ctxn, NO, COL_DM_age, COL_DM_created, COL_PROCESS_ndm,
	  COL_DEVICE_ndm, COL_UCONTEXT_ndm, NO },
	{ VIEW_XRCD, COL_XRCD_pid, NO, NO, COL_XRCD_age, COL_XRCD_created, COL_PROCESS_nxrcd,
	  COL_DEVICE_nxrcd, NO, NO },
	{ VIEW_CM_ID, COL_CM_ID_pid, NO, NO, NO, NO, COL_PROCESS_ncm, COL_DEVICE_ncm, NO, NO },
#undef NO
};

/* Kinds that netlink does not list */
static bool only_debugfs(size_t kind)
{
	return kinds[kind].view == VIEW_AH || kinds[kind].view == VIEW_MW ||
	       kinds[kind].view == VIEW_DM || kinds[kind].view == VIEW_XRCD;
}

/* Does a source of this device list this kind of object? */
static bool is_listed(const struct model *m, size_t kind, const struct device *d)
{
	return only_debugfs(kind) ? d->tables && m->known >> kinds[kind].view & 1
				  : d->sources & (SOURCE_NETLINK | SOURCE_DEBUGFS);
}

/* The driver itself counts the objects of a context, except for ibtop's own columns. */
static bool counted_by_driver(const struct device *d, int of_ctx)
{
	return d->tables && of_ctx < COL_UCONTEXT_nmw;
}

static void add_num(struct row *row, unsigned int column, uint64_t n)
{
	row->v[column].num = (row_has(row, column) ? row->v[column].num : 0) + n;
	row_set(row, column);
}

static void add_real(struct row *row, unsigned int column, double x)
{
	row->v[column].real = (row_has(row, column) ? row->v[column].real : 0) + x;
	row_set(row, column);
}

/* A QP's rates add to its process and, if they come from debugfs, to its device. */
static const struct {
	int qp, process, device;
} rates[] = {
#define RATE(name) { COL_QP_##name, COL_PROCESS_##name, COL_DEVICE_##name },
	RATE(tx_msgs_s) RATE(rx_msgs_s) RATE(tx_bytes_s) RATE(rx_bytes_s) RATE(tx_pkts_s)
		RATE(rx_pkts_s) RATE(retries_s) RATE(rnr_s) RATE(drops_s)
};

/* Devices without debugfs: sum the rates of their ports. */
static const struct {
	int port, device;
} port_rates[] = {
#define PORT_RATE(name) { COL_PORT_##name, COL_DEVICE_##name },
	PORT_RATE(tx_bytes_s) PORT_RATE(rx_bytes_s) PORT_RATE(tx_pkts_s) PORT_RATE(rx_pkts_s)
		PORT_RATE(retries_s) PORT_RATE(rnr_s) PORT_RATE(drops_s)
};

/* Adds a device to the process' list of names, up to a limited length. */
static void add_device_name(struct model *m, struct row *process, const char *name)
{
	const char *now = row_has(process, COL_ANY_dev) ? process->v[COL_ANY_dev].text : NULL, *at;
	size_t len = strlen(name);

	if (!now) {
		row_word(process, COL_ANY_dev, name);
		return;
	}
	for (at = now; (at = strstr(at, name)); at += len)
		if ((at == now || at[-1] == ',') && (!at[len] || at[len] == ','))
			return;
	if (strlen(now) < 200)
		row_textf(m, process, COL_ANY_dev, "%s,%s", now, name);
}

/* Starts counts at 0 instead of n/a, for kinds of objects that a source lists. */
static void begin_counts(struct model *m)
{
	struct table *tables = m->now->tables;
	struct table *processes = &tables[VIEW_PROCESS], *devices = &tables[VIEW_DEVICE];
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		bool listed = false;

		for (k = 0; k < devices->count; k++) {
			struct row *d = table_row(devices, k);

			if (is_listed(m, i, &m->devices[d->dev])) {
				row_num(d, kinds[i].of_device, 0);
				listed = true;
			}
		}
		for (k = 0; listed && k < processes->count; k++)
			row_num(table_row(processes, k), kinds[i].of_process, 0);
	}
	for (k = 0; k < tables[VIEW_PD].count; k++) {
		struct row *pd = table_row(&tables[VIEW_PD], k);

		row_num(pd, COL_PD_pinned, 0);
		for (i = 0; i < ARRAY_LEN(kinds); i++)
			if (kinds[i].of_pd >= 0 && !only_debugfs(i) &&
			    !m->devices[pd->dev].tables)
				row_num(pd, kinds[i].of_pd, 0);
	}
	for (k = 0; k < tables[VIEW_UCONTEXT].count; k++) {
		struct row *ctx = table_row(&tables[VIEW_UCONTEXT], k);

		row_num(ctx, COL_UCONTEXT_pinned, 0);
		for (i = 0; i < ARRAY_LEN(kinds); i++)
			if (kinds[i].of_ctx >= 0 && is_listed(m, i, &m->devices[ctx->dev]) &&
			    !counted_by_driver(&m->devices[ctx->dev], kinds[i].of_ctx))
				row_num(ctx, kinds[i].of_ctx, 0);
	}
	for (k = 0; k < devices->count; k++) {
		struct row *d = table_row(devices, k);

		row_num(d, COL_DEVICE_err_qps, 0);
		if (m->devices[d->dev].ports)
			row_num(d, COL_DEVICE_ports_active, 0);
	}
	for (k = 0; k < processes->count; k++) {
		row_num(table_row(processes, k), COL_PROCESS_pinned, 0);
		row_num(table_row(processes, k), COL_PROCESS_err_qps, 0);
	}
}

static void add_qp(struct model *m, struct row *qp, struct row *process, struct row *device)
{
	bool dead = row_has(qp, COL_QP_state) && (!strcmp(qp->v[COL_QP_state].text, "err") ||
						  !strcmp(qp->v[COL_QP_state].text, "sqe"));
	size_t i;

	if (device && dead)
		add_num(device, COL_DEVICE_err_qps, 1);
	if (process && dead)
		add_num(process, COL_PROCESS_err_qps, 1);
	if (process && row_has(qp, COL_QP_waits_for))
		add_num(process, COL_PROCESS_stuck_qps, qp_stuck(qp));
	for (i = 0; i < ARRAY_LEN(rates); i++) {
		if (!row_has(qp, rates[i].qp))
			continue;
		if (process)
			add_real(process, rates[i].process, qp->v[rates[i].qp].real);
		if (device && m->devices[qp->dev].tables)
			add_real(device, rates[i].device, qp->v[rates[i].qp].real);
	}
}

/* Remembers in the process' row its QP that has been stuck longest. */
static void longest_wait(struct row *process, struct row *qp)
{
	if (!qp_stuck(qp) || !row_has(qp, COL_QP_wait))
		return;
	if (process->longest && process->longest->v[COL_QP_idle].num >= qp->v[COL_QP_idle].num)
		return;
	process->longest = qp;
}

static void add_object(struct model *m, size_t kind, struct row *row)
{
	struct table *tables = m->now->tables;
	struct row *process = NULL, *device, *ctx = NULL, *pd = NULL;
	int dev = row->dev;

	device = table_find(&tables[VIEW_DEVICE], dev, 0, 0, 0);
	if (row_has(row, kinds[kind].pid))
		process = table_find(&tables[VIEW_PROCESS], -1, row->v[kinds[kind].pid].num, 0, 0);
	if (kinds[kind].ctxn >= 0 && row_has(row, kinds[kind].ctxn))
		ctx = table_find(&tables[VIEW_UCONTEXT], dev, row->v[kinds[kind].ctxn].num, 0, 0);
	if (kinds[kind].pdn >= 0 && row_has(row, kinds[kind].pdn))
		pd = table_find(&tables[VIEW_PD], dev, row->v[kinds[kind].pdn].num, 0, 0);
	if (device)
		add_num(device, kinds[kind].of_device, 1);
	if (process) {
		add_num(process, kinds[kind].of_process, 1);
		add_device_name(m, process, m->devices[dev].name);
		if (kinds[kind].age >= 0 && row_has(row, kinds[kind].age) &&
		    (!row_has(process, COL_PROCESS_age) ||
		     process->v[COL_PROCESS_age].num < row->v[kinds[kind].age].num))
			row_num(process, COL_PROCESS_age, row->v[kinds[kind].age].num);
	}
	/* netlink gives the PD of MRs, QPs and SRQs, and the context of the PD */
	if (!ctx && pd && row_has(pd, COL_PD_ctxn))
		ctx = table_find(&tables[VIEW_UCONTEXT], dev, pd->v[COL_PD_ctxn].num, 0, 0);
	if (ctx && kinds[kind].of_ctx >= 0 &&
	    !counted_by_driver(&m->devices[dev], kinds[kind].of_ctx))
		add_num(ctx, kinds[kind].of_ctx, 1);
	if (pd && kinds[kind].of_pd >= 0 && !m->devices[dev].tables)
		add_num(pd, kinds[kind].of_pd, 1);
	if (row->view == VIEW_MR && row_has(row, COL_MR_len) &&
	    !(row_has(row, COL_MR_mrkind) && !strcmp(row->v[COL_MR_mrkind].text, "dma"))) {
		uint64_t len = row->v[COL_MR_len].num;

		if (process)
			add_num(process, COL_PROCESS_pinned, len);
		if (pd)
			add_num(pd, COL_PD_pinned, len);
		if (ctx)
			add_num(ctx, COL_UCONTEXT_pinned, len);
	}
	if (row->view == VIEW_QP) {
		add_qp(m, row, process, device);
		if (process)
			longest_wait(process, row);
	}
}

static uint64_t objects_of(const struct row *row, const int *columns, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (row_has(row, columns[i]))
			sum += row->v[columns[i]].num;
	return sum;
}

static void put_grown(struct row *row, int to, const int *columns, size_t n)
{
	int64_t objects = objects_of(row, columns, n);

	if (!row->track)
		return;
	if (!row->before)
		row->track->first = objects;
	row_num(row, to, objects - row->track->first);
}

static void finish_process(struct model *m, struct row *process)
{
	static const int counted[] = { COL_PROCESS_nctx, COL_PROCESS_npd,  COL_PROCESS_nmr,
				       COL_PROCESS_ncq,	 COL_PROCESS_nsrq, COL_PROCESS_nqp,
				       COL_PROCESS_nah,	 COL_PROCESS_nmw,  COL_PROCESS_ndm,
				       COL_PROCESS_nxrcd, COL_PROCESS_ncm };
	const struct row *qp = process->longest;

	put_grown(process, COL_PROCESS_grown, counted, ARRAY_LEN(counted));
	if (qp)
		row_textf(m, process, COL_PROCESS_wait, "%s:0x%x: %s", m->devices[qp->dev].name,
			  (unsigned int)qp->num[0], qp->v[COL_QP_wait].text);
	else if (row_has(process, COL_PROCESS_stuck_qps))
		row_set_none(process, COL_PROCESS_wait);
}

static void add_port(struct model *m, struct row *port)
{
	struct row *device = table_find(&m->now->tables[VIEW_DEVICE], port->dev, 0, 0, 0);
	size_t i;

	if (!device)
		return;
	if (row_has(port, COL_PORT_state) && !strncmp(port->v[COL_PORT_state].text, "active", 6))
		add_num(device, COL_DEVICE_ports_active, 1);
	for (i = 0; i < ARRAY_LEN(port_rates); i++)
		if (!m->devices[port->dev].tables && row_has(port, port_rates[i].port))
			add_real(device, port_rates[i].device, port->v[port_rates[i].port].real);
}

void compute_sums(struct model *m)
{
	static const int counted[] = { COL_UCONTEXT_npd,  COL_UCONTEXT_nmr, COL_UCONTEXT_ncq,
				       COL_UCONTEXT_nsrq, COL_UCONTEXT_nqp, COL_UCONTEXT_nah,
				       COL_UCONTEXT_nmw,  COL_UCONTEXT_ndm };
	struct table *t;
	size_t i, k;

	begin_counts(m);
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		t = &m->now->tables[kinds[i].view];
		for (k = 0; k < t->count; k++)
			add_object(m, i, table_row(t, k));
	}
	t = &m->now->tables[VIEW_PORT];
	for (i = 0; i < t->count; i++)
		add_port(m, table_row(t, i));
	t = &m->now->tables[VIEW_PROCESS];
	for (i = 0; i < t->count; i++)
		finish_process(m, table_row(t, i));
	t = &m->now->tables[VIEW_UCONTEXT];
	for (i = 0; i < t->count; i++)
		put_grown(table_row(t, i), COL_UCONTEXT_grown, counted, ARRAY_LEN(counted));
}
