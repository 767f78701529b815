// SPDX-License-Identifier: GPL-2.0-only
/* Reads the fabric from the tables in debugfs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"
#include "lib/lockdown.h"
#include "lib/printable.h"
#include "netns.h"

enum node_column {
	NODE_NAME,
	NODE_KIND,
	NODE_PORTS,
	NODE_GUID,
	NODE_SYS,
	NODE_VENDOR,
	NODE_DEVID,
	NODE_DESC,
	NODE_DEVICE,
	NODE_LID,
	NODE_PORT0,
	NODE_ENFORCEMENT,
	NODE_WIDTH,
	NODE_SPEED,
	NODE_NETNS,
	NODE_COLUMNS
};
static const char *const node_columns[] = { "name",   "kind",	     "ports", "guid",	"sys_guid",
					    "vendor", "devid",	     "desc",  "device", "lid",
					    "port0",  "enforcement", "width", "speed", "netns" };

enum cable_column {
	CABLE_A,
	CABLE_B,
	CABLE_WIDTH,
	CABLE_SPEED,
	CABLE_MTU,
	CABLE_PULLED,
	CABLE_A_STATE,
	CABLE_B_STATE,
	CABLE_ACTIVE_WIDTH,
	CABLE_ACTIVE_SPEED,
	CABLE_COLUMNS
};
static const char *const cable_columns[] = { "a",	    "b",       "width",
					     "speed",	    "mtu",     "pulled",
					     "a_state",	    "b_state", "active_width",
					     "active_speed" };

enum net_column {
	NET_PORT,
	NET_NETDEV,
	NET_NETNS,
	NET_NETDEV_MTU,
	NET_WIDTH,
	NET_SPEED,
	NET_MTU,
	NET_PULLED,
	NET_SILENCE,
	NET_VCRC,
	NET_STATE,
	NET_TROUBLE,
	NET_OTHER,
	NET_OTHER_HOST,
	NET_PEER,
	NET_PEER_HOST,
	NET_PEER_GUID,
	NET_LINK_MTU,
	NET_COLUMNS
};
static const char *const net_columns[] = { "a",		"netdev",     "netns",	   "netdev_mtu",
					   "width",	"speed",      "mtu",	   "pulled",
					   "silence",	"vcrc",	      "state",	   "trouble",
					   "other",	"other_host", "peer",	   "peer_host",
					   "peer_guid", "link_mtu" };

enum ether_column { ETHER_DEV, ETHER_NETDEV, ETHER_NETNS, ETHER_MTU, ETHER_STATE, ETHER_GIDS, ETHER_COLUMNS };
static const char *const ether_columns[] = { "dev", "netdev", "netns", "netdev_mtu", "state", "gids" };

#define WORD(n, w) #w,
static const char *const net_states[] = { GLASS_CABLE_STATES(WORD) };
static const char *const net_troubles[] = { GLASS_CABLE_TROUBLES(WORD) };

enum port_column {
	PORT_NODE,
	PORT_PORT,
	PORT_GUID,
	PORT_LID,
	PORT_STATE,
	PORT_WIDTH,
	PORT_SPEED,
	PORT_COLUMNS
};
static const char *const port_columns[] = { "node",  "port",  "guid", "lid",
					    "state", "width", "speed" };

static int find_kind(const char *word)
{
	int i;

	for (i = TOPO_HCA; i <= TOPO_SWITCH; i++)
		if (!strcmp(word, topo_kind_word(i)))
			return i;
	return -1;
}

static unsigned int read_speed(const struct debugfs_table *t, int column)
{
	const char *word = debugfs_value(t, column);

	return topo_speed_find(word, strlen(word));
}

/* The namespace of an interface or device, if it is another one than that of the program */
static void read_namespace(uint64_t netns, uint64_t *number, char **name)
{
	if (!netns || netns == netns_own())
		return;
	*number = netns;
	*name = netns_name(netns);
}

