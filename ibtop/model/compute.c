// SPDX-License-Identifier: GPL-2.0-only
/* Derives data from two snapshots: identity of objects, rates, fill levels, history, peaks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/compute.h"

/* ---- history: columns whose history is kept */

static const struct {
	enum view_id view;
	int column;
} series[] = {
	{ VIEW_PROCESS, COL_PROCESS_tx_bytes_s },
	{ VIEW_PROCESS, COL_PROCESS_rx_bytes_s },
	{ VIEW_PROCESS, COL_PROCESS_activity },
	{ VIEW_DEVICE, COL_DEVICE_tx_bytes_s },
	{ VIEW_DEVICE, COL_DEVICE_rx_bytes_s },
	{ VIEW_DEVICE, COL_DEVICE_activity },
	{ VIEW_PORT, COL_PORT_tx_bytes_s },
	{ VIEW_PORT, COL_PORT_rx_bytes_s },
	{ VIEW_PORT, COL_PORT_activity },
	{ VIEW_QP, COL_QP_sq_fill },
	{ VIEW_QP, COL_QP_rq_fill },
	{ VIEW_QP, COL_QP_tx_bytes_s },
	{ VIEW_QP, COL_QP_rx_bytes_s },
	{ VIEW_QP, COL_QP_activity },
	{ VIEW_CQ, COL_CQ_fill },
	{ VIEW_CQ, COL_CQ_activity },
	{ VIEW_SRQ, COL_SRQ_fill },
	{ VIEW_SRQ, COL_SRQ_activity },
	{ VIEW_MR, COL_MR_activity },
	{ VIEW_FNODE, COL_FNODE_tx_bytes_s },
	{ VIEW_FNODE, COL_FNODE_rx_bytes_s },
	{ VIEW_FNODE, COL_FNODE_activity },
	{ VIEW_FPORT, COL_FPORT_tx_bytes_s },
	{ VIEW_FPORT, COL_FPORT_rx_bytes_s },
	{ VIEW_FPORT, COL_FPORT_activity },
	{ VIEW_FCABLE, COL_FCABLE_ab_bytes_s },
	{ VIEW_FCABLE, COL_FCABLE_ba_bytes_s },
	{ VIEW_FCABLE, COL_FCABLE_activity },
	{ VIEW_NETCABLE, COL_NETCABLE_tx_bytes_s },
	{ VIEW_NETCABLE, COL_NETCABLE_rx_bytes_s },
	{ VIEW_NETCABLE, COL_NETCABLE_activity },
};

/* Returns the index of a column among those with a history, or -1. */
static int series_of(enum view_id view, unsigned int column)
{
	size_t i;
	int n = 0;

	for (i = 0; i < ARRAY_LEN(series); i++) {
		if (series[i].view != view)
			continue;
		if (series[i].column == (int)column)
			return n;
		n++;
	}
	return -1;
}

/* Returns how many columns of the view have a history. */
static unsigned int series_count(enum view_id view)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(series); i++)
		n += series[i].view == view;
	return n;
}

/* ---- tracks */

static struct track *track_get(struct model *m, enum view_id view)
{
	struct track *t = m->free_tracks[view];
	float *history;

	if (t) {
		m->free_tracks[view] = t->next;
		history = t->history;
		memset(t, 0, sizeof(*t));
		t->spare = history;
	} else {
		t = calloc(1, sizeof(*t));
		if (!t) {
			m->no_memory = true;
			return NULL;
		}
	}
	t->born = m->refreshes;
	t->moved = m->now->mono;
	return t;
}

static void track_put(struct model *m, enum view_id view, struct track *t)
{
	if (!t->history)
		t->history = t->spare;
	t->next = m->free_tracks[view];
	m->free_tracks[view] = t;
}

static void drop(struct model *m, struct snapshot *s, bool all)
{
	unsigned int v;
	size_t i;

	for (v = 0; v < VIEW_COUNT; v++) {
		for (i = 0; i < s->tables[v].count; i++) {
			struct row *row = table_row(&s->tables[v], i);

			if (row->track && (all || row->flags & ROW_GONE)) {
				track_put(m, v, row->track);
				row->track = NULL;
			}
		}
	}
}

void tracks_drop(struct model *m, struct snapshot *s)
{
	drop(m, s, false);
}

void tracks_drop_all(struct model *m, struct snapshot *s)
{
	drop(m, s, true);
}

