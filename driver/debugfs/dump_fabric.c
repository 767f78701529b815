// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The files of fabric/, which need no device. They show the nodes, cables and ports of the fabric,
 * and the route of a packet from a port to a LID.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debugfs/dump.h"
#include "debugfs/files.h"
#include "fabric/trace.h"
#include "inject/inject.h"
#include "link/fabric.h"
#include "model/netcable.h"

static struct glass_fabric *fabric;

static const char *const kind_words[] = {
	[GLASS_FABRIC_HCA] = "hca",
	[GLASS_FABRIC_CA] = "ca",
	[GLASS_FABRIC_SWITCH] = "switch",
};

/*
 * The position of a row has two parts. The upper bits are the node's id (glass_fabric_node.id). The
 * low ROW_BITS bits are the index of the row among the rows of this node, from 1 on. Functions of
 * this file with a node as a parameter are called in an SRCU read section of fabric->walks.
 */
#define ROW_BITS 10
#define POS_ROW(pos) ((u32)(pos) & (BIT(ROW_BITS) - 1))
#define POS_NODE(pos) ((unsigned long)((pos) >> ROW_BITS))

static_assert(GLASS_SWITCH_MAX_PORTS + 2 < BIT(ROW_BITS));

/*
 * Searches the rows of a node, from index *row to index `last`, for the first row for which fill()
 * returns true. Sets *row to the index of this row. Returns false if there is no such row, or if
 * the node was removed. The caller holds fabric->lock.
 */
static bool row_of_node(struct glass_fabric_node *n, u32 *row, u32 last, struct glass_row *r,
			bool (*fill)(struct glass_fabric_node *n, u32 row, struct glass_row *r))
{
	for (*row = max(*row, 1U); *row <= last && !n->gone; ++*row)
		if (fill(n, *row, r))
			return true;
	return false;
}

/*
 * Fills *r with the first row at or after *pos, and sets *pos to its position. Returns false if
 * there is no such row. If `ports` is true, a node has a row for each port number, from 0 on.
 * Otherwise a node has one row.
 */
static bool next_of_nodes(loff_t *pos, struct glass_row *r, bool ports,
			  bool (*fill)(struct glass_fabric_node *n, u32 row, struct glass_row *r))
{
	unsigned long id = POS_NODE(*pos), asked = id;
	u32 row = POS_ROW(*pos);
	int walk = srcu_read_lock(&fabric->walks);
	struct glass_fabric_node *n;
	bool found = false;

	while ((n = xa_find(&fabric->nodes, &id, ULONG_MAX, XA_PRESENT))) {
		if (id != asked)
			row = 1;
		spin_lock_irq(&fabric->lock);
		found = row_of_node(n, &row, ports ? n->net.num_ports + 1 : 1, r, fill);
		spin_unlock_irq(&fabric->lock);
		if (found)
			break;
		asked = ++id;
		row = 1;
		cond_resched();
	}
	srcu_read_unlock(&fabric->walks, walk);
	*pos = (loff_t)id << ROW_BITS | row;
	return found;
}

/*
 * Returns the management state of a node, or NULL if the node is an HCA that is not plugged in. The
 * caller holds fabric->lock.
 */
static const struct glass_node *fabric_state(const struct glass_fabric_node *n)
{
	return n->net.node;
}

static void device_columns(struct glass_row *r, const struct glass_fabric_node *n)
{
	const struct glass_link_port *lp = n->net.owners ? n->net.owners[1] : NULL;

	if (!lp)
		return;
	glass_row_text(r, GLASS_COL_FNODE_device, "%s", lp->name);
	if (READ_ONCE(*lp->netns))
		glass_row_num(r, GLASS_COL_FNODE_netns, READ_ONCE(*lp->netns));
}

/*
 * Fills the columns of the width and speed that the ports support. A width or speed of 0 stands for
 * the default that glass_node_init() sets.
 */
