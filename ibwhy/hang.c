// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box.h"
#include "hang.h"
#include "json.h"
#include "lib/debugfs/device.h"
#include "lib/json.h"
#include "other.h"

static const struct debugfs_use use = { "the state of QPs", "details/qp", "there is no adapter" };

static enum status take(struct qp_snapshot *t)
{
	struct devices devices;
	size_t i;
	int err;

	memset(t, 0, sizeof(*t));
	if (!debugfs_find(&use, &devices))
		return ST_NO_DEVICE;
	err = snapshot_take(t, &devices, &i);
	if (err) {
		cli_error("%s: details/qp: %s", devices.name[i], strerror(err));
		return ST_FAILED;
	}
	for (i = 0; i < devices.count; i++) {
		debugfs_tell(&t->text[i]);
		debugfs_tell(&t->held[i]);
		debugfs_tell(&t->journal[i]);
		debugfs_tell(&t->cqs[i]);
		debugfs_tell(&t->srqs[i]);
	}
	debugfs_tell(&t->failures);
	return ST_OK;
}

static size_t tell_glass(const struct why_style *style, const struct qp_snapshot *t, pid_t pid,
			 json_object *list)
{
	struct why_verdict v;
	size_t i, told = 0;
	enum why_end end;

	for (i = 0; i < t->w.qps; i++) {
		const struct why_qp *q = &t->w.qp[i];

		if (q->pid != (uint64_t)pid)
			continue;
		end = why_wait(&t->w, q, &v);
		if (list)
			json_object_array_add(list, json_of_wait(q, &v, end));
		else
			why_tell_wait(style, &v, end);
		told++;
	}
	return told;
}

int hang_tell(const struct why_style *style, pid_t pid, bool json)
{
	json_object *list = json ? json_object_new_array() : NULL, *other;
	char *path = format_text("%s/%d", proc_root, (int)pid);
	bool there = !access(path, F_OK);
	enum status status;
	struct qp_snapshot t;
	size_t told;

	free(path);
	status = there ? take(&t) : ST_NONE;
	if (!there) {
		cli_error("there is no process %d", (int)pid);
	} else {
		told = status ? 0 : tell_glass(style, &t, pid, list);
		other = json ? json_object_new_array() : NULL;
		told += other_tell(style, pid, other);
		if (!status && !told) {
			/* a program that waits there has destroyed its QPs already, and lists no CQs of them */
			cli_error("process %d has no QP. If it waits in ibv_destroy_qp() or ibv_destroy_cq(), start it under "
				  "iblint: GL045 names the events that it has not acknowledged", (int)pid);
			status = ST_NONE;
		}
		if (json) {
			json_object *to = json_object_new_object();

			json_object_object_add(to, "waits", list);
			json_object_object_add(to, "other_adapters", other);
			list = NULL;
			if (json_write(to, "-") && !status)
				status = ST_FAILED;
		}
		snapshot_free(&t);
	}
	json_object_put(list);
	return status;
}
