// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/debugfs/text.h"
#include "lib/pairs.h"
#include "session.h"

/* ---- scopes */

/*
 * Returns the highest id in lint/scope, or 0 if there is none. Ids rise, so it belongs to the
 * newest scope.
 */
static uint64_t last_id(struct debugfs_file *scope)
{
	uint64_t id, highest = 0;
	const char *line;

	while ((line = debugfs_line(scope)))
		if (find_number(line, "id", &id) && id > highest)
			highest = id;
	return highest;
}

static enum status add_scope(struct session *s, struct session_device *d, const char *command)
{
	if (write(d->scope, command, strlen(command)) != (ssize_t)strlen(command)) {
		if (errno == ENOSPC)
			cli_error("%s has as many scopes as it can (lint/scope)", d->name);
		else
			cli_error("%s: %s: %s", d->name, command, strerror(errno));
		return ST_FAILED;
	}
	if (debugfs_read_fd(&s->file, d->name, "lint/scope", d->scope))
		return ST_OK;
	d->id[d->ids] = last_id(&s->file);
	d->ids += d->id[d->ids] != 0;
	debugfs_tell(&s->file);
	return ST_OK;
}

/* Returns the options that all scopes of the session share. */
static char *scope_options(const struct session_setup *setup)
{
	struct glass_lint_set looked_at = setup->codes;
	char *codes_list, *errors = codes_text(&setup->errors), *text;
	bool choose = setup->choose;

	if (!choose)
		codes_parse("default", "", &looked_at);
	choose |= !glass_lint_set_has_all(&looked_at, &setup->errors);
	glass_lint_set_add_all(&looked_at, &setup->errors);
	codes_list = codes_scope(&looked_at);
	text = format_text("%s%s%s%s%s%s owner", choose ? " codes=" : "", choose ? codes_list : "",
			   setup->log ? " log" : "", setup->stacks ? " stacks" : "",
			   *errors ? " error=" : "", errors);
	free(codes_list);
	free(errors);
	return text;
}

/* Returns a pattern in the encoding of scopes. The caller frees it. */
static char *scope_comm(const char *comm)
{
	char *text = malloc(DEBUGFS_ENCODED(strlen(comm)));

	if (!text)
		cli_die(CLI_FAILED, "out of memory");
	debugfs_encode(comm, "*?", text);
	return text;
}

static enum status add_scopes(struct session *s, struct session_device *d,
			      const struct session_setup *setup)
{
	char *options = scope_options(setup), *command, *comm;
	const struct targets *t = &setup->targets;
	enum status status = ST_OK;
	size_t i;

	for (i = 0; i < t->all + t->pids + t->comms && !status; i++) {
		if (t->all) {
			command = format_text("add all%s\n", options);
		} else if (i < t->pids) {
			command = format_text("add pid=%d%s\n", (int)t->pid[i], options);
		} else {
			comm = scope_comm(t->comm[i - t->pids]);
			command = format_text("add comm=%s%s\n", comm, options);
			free(comm);
		}
		status = add_scope(s, d, command);
		free(command);
	}
	free(options);
	return status;
}

/*
 * Does the finding belong to this session? The table has the findings of all scopes, with their
 * ids. Without ids from the driver, assume that it does.
 */
static bool of_session(const struct session_device *d, const struct finding *f)
{
	const char *at = f->scopes;
	uint64_t id;
	size_t i;
	char *end;

	if (!d->ids || !*at)
		return true;
	for (;; at = end + 1) {
		id = strtoull(at, &end, 10);
		for (i = 0; i < d->ids; i++)
			if (d->id[i] == id)
				return true;
		if (*end != ':')
			return false;
	}
}

/* ---- findings */