static void rate_columns(struct glass_row *r, u8 width, u8 speed, u8 speed_ext)
{
	/*
	 * Leave the column unset for the default, which is 1x and 4x but not 2x. A command cannot
	 * give this default by width=, because width=4 stands for 1x, 2x and 4x.
	 */
	if (width && width != (GLASS_WIDTH_1X | GLASS_WIDTH_4X))
		glass_row_num(r, GLASS_COL_FNODE_width, glass_width_lanes(width));
	glass_row_word(r, GLASS_COL_FNODE_speed,
		       glass_speed_words[speed ? glass_top_speed(speed, speed_ext) :
						 GLASS_LANE_EDR]);
}

static bool fill_node(struct glass_fabric_node *n, u32 row, struct glass_row *r)
{
	const struct glass_node *node = fabric_state(n);

	glass_row_text(r, GLASS_COL_FNODE_name, "%s", n->name);
	glass_row_word(r, GLASS_COL_FNODE_kind, kind_words[n->kind]);
	glass_row_num(r, GLASS_COL_FNODE_ports, n->net.num_ports);
	glass_row_num(r, GLASS_COL_FNODE_guid, n->guid);
	if (node) {
		glass_row_num(r, GLASS_COL_FNODE_sys_guid, node->sys_guid);
		glass_row_num(r, GLASS_COL_FNODE_vendor, node->vendor_id);
		glass_row_num(r, GLASS_COL_FNODE_devid, node->device_id);
		glass_row_text(r, GLASS_COL_FNODE_desc, "%.*s", GLASS_NODE_DESC_BYTES, node->desc);
		glass_row_num(r, GLASS_COL_FNODE_lid,
			      node->ports[n->kind == GLASS_FABRIC_SWITCH ? 0 : 1].lid);
		rate_columns(r, node->ports[1].width_supported, node->ports[1].speed_supported,
			     node->ports[1].speed_ext_supported);
	} else {
		glass_row_num(r, GLASS_COL_FNODE_sys_guid, n->spec->sys_guid);
		glass_row_num(r, GLASS_COL_FNODE_vendor, n->spec->vendor_id ?: GLASS_VENDOR_ID);
		glass_row_num(r, GLASS_COL_FNODE_devid, n->spec->device_id ?: GLASS_DEVICE_HCA);
		glass_row_text(r, GLASS_COL_FNODE_desc, "%s", n->spec->desc);
		glass_row_num(r, GLASS_COL_FNODE_lid, 0);
		rate_columns(r, n->spec->width, n->spec->speed, n->spec->speed_ext);
	}
	if (n->kind == GLASS_FABRIC_SWITCH) {
		glass_row_word(r, GLASS_COL_FNODE_port0,
			       n->sw->fdb.enhanced ? "enhanced" : "base");
		glass_row_bool(r, GLASS_COL_FNODE_enforcement, !n->sw->fdb.no_enforcement);
	}
	device_columns(r, n);
	return true;
}

static bool fnode_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_nodes(pos, r, false, fill_node);
}

static void name_column(struct glass_row *r, u32 column, struct glass_net_end e)
{
	glass_row_text(r, column, "%s:%u", glass_fabric_node(e.node)->name, e.port);
}

/*
 * The index of a row is the number of the port + 1. A cable has one row, at the end whose node has
 * the lower id. If both ends are at the same node, the row is at the port with the lower number.
 */
static bool fill_cable(struct glass_fabric_node *n, u32 row, struct glass_row *r)
{
	struct glass_net_end a = glass_net_end(&n->net, row - 1), b = n->net.ends[row - 1];
	const struct glass_port *pa = glass_net_port(a), *pb = glass_net_port(b);
	u32 far;

	if (!a.port || !b.node)
		return false;
	/* fabric/netdevs has the netdev cables */
	if (glass_netcable_of(b.node))
		return false;
	far = glass_fabric_node(b.node)->id;
	if (far < n->id || (far == n->id && b.port < a.port))
		return false;
	name_column(r, GLASS_COL_FCABLE_a, a);
	name_column(r, GLASS_COL_FCABLE_b, b);
	glass_row_num(r, GLASS_COL_FCABLE_width, glass_width_lanes(b.width));
	glass_row_word(r, GLASS_COL_FCABLE_speed,
		       glass_speed_words[glass_top_speed(b.speed, b.speed_ext)]);
	glass_row_num(r, GLASS_COL_FCABLE_mtu, glass_mtu_bytes(b.mtu));
	glass_row_bool(r, GLASS_COL_FCABLE_pulled, b.pulled);
	if (pa)
		glass_row_enum(r, GLASS_COL_FCABLE_a_state, glass_port_state_words, pa->state);
	if (pb)
		glass_row_enum(r, GLASS_COL_FCABLE_b_state, glass_port_state_words, pb->state);
	if (pa)
		glass_row_speed(r, GLASS_COL_FCABLE_active_width, GLASS_COL_FCABLE_active_speed,
				pa);
	return true;
}