static void read_node(struct topo *to, struct debugfs_table *t, const int *at)
{
	uint64_t ports, guid, sys, vendor, devid, lid, width, netns;
	char desc[DEBUGFS_LINE_MAX], device[64], *refused;
	int kind = find_kind(debugfs_value(t, at[NODE_KIND]));
	struct topo_node *n;
	uint32_t number;

	if (kind < 0) {
		debugfs_bad(t->file, "a kind that is unknown");
		return;
	}
	if (!debugfs_value_number(t, at[NODE_PORTS], &ports) ||
	    !debugfs_value_number(t, at[NODE_GUID], &guid) ||
	    !debugfs_value_number(t, at[NODE_SYS], &sys) ||
	    !debugfs_value_number(t, at[NODE_VENDOR], &vendor) ||
	    !debugfs_value_number(t, at[NODE_DEVID], &devid) ||
	    !debugfs_value_number(t, at[NODE_LID], &lid) ||
	    !debugfs_value_number(t, at[NODE_WIDTH], &width) ||
	    !debugfs_value_number(t, at[NODE_NETNS], &netns))
		return;
	ports = ports > TOPO_PORTS_MAX ? TOPO_PORTS_MAX + 1 : ports;
	refused = topo_add_node(to, kind, debugfs_value(t, at[NODE_NAME]), ports, &number);
	if (refused) {
		debugfs_bad(t->file, "%s", refused);
		free(refused);
		return;
	}
	n = &to->node[number];
	n->guid = guid;
	n->sysguid = sys;
	n->no_sysguid = !sys && debugfs_has(t, at[NODE_SYS]);
	n->enhanced = !strcmp(debugfs_value(t, at[NODE_PORT0]), "enhanced");
	n->no_enforcement = !strcmp(debugfs_value(t, at[NODE_ENFORCEMENT]), "no");
	n->width = topo_width_legal(width) ? width : 0;
	n->speed = read_speed(t, at[NODE_SPEED]);
	/* the driver's default is left out */
	if (n->speed == TOPO_SPEED_DEFAULT)
		n->speed = 0;
	n->vendor = vendor;
	n->devid = devid;
	n->has_vendor = debugfs_has(t, at[NODE_VENDOR]);
	n->has_devid = debugfs_has(t, at[NODE_DEVID]);
	n->lid = lid > 0xffff ? 0 : lid;
	debugfs_value_text(t, at[NODE_DESC], desc, sizeof(desc));
	n->desc = format_text("%.*s", TOPO_DESC, desc);
	if (debugfs_has(t, at[NODE_DEVICE])) {
		debugfs_value_text(t, at[NODE_DEVICE], device, sizeof(device));
		n->device = format_text("%s", device);
		read_namespace(netns, &n->netns_number, &n->netns);
	}
}

static void read_state(char to[12], const struct debugfs_table *t, int column)
{
	snprintf(to, 12, "%s", debugfs_value(t, column));
}

static void read_cable(struct topo *to, struct debugfs_table *t, const int *at)
{
	struct topo_end end[2];
	uint64_t width, mtu, active;
	struct topo_cable *c;
	uint32_t number;
	char *refused;
	int i;

	if (!debugfs_value_number(t, at[CABLE_WIDTH], &width) ||
	    !debugfs_value_number(t, at[CABLE_MTU], &mtu) ||
	    !debugfs_value_number(t, at[CABLE_ACTIVE_WIDTH], &active))
		return;
	for (i = 0; i < 2; i++) {
		const char *word = debugfs_value(t, at[i ? CABLE_B : CABLE_A]);

		refused = topo_read_end(to, word, strlen(word), &end[i]);
		if (refused)
			goto bad;
	}
	refused = topo_add_cable(to, end[0], end[1], &number);
	if (refused)
		goto bad;
	c = &to->cable[number];
	c->width = topo_width_legal(width) ? width : 0;
	c->mtu = topo_mtu_legal(mtu) ? mtu : 0;
	c->speed = read_speed(t, at[CABLE_SPEED]);
	c->pulled = !strcmp(debugfs_value(t, at[CABLE_PULLED]), "yes");
	c->active_width = topo_width_legal(active) ? active : 0;
	c->active_speed = read_speed(t, at[CABLE_ACTIVE_SPEED]);
	read_state(c->state[0], t, at[CABLE_A_STATE]);
	read_state(c->state[1], t, at[CABLE_B_STATE]);
	return;
bad:
	debugfs_bad(t->file, "%s", refused);
	free(refused);
}

