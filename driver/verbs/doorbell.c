// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The doorbell: a file of a program's context that is told by lseek() "look at the
 * ring of this QP". It does what a post_send without work requests does, past
 * the verbs core's dispatch, which costs more than most messages.
 */
#include <linux/module.h>
#include <linux/rwsem.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>

#define UVERBS_MODULE_NAME glass
#include <rdma/uverbs_named_ioctl.h>

#include "engine/engine.h"
#include "uapi/glass-ioctl.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

struct glass_doorbell {
	struct ib_uobject uobj;
	struct rw_semaphore lock; /* dev; held while an engine runs below */
	struct glass_dev *dev; /* NULL: the context or the device is gone */
};

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
		glass_enter_text(qp->dev, POST_SEND, QP, qp->core.qpn, "doorbell");
		glass_qp_kick_inline(qp);
		err = 0;
		glass_leave(qp->dev, POST_SEND, QP, qp->core.qpn, 0);
	}
	glass_ref_put(&qp->ref);
out:
	up_read(&db->lock);
	return err;
}

static const struct file_operations doorbell_fops = {
	.owner = THIS_MODULE,
	.release = uverbs_uobject_fd_release,
	.llseek = doorbell_llseek,
};

static void doorbell_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct glass_doorbell *db = container_of(uobj, struct glass_doorbell, uobj);

	down_write(&db->lock);
	db->dev = NULL;
	up_write(&db->lock);
}

static int UVERBS_HANDLER(GLASS_METHOD_DOORBELL_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, GLASS_ATTR_DOORBELL_FD);
	struct glass_doorbell *db = container_of(uobj, struct glass_doorbell, uobj);

	init_rwsem(&db->lock);
	db->dev = to_gdev(uobj->context->device);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(GLASS_METHOD_DOORBELL_ALLOC,
			    UVERBS_ATTR_FD(GLASS_ATTR_DOORBELL_FD, GLASS_OBJECT_DOORBELL,
					   UVERBS_ACCESS_NEW, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(GLASS_OBJECT_DOORBELL,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct glass_doorbell), doorbell_destroy,
						 &doorbell_fops, "[glass_doorbell]", O_RDONLY),
			    &UVERBS_METHOD(GLASS_METHOD_DOORBELL_ALLOC));

const struct uapi_definition glass_doorbell_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(GLASS_OBJECT_DOORBELL),
	{},
};