static bool fcable_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_nodes(pos, r, true, fill_cable);
}

/* The index of a row is the number of the port + 1. */
static bool fill_port(struct glass_fabric_node *n, u32 row, struct glass_row *r)
{
	const struct glass_node *node = fabric_state(n);
	const struct glass_port *p = node ? glass_node_port(node, row - 1) : NULL;

	if (!p)
		return false;
	glass_row_text(r, GLASS_COL_FPORT_node, "%s", n->name);
	glass_row_num(r, GLASS_COL_FPORT_port, p->num);
	if (p->guid)
		glass_row_num(r, GLASS_COL_FPORT_guid, p->guid);
	glass_row_num(r, GLASS_COL_FPORT_lid, p->lid);
	glass_row_num(r, GLASS_COL_FPORT_lmc, p->lmc);
	if (p->num && n->net.ends[p->num].node)
		name_column(r, GLASS_COL_FPORT_peer, n->net.ends[p->num]);
	glass_row_enum(r, GLASS_COL_FPORT_state, glass_port_state_words, p->state);
	glass_row_num(r, GLASS_COL_FPORT_phys_state, p->phys_state);
	glass_row_num(r, GLASS_COL_FPORT_mtu, glass_mtu_bytes(p->mtu_active));
	glass_row_speed(r, GLASS_COL_FPORT_width, GLASS_COL_FPORT_speed, p);
	glass_row_counters(r, GLASS_COL_FPORT_tx_words, p);
	glass_row_rest(r, GLASS_COL_FPORT_tx_ucast, p);
	return true;
}

static bool fport_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_nodes(pos, r, true, fill_port);
}

DEFINE_GLASS_TABLE(fnode, FNODE, fnode_next);
DEFINE_GLASS_TABLE(fcable, FCABLE, fcable_next);
DEFINE_GLASS_TABLE(fport, FPORT, fport_next);

DEFINE_GLASS_TABLE_FILE(fnode);
DEFINE_GLASS_TABLE_FILE(fcable);
DEFINE_GLASS_TABLE_FILE(fport);

/* The state of an open file `trace`. `text` is the route that the program asked for last. */
struct trace_view {
	struct mutex lock; /* protects the other fields */
	struct glass_hop hop[GLASS_TRACE_HOPS]; /* scratch memory of trace_from() */
	size_t len;
	char text[(GLASS_TRACE_HOPS + 1) * (GLASS_FABRIC_NAME_MAX + 32)];
};

static const char *const drop_words[] = GLASS_WORDS(GLASS_DROP_REASONS);

static void port_text(char *to, size_t room, u32 port)
{
	if (port)
		snprintf(to, room, "%u", port);
	else
		strscpy(to, "-", room);
}

/*
 * Writes the rows of the first n hops of v->hop[] to v->text. The caller holds fabric->lock, so no
 * node of these hops is freed.
 */
static void trace_rows(struct trace_view *v, u32 n)
{
	char in[12], out[12];
	u32 i;

	v->len = scnprintf(v->text, sizeof(v->text), "%s\n",
			   GLASS_HEADER("hop", GLASS_COLUMNS_HOP));
	for (i = 0; i < n; i++) {
		const struct glass_hop *h = &v->hop[i];
		const struct glass_fabric_node *node =
			container_of(h->node, struct glass_fabric_node, net);

		port_text(in, sizeof(in), h->in);
		port_text(out, sizeof(out), h->out);
		v->len += scnprintf(v->text + v->len, sizeof(v->text) - v->len, "%s %s %s %s\n",
				    node->name, in, out, h->why ? drop_words[h->why] : "-");
	}
}