/*
 * Allocates a history: for each series its peak and HISTORY values. While all are 0, none exists.
 */
static bool track_history(struct model *m, struct track *t, enum view_id view)
{
	unsigned int n = series_count(view), i;

	t->history = t->spare;
	if (!t->history)
		t->history = malloc(n * (HISTORY + 1) * sizeof(float));
	if (!t->history) {
		m->no_memory = true;
		return false;
	}
	for (i = 0; i < n * (HISTORY + 1); i++)
		t->history[i] = 0;
	return true;
}

static float series_value(const struct row *row, unsigned int column)
{
	const union value *v = &row->v[column];

	if (!row_has(row, column))
		return 0;
	if (view_get(row->view)->columns[column].unit == UNIT_fill)
		return v->fill.max ? (float)v->fill.used / v->fill.max : 0;
	return v->real;
}

static void remember(struct model *m, struct row *row)
{
	unsigned int at = m->refreshes % HISTORY;
	float *history;
	size_t i, n;

	if (!row->track)
		return;
	for (i = 0, n = 0; i < ARRAY_LEN(series); i++) {
		float v;

		if (series[i].view != row->view)
			continue;
		v = series_value(row, series[i].column);
		if (v && !row->track->history && !track_history(m, row->track, row->view))
			return;
		history = row->track->history;
		if (history) {
			history[n * (HISTORY + 1) + 1 + at] = v;
			if (v > history[n * (HISTORY + 1)])
				history[n * (HISTORY + 1)] = v;
		}
		n++;
	}
}

size_t row_history(const struct model *m, const struct row *row, const struct column *column,
		   float *values, size_t max)
{
	int s = column->view == row->view
			? series_of(row->view, column->index)
			: series_of(row->view, view_column(row->view, column->name));
	size_t n, i;

	if (s < 0 || !row->track)
		return 0;
	n = m->refreshes - row->track->born;
	/* the first rate follows from the second snapshot */
	n += column->unit == UNIT_fill;
	n = n < HISTORY ? n : HISTORY;
	n = n < max ? n : max;
	for (i = 0; i < n; i++)
		values[i] = row->track->history
				    ? row->track->history[s * (HISTORY + 1) + 1 +
							  (m->refreshes - (n - 1 - i)) % HISTORY]
				    : 0;
	return n;
}

double row_peak(const struct model *m, const struct row *row, const struct column *column)
{
	int s = series_of(row->view, view_column(row->view, column->name));

	(void)m;
	return s >= 0 && row->track && row->track->history ? row->track->history[s * (HISTORY + 1)]
							   : 0;
}

/* ---- the same objects in the previous snapshot */

static void match_table(struct model *m, enum view_id view)
{
	struct table *now = &m->now->tables[view],
		     *before = m->before ? &m->before->tables[view] : NULL;
	size_t i, at = 0;

	/* not read in the previous refresh: then its rows are not new */
	if (is_on_demand(view) && !(m->known_before >> view & 1))
		before = NULL;

	/* assume that all are gone until they are found */
	for (i = 0; before && i < before->count; i++)
		table_row(before, i)->flags |= ROW_GONE;
	for (i = 0; i < now->count; i++) {
		struct row *row = table_row(now, i), *old = NULL;

		if (before) {
			/* fast path: the order is mostly the same */
			if (at < before->count)
				old = table_row(before, at);
			if (!old || old->dev != row->dev || old->num[0] != row->num[0] ||
			    old->num[1] != row->num[1] || old->born != row->born)
				old = table_find(before, row->dev == NO_DEVICE ? -1 : row->dev,
						 row->num[0], row->num[1], row->born);
			if (old && !(old->flags & ROW_GONE))
				old = NULL; /* twice in one table */
		}
		if (old) {
			at = ((char *)old - before->memory) / before->row_size + 1;
			old->flags &= ~(ROW_GONE | ROW_NEW);
			row->before = old;
			row->track = old->track;
		} else {
			row->flags |= before ? ROW_NEW : 0;
			row->track = track_get(m, view);
		}
	}
}

/* ---- rates */

/* Returns the seconds between the row and the previous one; 0 if there is no previous one. */
static double seconds_between(const struct row *row)
{
	return row->before && row->taken > row->before->taken
		       ? (double)(row->taken - row->before->taken) / NS_PER_SEC
		       : 0;
}

