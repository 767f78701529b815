// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fabric: how its rows refer to one another, sums of a node's ports and of a cable's ends, and
 * the peers that netdev cables know.
 */
#include <inttypes.h>
#include <string.h>

#include "ibtop/model/compute.h"

/* ---- names */

struct row *fabric_port(const struct model *m, const char *end)
{
	const char *colon = strrchr(end, ':');
	uint64_t port;

	if (!colon || !debugfs_number(colon + 1, strlen(colon + 1), &port))
		return NULL;
	return table_find(&m->now->tables[VIEW_FPORT], -1, name_number(end, colon - end), port, 0);
}

void fabric_name(const struct row *row, char *text, size_t size)
{
	switch (row->view) {
	case VIEW_FNODE:
		snprintf(text, size, "%s", row->v[COL_FNODE_name].text);
		break;
	case VIEW_FPORT:
		snprintf(text, size, "%s:%" PRIu64, row->v[COL_FPORT_node].text,
			 row->v[COL_FPORT_port].num);
		break;
	case VIEW_NETCABLE:
		snprintf(text, size, "%s - @%s", row->v[COL_NETCABLE_a].text,
			 row_has(row, COL_NETCABLE_netdev) ? row->v[COL_NETCABLE_netdev].text : "");
		break;
	default:
		snprintf(text, size, "%s - %s", row->v[COL_FCABLE_a].text, row->v[COL_FCABLE_b].text);
	}
}

const struct row *fabric_named(const struct model *m, enum view_id view, const char *name)
{
	uint64_t number = name_number(name, strlen(name));
	struct table *t = &m->now->tables[view];
	const struct row *row;
	size_t i;

	if (view == VIEW_FNODE)
		return table_find(t, -1, number, 0, 0);
	if (view == VIEW_FPORT)
		return fabric_port(m, name);
	for (i = 0; i < t->count; i++) {
		row = table_row(t, i);
		if (row->num[0] == number || (view == VIEW_FCABLE && row->num[1] == number))
			return row;
		if (view == VIEW_NETCABLE && row_has(row, COL_NETCABLE_netdev) &&
		    !strcmp(row->v[COL_NETCABLE_netdev].text, name + (*name == '@')))
			return row;
	}
	return NULL;
}

/* ---- sums */

static void add_num(struct row *row, unsigned int column, const struct row *from, unsigned int theirs)
{
	uint64_t sum = row_has(row, column) ? row->v[column].num : 0;

	if (row_has(from, theirs))
		row_num(row, column, sum + from->v[theirs].num);
}

static void add_real(struct row *row, unsigned int column, const struct row *from, unsigned int theirs)
{
	double sum = row_has(row, column) ? row->v[column].real : 0;

	if (row_has(from, theirs))
		row_real(row, column, sum + from->v[theirs].real);
}

/* Sums the counters of a port that count errors. */
static void port_errors(struct row *port)
{
	static const unsigned int counters[] = {
		COL_FPORT_rcv_errors,	   COL_FPORT_xmit_discards, COL_FPORT_xmit_constraint,
		COL_FPORT_rcv_constraint,  COL_FPORT_vl15_dropped,  COL_FPORT_symbol_errors,
		COL_FPORT_rcv_remphys,	   COL_FPORT_rcv_relay,	    COL_FPORT_local_integrity,
		COL_FPORT_buffer_overrun,
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(counters); i++)
		add_num(port, COL_FPORT_errors, port, counters[i]);
}

/* Sums what was lost and dropped, and the rules that frames and packets broke. */
static void netcable_errors(struct row *cable)
{
#define RULE(name, unit, meaning) COL_NETCABLE_##name,
	static const unsigned int counters[] = { COL_NETCABLE_tx_dropped, COL_NETCABLE_lost,
						 GLASS_COLUMNS_CABLE_RULES(RULE) };
#undef RULE
	size_t i;

	for (i = 0; i < ARRAY_LEN(counters); i++)
		add_num(cable, COL_NETCABLE_errors, cable, counters[i]);
}