static void read_remote(struct topo_remote *to, const struct debugfs_table *t, int port, int host)
{
	debugfs_value_text(t, port, to->port, sizeof(to->port));
	debugfs_value_text(t, host, to->host, sizeof(to->host));
	/* another host has sent them */
	printable(to->port);
	printable(to->host);
}

/* Returns the index of a word, or 0. */
static unsigned int read_word(const struct debugfs_table *t, int column, const char *const *words,
			      unsigned int n)
{
	unsigned int i;

	for (i = n; i-- > 1;)
		if (!strcmp(debugfs_value(t, column), words[i]))
			break;
	return i;
}

static void read_netcable(struct topo *to, struct debugfs_table *t, const int *at)
{
	uint64_t netns, netdev_mtu, width, mtu, silence, guid, link_mtu;
	const char *word = debugfs_value(t, at[NET_PORT]);
	char netdev[TOPO_NETDEV], *refused;
	struct topo_netcable *c;
	struct topo_end end;
	uint32_t number;

	if (!debugfs_value_number(t, at[NET_NETNS], &netns) ||
	    !debugfs_value_number(t, at[NET_NETDEV_MTU], &netdev_mtu) ||
	    !debugfs_value_number(t, at[NET_WIDTH], &width) ||
	    !debugfs_value_number(t, at[NET_MTU], &mtu) ||
	    !debugfs_value_number(t, at[NET_SILENCE], &silence) ||
	    !debugfs_value_number(t, at[NET_PEER_GUID], &guid) ||
	    !debugfs_value_number(t, at[NET_LINK_MTU], &link_mtu))
		return;
	/* a cable that is on its way out has no port any more */
	if (!debugfs_has(t, at[NET_PORT]))
		return;
	debugfs_value_text(t, at[NET_NETDEV], netdev, sizeof(netdev));
	refused = topo_read_end(to, word, strlen(word), &end);
	if (!refused)
		refused = topo_add_netcable(to, end, netdev, &number);
	if (refused) {
		debugfs_bad(t->file, "%s", refused);
		free(refused);
		return;
	}
	c = &to->netcable[number];
	read_namespace(netns, &c->netns_number, &c->netns);
	c->width = topo_width_legal(width) ? width : 0;
	c->mtu = topo_mtu_legal(mtu) ? mtu : 0;
	c->speed = read_speed(t, at[NET_SPEED]);
	c->silence = silence / 1000000;
	/* the driver's defaults are left out */
	if (c->silence == GLASS_CABLE_SILENCE_MS)
		c->silence = 0;
	c->vcrc = !strcmp(debugfs_value(t, at[NET_VCRC]), "yes");
	c->pulled = !strcmp(debugfs_value(t, at[NET_PULLED]), "yes");
	c->known = true;
	c->state = read_word(t, at[NET_STATE], net_states, GLASS_CABLE_STATE_COUNT);
	c->trouble = read_word(t, at[NET_TROUBLE], net_troubles, GLASS_TROUBLE_COUNT);
	read_remote(&c->peer, t, at[NET_PEER], at[NET_PEER_HOST]);
	read_remote(&c->other, t, at[NET_OTHER], at[NET_OTHER_HOST]);
	c->peer_guid = guid;
	c->netdev_mtu = netdev_mtu;
	c->link_mtu = link_mtu;
}

static void read_port(struct topo *to, struct debugfs_table *t, const int *at)
{
	uint64_t port, guid, lid, width;
	struct topo_port *p;
	int64_t node;

	if (!debugfs_value_number(t, at[PORT_PORT], &port) ||
	    !debugfs_value_number(t, at[PORT_GUID], &guid) ||
	    !debugfs_value_number(t, at[PORT_LID], &lid) ||
	    !debugfs_value_number(t, at[PORT_WIDTH], &width))
		return;
	node = topo_find(to, debugfs_value(t, at[PORT_NODE]));
	/* a node may have come or gone since the first table was read */
	if (node < 0 || port > to->node[node].ports)
		return;
	p = &to->node[node].port[port];
	p->guid = guid;
	p->lid = lid > 0xffff ? 0 : lid;
	if (!p->netcable)
		return;
	read_state(p->state, t, at[PORT_STATE]);
	p->active_width = topo_width_legal(width) ? width : 0;
	p->active_speed = p->active_width ? read_speed(t, at[PORT_SPEED]) : 0;
}