/* Computes the rate of a counter per second. Returns false if it is unknown. */
static bool counter_rate(const struct row *row, int column, double dt, double *rate)
{
	if (dt <= 0 || !row_has(row, column) || !row_has(row->before, column) ||
	    row->v[column].num < row->before->v[column].num)
		return false;
	*rate = (row->v[column].num - row->before->v[column].num) / dt;
	return true;
}

static const struct {
	enum view_id view;
	int rate, counter, counter2;
	double factor;
} rates[] = {
	{ VIEW_QP, COL_QP_tx_msgs_s, COL_QP_tx_msgs, -1, 1 },
	{ VIEW_QP, COL_QP_rx_msgs_s, COL_QP_rx_msgs, -1, 1 },
	{ VIEW_QP, COL_QP_tx_bytes_s, COL_QP_tx_bytes, -1, 1 },
	{ VIEW_QP, COL_QP_rx_bytes_s, COL_QP_rx_bytes, -1, 1 },
	{ VIEW_QP, COL_QP_tx_pkts_s, COL_QP_tx_pkts, -1, 1 },
	{ VIEW_QP, COL_QP_rx_pkts_s, COL_QP_rx_pkts, -1, 1 },
	{ VIEW_QP, COL_QP_retries_s, COL_QP_retries, -1, 1 },
	{ VIEW_QP, COL_QP_rnr_s, COL_QP_rnr_rx, COL_QP_rnr_tx, 1 },
	{ VIEW_QP, COL_QP_drops_s, COL_QP_drops, -1, 1 },
	{ VIEW_CQ, COL_CQ_cqes_s, COL_CQ_total, -1, 1 },
	{ VIEW_CQ, COL_CQ_errors_s, COL_CQ_errors, -1, 1 },
	{ VIEW_CQ, COL_CQ_events_s, COL_CQ_events, -1, 1 },
	{ VIEW_SRQ, COL_SRQ_wrs_s, COL_SRQ_total, -1, 1 },
	{ VIEW_MR, COL_MR_reads_s, COL_MR_remote_reads, -1, 1 },
	{ VIEW_MR, COL_MR_writes_s, COL_MR_remote_writes, -1, 1 },
	{ VIEW_MR, COL_MR_atomics_s, COL_MR_atomics, -1, 1 },
	{ VIEW_PORT, COL_PORT_tx_bytes_s, COL_PORT_tx_words, -1, 4 },
	{ VIEW_PORT, COL_PORT_rx_bytes_s, COL_PORT_rx_words, -1, 4 },
	{ VIEW_PORT, COL_PORT_tx_pkts_s, COL_PORT_tx_pkts, -1, 1 },
	{ VIEW_PORT, COL_PORT_rx_pkts_s, COL_PORT_rx_pkts, -1, 1 },
	{ VIEW_PORT, COL_PORT_retries_s, COL_PORT_retries, -1, 1 },
	{ VIEW_PORT, COL_PORT_rnr_s, COL_PORT_rnr_naks, -1, 1 },
	{ VIEW_PORT, COL_PORT_drops_s, COL_PORT_drops, -1, 1 },
	{ VIEW_PORT, COL_PORT_errors_s, COL_PORT_errors, -1, 1 },
	{ VIEW_INJECT, COL_INJECT_hits_s, COL_INJECT_hit, -1, 1 },
	{ VIEW_FPORT, COL_FPORT_tx_bytes_s, COL_FPORT_tx_words, -1, 4 },
	{ VIEW_FPORT, COL_FPORT_rx_bytes_s, COL_FPORT_rx_words, -1, 4 },
	{ VIEW_FPORT, COL_FPORT_tx_pkts_s, COL_FPORT_tx_pkts, -1, 1 },
	{ VIEW_FPORT, COL_FPORT_rx_pkts_s, COL_FPORT_rx_pkts, -1, 1 },
	{ VIEW_FPORT, COL_FPORT_errors_s, COL_FPORT_errors, -1, 1 },
	{ VIEW_NETCABLE, COL_NETCABLE_tx_bytes_s, COL_NETCABLE_tx_bytes, -1, 1 },
	{ VIEW_NETCABLE, COL_NETCABLE_rx_bytes_s, COL_NETCABLE_rx_bytes, -1, 1 },
	{ VIEW_NETCABLE, COL_NETCABLE_tx_pkts_s, COL_NETCABLE_tx_packets, -1, 1 },
	{ VIEW_NETCABLE, COL_NETCABLE_rx_pkts_s, COL_NETCABLE_rx_packets, -1, 1 },
	{ VIEW_NETCABLE, COL_NETCABLE_errors_s, COL_NETCABLE_errors, -1, 1 },
};