/*
 * Traces a route, and writes its rows to v->text. `port` is the text "NODE:PORT"; the function
 * replaces the colon by a NUL. `lid` is the rest of the command. Returns 0, -EINVAL or -ENOENT.
 */
static int trace_from(struct trace_view *v, char *port, const char *lid)
{
	char *colon = port ? strchr(port, ':') : NULL;
	struct glass_fabric_node *n;
	u32 num;
	u16 dlid;

	if (!colon || !lid || kstrtou32(colon + 1, 10, &num) || kstrtou16(lid, 0, &dlid))
		return -EINVAL;
	*colon = '\0';
	if (!dlid || dlid >= GLASS_LID_MCAST_BASE)
		return -EINVAL;
	spin_lock_irq(&fabric->lock);
	n = glass_fabric_find(fabric, port);
	if (n && num && num <= n->net.num_ports)
		trace_rows(v, glass_net_trace(glass_net_end(&n->net, num), dlid, v->hop));
	else
		n = NULL;
	spin_unlock_irq(&fabric->lock);
	return n ? 0 : -ENOENT;
}

static ssize_t trace_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct trace_view *v = file->private_data;
	char line[GLASS_FABRIC_NAME_MAX + 32], *rest = line, *port;
	int err;

	if (!count || count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	rest = strim(line);
	port = strsep(&rest, " ");
	mutex_lock(&v->lock);
	v->len = 0;
	err = trace_from(v, port, rest);
	mutex_unlock(&v->lock);
	/* the next read begins at the start of the text */
	*ppos = 0;
	return err ? err : count;
}

static ssize_t trace_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct trace_view *v = file->private_data;
	ssize_t n;

	mutex_lock(&v->lock);
	n = simple_read_from_buffer(buf, count, ppos, v->text, v->len);
	mutex_unlock(&v->lock);
	return n;
}

static int trace_open(struct inode *inode, struct file *file)
{
	struct trace_view *v = kvzalloc(sizeof(*v), GFP_KERNEL);

	if (!v)
		return -ENOMEM;
	mutex_init(&v->lock);
	file->private_data = v;
	return 0;
}

static int trace_release(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

static const struct file_operations trace_fops = {
	.owner = THIS_MODULE,
	.open = trace_open,
	.read = trace_read,
	.write = trace_write,
	.llseek = default_llseek,
	.release = trace_release,
};

void glass_fabric_node_name(u16 number, char to[GLASS_CAP_NODE])
{
	int walk = srcu_read_lock(&fabric->walks);
	struct glass_fabric_node *n = xa_load(&fabric->nodes, GLASS_FABRIC_FIRST_ID + number);

	if (n)
		strscpy(to, n->name, GLASS_CAP_NODE);
	else
		snprintf(to, GLASS_CAP_NODE, "#%u", number);
	srcu_read_unlock(&fabric->walks, walk);
}

/* fabric/inject/ has the same files as inject/ of a device that is unplugged */
static struct glass_control node_rules;

void glass_fabric_files(struct dentry *root, struct glass_fabric *f)
{
	struct dentry *dir = glass_control_dir(GLASS_FABRIC_RULES, root);

	fabric = f;
	node_rules.inject = f->inject;
	node_rules.dir = dir;
	glass_inject_open(f->inject, GLASS_FABRIC_RULES);
	glass_inject_add(&node_rules);
	glass_fabric_capture_add(dir, f);
	debugfs_create_file("nodes", 0400, dir, NULL, &fnode_fops);
	debugfs_create_file("cables", 0400, dir, NULL, &fcable_fops);
	debugfs_create_file("ports", 0400, dir, NULL, &fport_fops);
	glass_netcable_files(dir, f);
	glass_ether_files(dir, f);
	debugfs_create_file("trace", 0600, dir, NULL, &trace_fops);
}

void glass_fabric_files_gone(void)
{
	glass_inject_close(fabric->inject);
}
