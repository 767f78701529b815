// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes of a command end before their failures are told, so they are collected while the
 * command runs: every LOOK_EVERY ms the descendants of ibwhy. A process that lived shorter is known
 * by this: it was not there before, and is not there now.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "hang.h"
#include "lib/child.h"
#include "lib/debugfs/text.h"

#define LOOK_EVERY 50 /* ms */

struct pids {
	uint64_t *pid;
	size_t count;
};

static struct pids before, ours;

static bool has(const struct pids *p, uint64_t pid)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (p->pid[i] == pid)
			return true;
	return false;
}

static void add(struct pids *p, uint64_t pid)
{
	if (has(p, pid))
		return;
	if (p->count % 256 == 0) {
		p->pid = realloc(p->pid, (p->count + 256) * sizeof(*p->pid));
		if (!p->pid)
			cli_die(CLI_FAILED, "out of memory");
	}
	p->pid[p->count++] = pid;
}

/* The parent of a process; 0 if there is no such process */
static uint64_t parent_of(const char *pid)
{
	char *path = format_text("%s/%s/stat", proc_root, pid), line[512] = "", *end;
	FILE *f = fopen(path, "re");
	unsigned long long parent = 0;

	free(path);
	if (f && !fgets(line, sizeof(line), f))
		*line = 0;
	if (f)
		fclose(f);
	end = strrchr(line, ')');
	if (!end || sscanf(end + 1, " %*c %llu", &parent) != 1)
		return 0;
	return parent;
}

/* Adds all processes, or those whose parent is ours. Returns whether it added one. */
static bool look(struct pids *to, bool all)
{
	DIR *dir = opendir(proc_root);
	size_t count = to->count;
	struct dirent *e;
	uint64_t pid;

	while (dir && (e = readdir(dir)))
		if (debugfs_number(e->d_name, strlen(e->d_name), &pid) &&
		    (all || has(&ours, parent_of(e->d_name))))
			add(to, pid);
	if (dir)
		closedir(dir);
	return to->count > count;
}

static bool is_alive(uint64_t pid)
{
	char *path = format_text("%s/%llu", proc_root, (unsigned long long)pid);
	bool alive = !access(path, F_OK);

	free(path);
	return alive;
}

static bool is_mine(const struct why_story *s, const char *key)
{
	uint64_t pid;

	if (!why_value_number(s, WHY_FAILURE, "", key, &pid) || !pid)
		return false;
	return has(&ours, pid) || (!has(&before, pid) && !is_alive(pid));
}

bool command_owns(const struct why_story *s)
{
	return is_mine(s, "pid") || is_mine(s, "peer_pid");
}

int command_run(char **argv, struct box *box, bool *ran)
{
	enum status status;
	struct child child;
	uint64_t last;
	int result;
	bool end;

	memset(box, 0, sizeof(*box));
	*ran = false;
	status = box_last_id(&last);
	if (status)
		return status;
	look(&before, true);
	child_adopt(0);
	child_prepare();
	result = child_start(&child, argv);
	if (result)
		return result;
	*ran = true;
	add(&ours, getpid());
	add(&ours, child.pid);
	do {
		end = child_wait(&child, LOOK_EVERY);
		while (look(&ours, false))
			;
	} while (!end);
	status = box_read(box, last);
	return child.status ? child.status : (int)status;
}

void command_free(void)
{
	free(before.pid);
	free(ours.pid);
	memset(&before, 0, sizeof(before));
	memset(&ours, 0, sizeof(ours));
}