/* The columns whose sum is a row's activity */
static const struct {
	enum view_id view;
	int activity, columns[3];
} activities[] = {
	{ VIEW_QP, COL_QP_activity, { COL_QP_tx_bytes_s, COL_QP_rx_bytes_s, -1 } },
	{ VIEW_PORT, COL_PORT_activity, { COL_PORT_tx_bytes_s, COL_PORT_rx_bytes_s, -1 } },
	{ VIEW_CQ, COL_CQ_activity, { COL_CQ_cqes_s, -1, -1 } },
	{ VIEW_SRQ, COL_SRQ_activity, { COL_SRQ_wrs_s, -1, -1 } },
	{ VIEW_MR, COL_MR_activity, { COL_MR_reads_s, COL_MR_writes_s, COL_MR_atomics_s } },
	{ VIEW_PROCESS,
	  COL_PROCESS_activity,
	  { COL_PROCESS_tx_bytes_s, COL_PROCESS_rx_bytes_s, -1 } },
	{ VIEW_DEVICE, COL_DEVICE_activity, { COL_DEVICE_tx_bytes_s, COL_DEVICE_rx_bytes_s, -1 } },
	{ VIEW_FNODE, COL_FNODE_activity, { COL_FNODE_tx_bytes_s, COL_FNODE_rx_bytes_s, -1 } },
	{ VIEW_FPORT, COL_FPORT_activity, { COL_FPORT_tx_bytes_s, COL_FPORT_rx_bytes_s, -1 } },
	{ VIEW_FCABLE, COL_FCABLE_activity, { COL_FCABLE_ab_bytes_s, COL_FCABLE_ba_bytes_s, -1 } },
	{ VIEW_NETCABLE, COL_NETCABLE_activity, { COL_NETCABLE_tx_bytes_s, COL_NETCABLE_rx_bytes_s, -1 } },
};

static void row_activity(struct row *row)
{
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(activities); i++) {
		bool any = false;
		double sum = 0;

		if (activities[i].view != row->view)
			continue;
		for (k = 0; k < 3 && activities[i].columns[k] >= 0; k++) {
			if (!row_has(row, activities[i].columns[k]))
				continue;
			sum += row->v[activities[i].columns[k]].real;
			any = true;
		}
		if (any)
			row_real(row, activities[i].activity, sum);
	}
}

static void row_rates(struct row *row)
{
	double dt = seconds_between(row), rate, more;
	size_t i;

	if (dt <= 0)
		return;
	for (i = 0; i < ARRAY_LEN(rates); i++) {
		if (rates[i].view != row->view || !counter_rate(row, rates[i].counter, dt, &rate))
			continue;
		if (rates[i].counter2 >= 0 && counter_rate(row, rates[i].counter2, dt, &more))
			rate += more;
		row_real(row, rates[i].rate, rate * rates[i].factor);
	}
	row_activity(row);
}

/* Sets a peak column to the highest value so far. */
static void row_peak_of(struct row *row, int rate, int peak)
{
	const float *history = row->track ? row->track->history : NULL;
	double before = history ? history[series_of(row->view, rate) * (HISTORY + 1)] : 0;

	if (!row_has(row, rate))
		return;
	/* history is in float: rounding must not put the peak below the current rate */
	row_real(row, peak, before > row->v[rate].real ? before : row->v[rate].real);
}

static void row_peaks(struct row *row, int tx, int rx, int tx_peak, int rx_peak)
{
	row_peak_of(row, tx, tx_peak);
	row_peak_of(row, rx, rx_peak);
}