void compute_port_errors(struct model *m)
{
	struct table *ports = &m->now->tables[VIEW_FPORT], *nets = &m->now->tables[VIEW_NETCABLE];
	size_t i;

	for (i = 0; i < ports->count; i++)
		port_errors(table_row(ports, i));
	for (i = 0; i < nets->count; i++)
		netcable_errors(table_row(nets, i));
}

/* Adds a port to its node. Port 0 of a switch is the switch itself: it has no cable. */
static void add_port(struct row *node, const struct row *port)
{
	static const struct {
		unsigned int node, port;
	} rates[] = {
#define RATE(name) { COL_FNODE_##name, COL_FPORT_##name }
		RATE(tx_bytes_s), RATE(rx_bytes_s), RATE(tx_pkts_s), RATE(rx_pkts_s), RATE(errors_s),
#undef RATE
	};
	bool active = row_has(port, COL_FPORT_state) &&
		      !strcmp(port->v[COL_FPORT_state].text, "active");
	size_t i;

	if (!port->v[COL_FPORT_port].num)
		return;
	row_num(node, COL_FNODE_ports_active,
		(row_has(node, COL_FNODE_ports_active) ? node->v[COL_FNODE_ports_active].num : 0) +
			active);
	add_num(node, COL_FNODE_errors, port, COL_FPORT_errors);
	for (i = 0; i < ARRAY_LEN(rates); i++)
		add_real(node, rates[i].node, port, rates[i].port);
}

static void add_ends(const struct model *m, struct row *cable)
{
	const struct row *a = fabric_port(m, cable->v[COL_FCABLE_a].text);
	const struct row *b = fabric_port(m, cable->v[COL_FCABLE_b].text);

	if (a) {
		add_real(cable, COL_FCABLE_ab_bytes_s, a, COL_FPORT_tx_bytes_s);
		add_real(cable, COL_FCABLE_ab_pkts_s, a, COL_FPORT_tx_pkts_s);
		add_real(cable, COL_FCABLE_errors_s, a, COL_FPORT_errors_s);
		add_num(cable, COL_FCABLE_errors, a, COL_FPORT_errors);
	}
	if (b) {
		add_real(cable, COL_FCABLE_ba_bytes_s, b, COL_FPORT_tx_bytes_s);
		add_real(cable, COL_FCABLE_ba_pkts_s, b, COL_FPORT_tx_pkts_s);
		add_real(cable, COL_FCABLE_errors_s, b, COL_FPORT_errors_s);
		add_num(cable, COL_FCABLE_errors, b, COL_FPORT_errors);
	}
}

/*
 * The table of ports has "@veth0:1" as the peer of a port with a netdev cable. Puts the port at the
 * other side there, if the cable knows it: "spine1:3 on hostb".
 */
static void name_peers(struct model *m)
{
	struct table *nets = &m->now->tables[VIEW_NETCABLE];
	size_t i;

	for (i = 0; i < nets->count; i++) {
		const struct row *net = table_row(nets, i);
		struct row *port = fabric_port(m, net->v[COL_NETCABLE_a].text);

		if (port && row_has(net, COL_NETCABLE_peer))
			row_textf(m, port, COL_FPORT_peer, "%s on %s", net->v[COL_NETCABLE_peer].text,
				  row_has(net, COL_NETCABLE_peer_host)
					  ? net->v[COL_NETCABLE_peer_host].text : "another host");
	}
}

void compute_fabric(struct model *m)
{
	struct table *nodes = &m->now->tables[VIEW_FNODE], *ports = &m->now->tables[VIEW_FPORT];
	struct table *cables = &m->now->tables[VIEW_FCABLE];
	struct row *node = NULL;
	size_t i;

	for (i = 0; i < ports->count; i++) {
		const struct row *port = table_row(ports, i);

		/* the ports of a node are together */
		if (!node || node->num[0] != port->num[0])
			node = table_find(nodes, -1, port->num[0], 0, 0);
		if (node)
			add_port(node, port);
	}
	for (i = 0; i < cables->count; i++)
		add_ends(m, table_row(cables, i));
	name_peers(m);
}
