// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates and removes the directory of each device in /sys/kernel/debug/glass, and the files in it.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat/debugfs.h"
#include "debugfs/debugfs.h"
#include "debugfs/dump.h"
#include "debugfs/files.h"
#include "debugfs/row.h"
#include "observe/capture.h"

static struct dentry *root;
/*
 * Protects glass_dev.control_files and the names of the directories. Taken before
 * glass_inject.lock.
 */
static DEFINE_MUTEX(dirs_lock);

DEFINE_GLASS_TABLE_FILE(ucontext);
DEFINE_GLASS_TABLE_FILE(pd);
DEFINE_GLASS_TABLE_FILE(mr);
DEFINE_GLASS_TABLE_FILE(mw);
DEFINE_GLASS_TABLE_FILE(xrcd);
DEFINE_GLASS_TABLE_FILE(cq);
DEFINE_GLASS_TABLE_FILE(srq);
DEFINE_GLASS_TABLE_FILE(qp);
DEFINE_GLASS_TABLE_FILE(ah);
DEFINE_GLASS_TABLE_FILE(dm);
DEFINE_GLASS_TABLE_FILE(port);
DEFINE_GLASS_TABLE_FILE(mcast);
DEFINE_GLASS_TABLE_FILE(share);
DEFINE_GLASS_TABLE_FILE(switch);
DEFINE_GLASS_TABLE_FILE(swport);
DEFINE_GLASS_TABLE_FILE(lft);
DEFINE_GLASS_TABLE_FILE(mft);
DEFINE_GLASS_TABLE_FILE(drops);
DEFINE_GLASS_TABLE_FILE(droplog);
DEFINE_GLASS_TABLE_FILE(stacks);
DEFINE_GLASS_TABLE_FILE(modules);

static const struct {
	const struct glass_table *table;
	const struct file_operations *fops;
} tables[] = {
	{ &glass_table_ucontext, &ucontext_fops },
	{ &glass_table_pd, &pd_fops },
	{ &glass_table_mr, &mr_fops },
	{ &glass_table_mw, &mw_fops },
	{ &glass_table_xrcd, &xrcd_fops },
	{ &glass_table_cq, &cq_fops },
	{ &glass_table_srq, &srq_fops },
	{ &glass_table_qp, &qp_fops },
	{ &glass_table_ah, &ah_fops },
	{ &glass_table_dm, &dm_fops },
	{ &glass_table_port, &port_fops },
	{ &glass_table_mcast, &mcast_fops },
	{ &glass_table_share, &share_fops },
	{ &glass_table_switch, &switch_fops },
	{ &glass_table_swport, &swport_fops },
	{ &glass_table_lft, &lft_fops },
	{ &glass_table_mft, &mft_fops },
	{ &glass_table_drops, &drops_fops },
	{ &glass_table_droplog, &droplog_fops },
	{ &glass_table_stacks, &stacks_fops },
	{ &glass_table_modules, &modules_fops },
};

struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name)
{
	struct glass_control *c;

	if (IS_ERR(root))
		return NULL;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->inject = in;
	c->lint = lint;
	glass_inject_open(in, name);
	mutex_lock(&dirs_lock);
	c->dir = glass_control_dir(name, root);
	glass_inject_add(c);
	glass_lint_add(c);
	mutex_unlock(&dirs_lock);
	return c;
}

void glass_control_free(struct glass_control *c)
{
	if (!c)
		return;
	debugfs_remove(c->dir);
	glass_inject_close(c->inject);
	kfree(c);
}

void glass_control_add(struct glass_control *c, struct glass_dev *dev)
{
	int i;

	if (!c)
		return;
	mutex_lock(&dirs_lock);
	c->dev = dev;
	if (strcmp(c->inject->name, dev->ib.name) && !IS_ERR(c->dir))
		glass_debugfs_rename(c->dir, dev->ib.name);
	glass_inject_rename(c->inject, dev->ib.name);
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		glass_control_file(c, c->dir, tables[i].table->file, 0400, tables[i].fops);
	glass_bookmark_add(c);
	glass_inspect_add(c);
	glass_details_add(c);
	glass_capture_add(c);
	glass_flight_add(c);
	glass_raw_add(c);
	glass_inject_add_device(c);
	glass_lint_add_device(c);
	dev->control_files = c;
	mutex_unlock(&dirs_lock);
}

void glass_control_remove(struct glass_dev *dev)
{
	struct glass_control *c;

	mutex_lock(&dirs_lock);
	c = dev->control_files;
	dev->control_files = NULL;
	mutex_unlock(&dirs_lock);
	/*
	 * Remove the files without dirs_lock, because debugfs_remove() waits for reads and writes
	 * in progress. A program can make such a read or write take for ever, by delaying the page
	 * faults of its buffer. Meanwhile client_rename() must be able to take dirs_lock.
	 */
	while (c && c->nfiles)
		debugfs_remove(c->file[--c->nfiles]);
	glass_capture_gone(dev->index);
}

/*
 * The driver is a client of ib_core to learn of renames and of network namespaces. ib_core calls
 * client_rename() after it has renamed a device, and client_add() also after a device was given to
 * another namespace ("rdma dev set NAME netns"). The namespace lives while client_add() runs.
 */
static int client_add(struct ib_device *ib)
{
	if (ib->ops.owner != THIS_MODULE)
		return -EOPNOTSUPP;
	WRITE_ONCE(to_gdev(ib)->netns, read_pnet(&ib->coredev.rdma_net)->ns.inum);
	return 0;
}

static void client_remove(struct ib_device *ib, void *data)
{
}

static void client_rename(struct ib_device *ib, void *data)
{
	struct glass_control *c;

	mutex_lock(&dirs_lock);
	c = to_gdev(ib)->control_files;
	if (c && !IS_ERR(c->dir))
		glass_debugfs_rename(c->dir, ib->name);
	if (c)
		glass_inject_rename(c->inject, ib->name);
	mutex_unlock(&dirs_lock);
}

static struct ib_client client = {
	.name = "glass",
	.add = client_add,
	.remove = client_remove,
	.rename = client_rename,
	.no_kverbs_req = 1,
};

static void control_end(void)
{
	debugfs_remove(root);
	if (!IS_ERR(root))
		glass_fabric_files_gone();
}

int glass_control_init(struct glass_fabric *f)
{
	int err;

	root = glass_control_dir("glass", NULL);
	if (!IS_ERR(root)) {
		glass_fabric_files(root, f);
		glass_failure_files(root);
	}
	err = ib_register_client(&client);
	if (err)
		control_end();
	return err;
}

void glass_control_exit(void)
{
	ib_unregister_client(&client);
	control_end();
}