static struct finding *find(struct session_device *d, uint64_t id)
{
	size_t low = 0, high = d->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (d->finding[middle].id == id)
			return &d->finding[middle];
		if (d->finding[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Takes in a finding. `begin`: it existed before the session. */
static void take(struct session *s, struct session_device *d, struct finding *f, bool begin)
{
	struct finding *known = find(d, f->id), *more;

	f->dev = d->name;
	if (known) {
		known->count = f->count > known->before ? f->count - known->before : 0;
		known->last = f->last;
		known->stack = f->stack;
		known->peer_stack = f->peer_stack;
		strcpy(known->scopes, f->scopes);
		finding_free(f);
	} else {
		/* ids only rise, unless the driver was reloaded */
		if (d->count && d->finding[d->count - 1].id > f->id) {
			finding_free(f);
			return;
		}
		/* grow in steps of 64 */
		if (d->count % 64 == 0) {
			more = realloc(d->finding, (d->count + 64) * sizeof(*more));
			if (!more)
				cli_die(CLI_FAILED, "out of memory");
			d->finding = more;
		}
		known = &d->finding[d->count++];
		*known = *f;
		known->before = begin ? f->count : 0;
		known->count = f->count - known->before;
	}
	if (!known->count || known->ours)
		return;
	known->ours = of_session(d, known);
	if (!known->ours)
		return;
	known->muted = mutes_find(s->mutes, known);
	finding_find_stacks(known, s->where);
}

/*
 * Reports bad lines once. A last line without newline is still being written, unless this is the
 * last look.
 */
static void tell_bad(struct debugfs_file *f, bool last)
{
	if (!f->cut || last)
		debugfs_tell_once(f);
}

static bool read_findings(struct session *s, struct session_device *d, bool begin, bool last)
{
	int err = debugfs_read_fd(&s->file, d->name, "lint/findings", d->findings);
	struct finding_layout layout;
	struct debugfs_table table;
	struct finding f;

	if (err) {
		cli_error("%s: lint/findings: %s", d->name, strerror(err));
		return false;
	}
	if (!finding_layout(&table, &s->file, &layout)) {
		debugfs_tell(&s->file);
		return false;
	}
	while (debugfs_table_next(&table))
		if (finding_parse(&table, &layout, &f))
			take(s, d, &f, begin);
	d->lost = table.lost;
	if (begin)
		d->lost_before = d->lost;
	tell_bad(&s->file, last);
	return true;
}

/*
 * May the file have changed since the last read? A file that cannot signal changes is always read.
 */
static bool has_news(const struct session_device *d)
{
	struct pollfd p = { .fd = d->findings, .events = POLLPRI };
	struct stat file;

	if (d->findings < 0)
		return false;
	if (!fstat(d->findings, &file) && file.st_size)
		return true;
	return poll(&p, 1, 0) != 0;
}

bool session_look(struct session *s, bool last, void (*tell)(const struct finding *f, void *arg),
		  void *arg)
{
	bool ok = true;
	size_t i, k;

	for (i = 0; i < s->devices; i++) {
		struct session_device *d = &s->device[i];

		if (!has_news(d))
			continue;
		if (!read_findings(s, d, false, last)) {
			/*
			 * the message was printed: stop reading this device, continue with the
			 * others
			 */
			close(d->findings);
			d->findings = -1;
			ok = false;
		}
		for (k = 0; k < d->count; k++) {
			struct finding *f = &d->finding[k];

			if (f->told || !f->ours || f->muted)
				continue;
			tell(f, arg);
			f->told = true;
		}
	}
	return ok;
}

static int by_weight(const void *a, const void *b)
{
	const struct finding *const *fa = a, *const *fb = b;
	unsigned int ra = severity_rank((*fa)->severity), rb = severity_rank((*fb)->severity);

	if (ra != rb)
		return ra < rb ? -1 : 1;
	if ((*fa)->code != (*fb)->code)
		return (*fa)->code < (*fb)->code ? -1 : 1;
	if ((*fa)->first != (*fb)->first)
		return (*fa)->first < (*fb)->first ? -1 : 1;
	return 0;
}

void session_each(struct session *s, void (*each)(const struct finding *f, void *arg), void *arg)
{
	size_t i, k, n = 0, room = 0;
	const struct finding **all;

	for (i = 0; i < s->devices; i++)
		room += s->device[i].count;
	all = calloc(room + 1, sizeof(*all));
	if (!all)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < s->devices; i++)
		for (k = 0; k < s->device[i].count; k++)
			if (s->device[i].finding[k].ours)
				all[n++] = &s->device[i].finding[k];
	qsort(all, n, sizeof(*all), by_weight);
	for (i = 0; i < n; i++)
		each(all[i], arg);
	free(all);
}

uint64_t session_lost(const struct session *s)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < s->devices; i++)
		if (s->device[i].lost > s->device[i].lost_before)
			lost += s->device[i].lost - s->device[i].lost_before;
	return lost;
}

enum status session_begin(struct session *s, const struct session_setup *setup,
			  const struct mutes *mutes, const struct devices *devices)
{
	enum status status = ST_OK;
	size_t i;

	memset(s, 0, sizeof(*s));
	s->mutes = mutes;
	if (setup->stacks) {
		s->where = where_new();
		if (!s->where)
			cli_die(CLI_FAILED, "out of memory");
	}
	for (i = 0; i < devices->count && !status; i++) {
		struct session_device *d = &s->device[s->devices++];

		strcpy(d->name, devices->name[i]);
		d->findings = debugfs_open(&lint_use, d->name, "lint/findings", O_RDONLY);
		d->scope = debugfs_open(&lint_use, d->name, "lint/scope", O_RDWR | O_APPEND);
		if (d->findings < 0 || d->scope < 0)
			status = ST_NO_DEVICE;
		else if (!read_findings(s, d, true, false))
			status = ST_FAILED;
		else
			status = add_scopes(s, d, setup);
	}
	if (status)
		session_end(s);
	return status;
}

void session_end(struct session *s)
{
	size_t i, k;

	for (i = 0; i < s->devices; i++) {
		struct session_device *d = &s->device[i];

		if (d->scope >= 0)
			close(d->scope);
		if (d->findings >= 0)
			close(d->findings);
		for (k = 0; k < d->count; k++)
			finding_free(&d->finding[k]);
		free(d->finding);
	}
	debugfs_free(&s->file);
	where_free(s->where);
	memset(s, 0, sizeof(*s));
}
