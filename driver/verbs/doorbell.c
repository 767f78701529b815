// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Creates and closes a program's doorbell, a file descriptor (engine/doorbell.h). */
#include <linux/module.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>

#define UVERBS_MODULE_NAME glass
#include <rdma/uverbs_named_ioctl.h>

#include "engine/doorbell.h"
#include "uapi/glass-ioctl.h"
#include "verbs/verbs.h"

static void doorbell_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct glass_doorbell *db = container_of(uobj, struct glass_doorbell, uobj);

	/* wait for doorbells in progress: each is an lseek() that holds the lock for reading */
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
						 &glass_doorbell_fops, "[glass_doorbell]", O_RDONLY),
			    &UVERBS_METHOD(GLASS_METHOD_DOORBELL_ALLOC));

const struct uapi_definition glass_doorbell_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(GLASS_OBJECT_DOORBELL),
	{},
};
