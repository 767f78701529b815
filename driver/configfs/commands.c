// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The files of /sys/kernel/config/glass. `commands` takes lines, and `error` says why the last
 * write to `commands` failed.
 */
#include "configfs/configfs.h"

#if IS_ENABLED(CONFIG_CONFIGFS_FS)
#include <linux/configfs.h>
#include <linux/module.h>
#include <linux/slab.h>

static struct glass_fabric *fabric;

/* The error of the last write to `commands`. error.kind is GLASS_FE_NONE if it had no error. */
static struct {
	struct mutex lock; /* protects `last`, and serialises writes; taken before fabric->making */
	struct glass_fabric_error error;
	u32 line;
} last = { .lock = __MUTEX_INITIALIZER(last.lock) };

/*
 * Carries out the lines of a write. Returns the number of bytes of the lines that it has carried
 * out. If a line fails, returns a negative errno: then the lines before it have been carried out,
 * and those after it have not.
 */
static ssize_t carry_out(const char *page, size_t count)
{
	struct glass_fabric_command *c = kmalloc(sizeof(*c), GFP_KERNEL);
	size_t at = 0, len;
	const char *end;
	int err = 0;

	lockdep_assert_held(&last.lock);
	if (!c)
		return -ENOMEM;
	for (; !err && at < count; at = min(at + len + 1, count)) {
		end = memchr(page + at, '\n', count - at);
		/* configfs has cut a longer write: leave the incomplete line to the next write */
		if (!end && count == GLASS_FABRIC_WRITE && at)
			break;
		last.line++;
		if (!end && count == GLASS_FABRIC_WRITE) {
			glass_fabric_error_set(&last.error, GLASS_FE_LONG_LINE, 0, 0);
			last.error.high = GLASS_FABRIC_WRITE;
			err = glass_fabric_error_errno(&last.error);
			break;
		}
		len = end ? end - (page + at) : count - at;
		err = glass_fabric_parse(c, &last.error, page + at, len);
		if (err > 0)
			err = glass_fabric_do(fabric, c, &last.error);
		cond_resched();
	}
	kfree(c);
	return err ? err : at;
}

static ssize_t glass_commands_store(struct config_item *item, const char *page, size_t count)
{
	ssize_t done;

	mutex_lock(&last.lock);
	last.line = 0;
	glass_fabric_error_set(&last.error, GLASS_FE_NONE, 0, 0);
	done = carry_out(page, count);
	mutex_unlock(&last.lock);
	return done;
}

static ssize_t glass_error_show(struct config_item *item, char *page)
{
	char text[GLASS_FABRIC_ERROR_TEXT];
	ssize_t n = 0;

	mutex_lock(&last.lock);
	if (last.error.kind) {
		glass_fabric_error_text(&last.error, text);
		n = sysfs_emit(page, "%u %u %u %s: %s\n", last.line, last.error.at, last.error.len,
			       glass_fabric_error_word(last.error.kind), text);
	}
	mutex_unlock(&last.lock);
	return n;
}

CONFIGFS_ATTR_WO(glass_, commands);
CONFIGFS_ATTR_RO(glass_, error);

static struct configfs_attribute *glass_attrs[] = {
	&glass_attr_commands,
	&glass_attr_error,
	NULL,
};

static const struct config_item_type glass_type = {
	.ct_attrs = glass_attrs,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "glass",
			.ci_type = &glass_type,
		},
	},
};

int glass_configfs_init(struct glass_fabric *f)
{
	fabric = f;
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void glass_configfs_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
}
#endif
