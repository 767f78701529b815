// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs a QP when its program calls lseek() on a doorbell (doorbell.h). verbs/doorbell.c creates and
 * closes doorbells.
 */
#include <linux/module.h>
#include <rdma/uverbs_types.h>

#include "engine/doorbell.h"
#include "engine/lane.h"
#include "observe/observe.h"
#include "uapi/glass-ioctl.h"

static loff_t doorbell_llseek(struct file *file, loff_t qpn, int whence)
{
	struct glass_doorbell *db = file->private_data;
	bool ours, claimed;
	struct glass_qp *qp;
	long err = -EIO;

	if (whence != GLASS_DOORBELL_WHENCE || qpn <= 1 || qpn > GLASS_QPN_MASK)
		return -EINVAL;
	down_read(&db->lock);
	if (!db->dev)
		goto out;
	err = -EINVAL;
	/* glass_qp_claim() takes the reference that is needed */
	rcu_read_lock_sched();
	qp = glass_qp_at(db->dev, 0, qpn);
	ours = qp && qp->core.is_user && qp->context == db->uobj.context;
	if (likely(ours))
		trace_glass_api_enter(glass_dev_name(db->dev), GLASS_VERB_POST_SEND, GLASS_KIND_QP, qpn, "doorbell");
	claimed = ours && glass_qp_claim(qp);
	rcu_read_unlock_sched();
	if (likely(claimed))
		glass_qp_run_claimed(qp);
	if (unlikely(!ours))
		goto out;
	err = 0;
	glass_trace_exit(glass_dev_name(db->dev), GLASS_VERB_POST_SEND, GLASS_KIND_QP, qpn, 0);
out:
	up_read(&db->lock);
	return err;
}

const struct file_operations glass_doorbell_fops = {
	.owner = THIS_MODULE,
	.release = uverbs_uobject_fd_release,
	.llseek = doorbell_llseek,
};
