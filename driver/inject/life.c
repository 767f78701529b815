// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The life of struct glass_inject, from the probe of a platform device to its removal. */
#include <linux/mm.h>

#include "inject/env.h"
#include "inject/force.h"
#include "inject/inject.h"

static void plug_work(struct work_struct *work)
{
	glass_inject_env_plug(container_of(work, struct glass_inject, plug));
}

void glass_inject_init(struct glass_inject *in)
{
	memset(in, 0, sizeof(*in));
	mutex_init(&in->lock);
	INIT_LIST_HEAD(&in->rules);
	spin_lock_init(&in->books);
	INIT_DELAYED_WORK(&in->sweep, glass_inject_sweep);
	INIT_WORK(&in->plug, plug_work);
}

void glass_inject_open(struct glass_inject *in, const char *name)
{
	mutex_lock(&in->lock);
	strscpy(in->name, name, sizeof(in->name));
	in->open = true;
	mutex_unlock(&in->lock);
}

void glass_inject_close(struct glass_inject *in)
{
	mutex_lock(&in->lock);
	in->open = false;
	mutex_unlock(&in->lock);
}

void glass_inject_rename(struct glass_inject *in, const char *name)
{
	mutex_lock(&in->lock);
	strscpy(in->name, name, sizeof(in->name));
	mutex_unlock(&in->lock);
}

void glass_inject_exit(struct glass_inject *in)
{
	cancel_delayed_work_sync(&in->sweep);
	mutex_lock(&in->lock);
	glass_force_clear(in);
	while (!list_empty(&in->rules))
		glass_inject_del_rule(in, list_first_entry(&in->rules, struct glass_live_rule,
							   node));
	mutex_unlock(&in->lock);
	/*
	 * wait for the callbacks of call_rcu() that free retired memory: they write to in->retired
	 */
	rcu_barrier();
	kvfree(in->streams);
	kvfree(in->journal);
	in->streams = NULL;
	in->journal = NULL;
}