/* Finds the HCA whose device has this name. Returns NULL if there is none. */
static struct topo_node *find_device(struct topo *t, const char *device)
{
	uint32_t i;

	for (i = 0; i < t->nodes; i++)
		if (t->node[i].device && !strcmp(t->node[i].device, device))
			return &t->node[i];
	return NULL;
}

static void read_ether(struct topo *to, struct debugfs_table *t, const int *at)
{
	uint64_t netns, mtu, gids;
	struct topo_ether *e;
	struct topo_node *n;
	char device[64];
	int64_t node;

	if (!debugfs_value_number(t, at[ETHER_NETNS], &netns) ||
	    !debugfs_value_number(t, at[ETHER_MTU], &mtu) ||
	    !debugfs_value_number(t, at[ETHER_GIDS], &gids))
		return;
	debugfs_value_text(t, at[ETHER_DEV], device, sizeof(device));
	n = find_device(to, device);
	/* a node without a device has the name that the device had */
	node = n ? -1 : topo_find(to, device);
	if (node >= 0)
		n = &to->node[node];
	/* it may have come since the first table was read */
	if (!n || n->ether)
		return;
	e = calloc(1, sizeof(*e));
	if (!e)
		cli_die(CLI_FAILED, "out of memory");
	debugfs_value_text(t, at[ETHER_NETDEV], e->netdev, sizeof(e->netdev));
	read_namespace(netns, &e->netns_number, &e->netns);
	read_state(e->state, t, at[ETHER_STATE]);
	e->netdev_mtu = mtu;
	e->gids = gids;
	n->ether = e;
}

typedef void read_row(struct topo *to, struct debugfs_table *t, const int *at);

/* Returns 0 or an errno value. */
static int read_table(struct topo *to, const char *file, const char *kind,
		      const char *const *columns, size_t n, read_row *row)
{
	struct debugfs_file f = { 0 };
	struct debugfs_table *t = calloc(1, sizeof(*t));
	int at[NET_COLUMNS], err;

	if (!t)
		cli_die(CLI_FAILED, "out of memory");
	err = debugfs_read(&f, "fabric", file);
	if (!err && debugfs_table_begin(t, &f, kind) && debugfs_columns_find(t, columns, n, at))
		while (debugfs_table_next(t))
			row(to, t, at);
	debugfs_tell(&f);
	debugfs_free(&f);
	free(t);
	return err;
}

static void tell_error(int err)
{
	char *path = format_text("%s/fabric/nodes", debugfs_root),
	     *locked = lockdown_refusal(path, err);

	if (locked)
		cli_error("%s", locked);
	else if (err == EACCES || err == EPERM || (err == ENOENT && geteuid()))
		cli_error("only root may see the fabric; run this program as root");
	else if (err == ENOENT && access(module_root, F_OK))
		cli_error("the module glass is not loaded; run \"modprobe glass\"");
	else if (err == ENOENT && access(debugfs_root, F_OK))
		cli_error(
			"debugfs is not mounted; run \"mount -t debugfs none /sys/kernel/debug\"");
	else if (err == ENOENT)
		cli_error("%s: this module has no fabric to show; it is older than this tool",
			  path);
	else
		cli_error("%s: %s", path, strerror(err));
	free(locked);
	free(path);
}

enum status driver_read(struct topo *to)
{
	int err = read_table(to, "nodes", "fnode", node_columns, NODE_COLUMNS, read_node);

	if (!err)
		err = read_table(to, "cables", "fcable", cable_columns, CABLE_COLUMNS, read_cable);
	if (!err) {
		err = read_table(to, "netdevs", "netcable", net_columns, NET_COLUMNS, read_netcable);
		/* a module from before there were such cables has no such file */
		if (err == ENOENT)
			err = 0;
	}
	if (!err) {
		err = read_table(to, "ethernet", "ether", ether_columns, ETHER_COLUMNS, read_ether);
		/* nor one from before there were Ethernet ports */
		if (err == ENOENT)
			err = 0;
	}
	if (!err)
		err = read_table(to, "ports", "fport", port_columns, PORT_COLUMNS, read_port);
	if (err)
		tell_error(err);
	return err ? ST_NO_FABRIC : ST_OK;
}