/* Computes activity, history and peaks. Call it after all rates are known. */
static void row_finish(struct model *m, struct row *row)
{
	row_activity(row);
	remember(m, row);
	switch (row->view) {
	case VIEW_QP:
		row_peaks(row, COL_QP_tx_bytes_s, COL_QP_rx_bytes_s, COL_QP_tx_peak,
			  COL_QP_rx_peak);
		break;
	case VIEW_PORT:
		row_peaks(row, COL_PORT_tx_bytes_s, COL_PORT_rx_bytes_s, COL_PORT_tx_peak,
			  COL_PORT_rx_peak);
		break;
	case VIEW_PROCESS:
		row_peaks(row, COL_PROCESS_tx_bytes_s, COL_PROCESS_rx_bytes_s, COL_PROCESS_tx_peak,
			  COL_PROCESS_rx_peak);
		break;
	case VIEW_DEVICE:
		row_peaks(row, COL_DEVICE_tx_bytes_s, COL_DEVICE_rx_bytes_s, COL_DEVICE_tx_peak,
			  COL_DEVICE_rx_peak);
		break;
	case VIEW_FNODE:
		row_peaks(row, COL_FNODE_tx_bytes_s, COL_FNODE_rx_bytes_s, COL_FNODE_tx_peak,
			  COL_FNODE_rx_peak);
		break;
	case VIEW_FPORT:
		row_peaks(row, COL_FPORT_tx_bytes_s, COL_FPORT_rx_bytes_s, COL_FPORT_tx_peak,
			  COL_FPORT_rx_peak);
		break;
	case VIEW_NETCABLE:
		row_peaks(row, COL_NETCABLE_tx_bytes_s, COL_NETCABLE_rx_bytes_s, COL_NETCABLE_tx_peak,
			  COL_NETCABLE_rx_peak);
		break;
	default:
		break;
	}
}

/* ---- fill levels */

static void put_fill(struct row *row, int fill, int used, int max)
{
	if (row_has(row, used) && row_has(row, max)) {
		uint64_t u = row->v[used].num, of = row->v[max].num;
		union value *v = row_set(row, fill);

		v->fill.used = u < UINT32_MAX ? u : UINT32_MAX;
		v->fill.max = of < UINT32_MAX ? of : UINT32_MAX;
	} else if (row_none(row, used) || row_none(row, max)) {
		row_set_none(row, fill);
	}
}

/*
 * Extrapolates when `used` reaches its limit, at the speed since the previous snapshot. "-" if it
 * does not approach the limit.
 */
static void put_time_left(struct row *row, int to, int used, int max, bool to_full, double dt)
{
	double speed, left;

	if (row_none(row, used) || row_none(row, max)) {
		row_set_none(row, to);
		return;
	}
	if (dt <= 0 || !row_has(row, used) || !row_has(row, max) || !row_has(row->before, used))
		return;
	speed = ((double)row->v[used].num - (double)row->before->v[used].num) / dt;
	left = to_full ? (double)row->v[max].num - (double)row->v[used].num : row->v[used].num;
	if (!to_full)
		speed = -speed;
	if (speed <= 0 || left < 0 || left / speed > 1e6)
		row_set_none(row, to);
	else
		row_num(row, to, left / speed * NS_PER_SEC);
}

/* ---- idle time */

static void put_idle(struct model *m, struct row *row, int to, const int *moving)
{
	uint64_t sum = 0;
	bool any = false;

	for (; *moving >= 0; moving++) {
		if (row_has(row, *moving)) {
			/* a hash, because in a plain sum one value may rise as another falls */
			sum = (sum + row->v[*moving].num) * 0x9e3779b97f4a7c15ULL;
			any = true;
		}
	}
	if (!any || !row->track)
		return;
	if (row->before && sum != row->track->moved_sum)
		row->track->moved = m->now->mono;
	row->track->moved_sum = sum;
	row_num(row, to, m->now->mono - row->track->moved);
}

static void compute_qp(struct model *m, struct row *row)
{
	/* retransmissions are not progress */
	static const int acknowledged[] = { COL_QP_una_psn, COL_QP_epsn, COL_QP_sq_used,
					    COL_QP_rq_used, -1 };
	static const int sent[] = { COL_QP_tx_pkts, COL_QP_rx_msgs, COL_QP_epsn,
				    COL_QP_sq_used, COL_QP_rq_used, -1 };
	double dt = seconds_between(row);

	put_fill(row, COL_QP_sq_fill, COL_QP_sq_used, COL_QP_sq_max);
	put_fill(row, COL_QP_rq_fill, COL_QP_rq_used, COL_QP_rq_max);
	put_time_left(row, COL_QP_sq_full_in, COL_QP_sq_used, COL_QP_sq_max, true, dt);
	put_time_left(row, COL_QP_rq_dry_in, COL_QP_rq_used, COL_QP_rq_max, false, dt);
	put_idle(m, row, COL_QP_idle, row_has(row, COL_QP_una_psn) ? acknowledged : sent);
}

