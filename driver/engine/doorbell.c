// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs a QP when its program calls lseek() on a doorbell (doorbell.h). verbs/doorbell.c creates and
 * closes doorbells.
 */
#include <linux/module.h>
#include <rdma/uverbs_types.h>

#include "engine/doorbell.h"
#include "engine/engine.h"
#include "observe/observe.h"
#include "uapi/glass-ioctl.h"

static loff_t doorbell_llseek(struct file *file, loff_t qpn, int whence)
{
	struct glass_doorbell *db = file->private_data;
	struct glass_qp *qp;
	long err = -EIO;

	if (whence != GLASS_DOORBELL_WHENCE || qpn <= 1 || qpn > GLASS_QPN_MASK)
		return -EINVAL;
	down_read(&db->lock);
	if (!db->dev)
		goto out;
	err = -EINVAL;
	qp = glass_qp_find(db->dev, 0, qpn);
	if (!qp)
		goto out;
	if (qp->core.is_user && qp->pd && qp->pd->uobject->context == db->uobj.context) {
		trace_glass_api_enter(glass_dev_name(qp->dev), GLASS_VERB_POST_SEND, GLASS_KIND_QP,
				      qp->core.qpn, "doorbell");
		glass_qp_kick_inline(qp);
		err = 0;
		glass_trace_exit(glass_dev_name(qp->dev), GLASS_VERB_POST_SEND, GLASS_KIND_QP,
				 qp->core.qpn, 0);
	}
	glass_ref_put(&qp->ref);
out:
	up_read(&db->lock);
	return err;
}

const struct file_operations glass_doorbell_fops = {
	.owner = THIS_MODULE,
	.release = uverbs_uobject_fd_release,
	.llseek = doorbell_llseek,
};
