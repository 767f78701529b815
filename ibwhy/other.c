// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/debugfs/device.h"
#include "lib/debugfs/text.h"
#include "netlink.h"
#include "other.h"

const char *sysfs_root = "/sys/class/infiniband";

#define CANNOT \
	"it keeps no packets, no work requests and no reasons; ibwhy cannot tell the first cause"

/* values of enum ib_qp_state */
static const char *const states[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };

struct telling {
	const struct why_style *style;
	json_object *list;
	pid_t pid;
	const char *dev;
	size_t told;
};

static void put_text(json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void tell_qp(const struct netlink_qp *q, void *arg)
{
	struct telling *t = arg;
	const char *state = q->state < 7 ? states[q->state] : "?";
	json_object *to;

	if (t->pid ? q->pid != (uint64_t)t->pid : q->state < 5)
		return;
	t->told++;
	if (!t->list) {
		fprintf(t->style->to,
			"  %s:0x%" PRIx64 " of %s (pid %" PRIu64
			") is in the state %s, connected to QP 0x%" PRIx64 ".\n",
			t->dev, q->qpn, q->comm, q->pid, state, q->dest);
		return;
	}
	to = json_object_new_object();
	put_text(to, "dev", t->dev);
	json_object_object_add(to, "qpn", json_object_new_uint64(q->qpn));
	json_object_object_add(to, "dest_qpn", json_object_new_uint64(q->dest));
	json_object_object_add(to, "pid", json_object_new_uint64(q->pid));
	put_text(to, "state", state);
	put_text(to, "cannot", CANNOT);
	json_object_array_add(t->list, to);
}

/* Does the name of a counter sound like an error? */
static bool is_error(const char *name)
{
	static const char *const parts[] = { "err",	"retry", "rnr",	    "timeout",
					     "out_of_", "drop",	 "discard", "nak" };
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

static void tell_counters(const struct telling *t, unsigned int port, const char *kind)
{
	char *path = format_text("%s/%s/ports/%u/%s", sysfs_root, t->dev, port, kind);
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct debugfs_file f = { 0 };
		char *file = format_text("%s/%s", path, e->d_name);
		uint64_t value;
		char *line;

		if (is_error(e->d_name) && !debugfs_read_path(&f, e->d_name, file) &&
		    (line = debugfs_line(&f)) && debugfs_number(line, strlen(line), &value) &&
		    value)
			fprintf(t->style->to, "  %s port %u: %s %" PRIu64 "\n", t->dev, port,
				e->d_name, value);
		debugfs_free(&f);
		free(file);
	}
	if (dir)
		closedir(dir);
	free(path);
}

static void tell_device(struct telling *t, struct netlink *nl)
{
	size_t before = t->told;
	int err = netlink_qps(nl, t->dev, tell_qp, t);

	if (t->list)
		return;
	if (err)
		fprintf(t->style->to, "  %s: netlink does not tell its QPs: %s\n", t->dev,
			strerror(-err));
	if (t->told == before)
		return;
	tell_counters(t, 1, "counters");
	tell_counters(t, 1, "hw_counters");
	fprintf(t->style->to, "  %s is not a Glass adapter: " CANNOT ".\n", t->dev);
}

size_t other_tell(const struct why_style *style, pid_t pid, json_object *list)
{
	struct telling t = { .style = style, .pid = pid, .list = list };
	DIR *dir = opendir(sysfs_root);
	struct netlink *nl = dir ? netlink_open() : NULL;
	struct devices glass;
	struct dirent *e;

	if (debugfs_devices_with("qp", &glass))
		glass.count = 0;
	while (nl && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || devices_have(&glass, e->d_name))
			continue;
		t.dev = e->d_name;
		tell_device(&t, nl);
	}
	netlink_close(nl);
	if (dir)
		closedir(dir);
	return t.told;
}