static void compute_cq(struct model *m, struct row *row)
{
	static const int moving[] = { COL_CQ_total, COL_CQ_used, COL_CQ_armed, -1 };
	double dt = seconds_between(row);

	put_fill(row, COL_CQ_fill, COL_CQ_used, COL_CQ_max);
	put_time_left(row, COL_CQ_full_in, COL_CQ_used, COL_CQ_max, true, dt);
	put_idle(m, row, COL_CQ_idle, moving);
}

static void compute_srq(struct model *m, struct row *row)
{
	static const int moving[] = { COL_SRQ_total, COL_SRQ_used, -1 };
	double dt = seconds_between(row);

	put_fill(row, COL_SRQ_fill, COL_SRQ_used, COL_SRQ_max);
	put_time_left(row, COL_SRQ_dry_in, COL_SRQ_used, COL_SRQ_max, false, dt);
	put_idle(m, row, COL_SRQ_idle, moving);
}

static void compute_mr(struct model *m, struct row *row)
{
	static const int moving[] = { COL_MR_remote_reads, COL_MR_remote_writes, COL_MR_atomics,
				      -1 };

	put_idle(m, row, COL_MR_idle, moving);
}

static void each_row(struct model *m, enum view_id view,
		     void (*fn)(struct model *m, struct row *row))
{
	struct table *t = &m->now->tables[view];
	size_t i;

	for (i = 0; i < t->count; i++)
		fn(m, table_row(t, i));
}

static void rates_row(struct model *m, struct row *row)
{
	(void)m;
	row_rates(row);
}

/* Counts the QPs of a CQ, if debugfs names them. */
static void cq_users(struct model *m, struct row *qp)
{
	struct table *cqs = &m->now->tables[VIEW_CQ];
	uint64_t send = row_has(qp, COL_QP_scqn) ? qp->v[COL_QP_scqn].num : 0;
	uint64_t recv = row_has(qp, COL_QP_rcqn) ? qp->v[COL_QP_rcqn].num : 0;
	struct row *cq;

	if (!m->devices[qp->dev].tables)
		return;
	cq = send ? table_find(cqs, qp->dev, send, 0, 0) : NULL;
	if (cq)
		cq->v[COL_CQ_users].num++;
	cq = recv && recv != send ? table_find(cqs, qp->dev, recv, 0, 0) : NULL;
	if (cq)
		cq->v[COL_CQ_users].num++;
}

static void cq_no_users(struct model *m, struct row *cq)
{
	if (m->devices[cq->dev].tables)
		row_num(cq, COL_CQ_users, 0);
}

void compute(struct model *m)
{
	static const enum view_id objects[] = { VIEW_DEVICE, VIEW_PORT,	 VIEW_UCONTEXT, VIEW_PD,
						VIEW_MR,     VIEW_CQ,	 VIEW_SRQ,	VIEW_QP,
						VIEW_AH,     VIEW_MW,	 VIEW_DM,	VIEW_XRCD,
						VIEW_CM_ID,  VIEW_INJECT, VIEW_LINT,
						VIEW_SHARE,  VIEW_PROCESS, VIEW_FNODE,
						VIEW_FPORT,  VIEW_FCABLE, VIEW_NETCABLE,
						VIEW_GID };
	size_t i;

	for (i = 0; i < ARRAY_LEN(objects); i++)
		match_table(m, objects[i]);
	compute_port_errors(m);
	for (i = 0; i < ARRAY_LEN(objects); i++)
		each_row(m, objects[i], rates_row);
	each_row(m, VIEW_CQ, cq_no_users);
	each_row(m, VIEW_QP, cq_users);
	each_row(m, VIEW_QP, compute_qp);
	each_row(m, VIEW_CQ, compute_cq);
	each_row(m, VIEW_SRQ, compute_srq);
	each_row(m, VIEW_MR, compute_mr);
	compute_waits(m);
	compute_sums(m);
	compute_fabric(m);
	for (i = 0; i < ARRAY_LEN(objects); i++)
		each_row(m, objects[i], row_finish);
	compute_events(m);
}
