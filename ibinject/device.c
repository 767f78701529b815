// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "lib/debugfs/node.h"
#include "lib/pairs.h"
#include "uapi/glass-inject.h"

const struct debugfs_use injection = { "injection", "inject/rules", "there is no adapter" };

enum status devices_find(struct devices *all)
{
	return debugfs_find(&injection, all) ? ST_OK : ST_NO_DEVICE;
}

void devices_without_fabric(struct devices *all)
{
	size_t i, n = 0;

	for (i = 0; i < all->count; i++)
		if (strcmp(all->name[i], FABRIC_DIR))
			memmove(all->name[n++], all->name[i], DEVICE_NAME);
	all->count = n;
}

bool device_table(struct debugfs_table *t, struct debugfs_file *f, const char *dev,
		  const char *file, const char *kind)
{
	memset(f, 0, sizeof(*f));
	return !debugfs_read(f, dev, file) && debugfs_table_begin(t, f, kind);
}

void device_done(struct debugfs_file *f)
{
	debugfs_tell_once(f);
	debugfs_free(f);
}

void device_done_looking(struct debugfs_file *f)
{
	if (!f->cut)
		debugfs_tell_once(f);
	debugfs_free(f);
}

char *devices_names(const struct devices *all)
{
	const char *words[DEVICES_MAX];
	size_t i;

	for (i = 0; i < all->count; i++)
		words[i] = all->name[i];
	return join_words((char *const *)words, all->count);
}

enum status device_choose(const char *name, char dev[DEVICE_NAME])
{
	enum status status;
	struct devices all;
	const char *near;
	char *list;

	status = devices_find(&all);
	if (status)
		return status;
	if (name && devices_have(&all, name)) {
		strcpy(dev, name);
		return ST_OK;
	}
	if (!name)
		devices_without_fabric(&all);
	list = devices_names(&all);
	if (name) {
		near = devices_nearest(&all, name);
		if (near)
			cli_error("%s: no such device; did you mean %s?", name, near);
		else
			cli_error("%s: no such device; there are: %s", name, list);
		status = ST_NO_DEVICE;
	} else if (all.count == 1) {
		strcpy(dev, all.name[0]);
		cli_error("on %s", dev);
	} else {
		cli_error("no device is given; there are: %s", list);
		status = ST_USAGE;
	}
	free(list);
	return status;
}

/* Does the table have a row with that number? */
static bool in_table(const char *dev, const char *kind, const char *column, uint64_t number)
{
	struct debugfs_table t;
	struct debugfs_file f;
	bool found = false;
	uint64_t v;
	int at;

	if (device_table(&t, &f, dev, kind, kind) && debugfs_columns_find(&t, &column, 1, &at))
		while (!found && debugfs_table_next(&t))
			found = debugfs_has(&t, at) && debugfs_value_number(&t, at, &v) &&
				v == number;
	device_done(&f);
	return found;
}

enum status device_of_object(const char *kind, const char *column, uint64_t number,
			     char dev[DEVICE_NAME])
{
	struct devices all, with = { .count = 0 };
	enum status status = devices_find(&all);
	char *list;
	size_t i;

	if (status)
		return status;
	for (i = 0; i < all.count; i++)
		if (in_table(all.name[i], kind, column, number))
			strcpy(with.name[with.count++], all.name[i]);
	if (with.count == 1) {
		strcpy(dev, with.name[0]);
		cli_error("on %s", dev);
		return ST_OK;
	}
	if (!with.count) {
		cli_error("no device has %s %s=0x%llx", kind, column, (unsigned long long)number);
		return ST_NO_DEVICE;
	}
	list = devices_names(&with);
	cli_error("several devices have %s %s=0x%llx: %s; write DEV:NUMBER", kind, column,
		  (unsigned long long)number, list);
	free(list);
	return ST_USAGE;
}

/* Returns the number of a word that word_of() knows below count, or count. */
static int word_number(const char *line, const char *key, int count, const char *(*word_of)(int n))
{
	char word[32];
	int n = 0;

	if (!find_value(line, key, word, sizeof(word)))
		return count;
	while (n < count && strcmp(word_of(n), word))
		n++;
	return n;
}

static const char *kind_word(int kind)
{
	return glass_rule_error_word(kind);
}

static const char *key_word_of(int key)
{
	return glass_rule_key_word(key);
}

/* Reads a number that may be "-", which is 0. Returns false if it is neither. */
static bool field_number(const char *line, const char *key, uint64_t most, uint64_t *to, bool *has)
{
	struct pair p;

	*to = 0;
	*has = false;
	if (!find_pair(line, key, &p))
		return false;
	if (p.value_len == 1 && *p.value == '-')
		return true;
	*has = true;
	return find_number(line, key, to) && *to <= most;
}

bool error_fields(const char *line, struct glass_rule_error *why)
{
	uint64_t at, len, low, high;
	bool has;
	int kind = word_number(line, "kind", GLASS_RE_KINDS, kind_word);

	glass_rule_error_set(why, GLASS_RE_NONE, GLASS_RK_KEYS);
	if (!kind || kind == GLASS_RE_KINDS || !field_number(line, "at", UINT32_MAX, &at, &has) ||
	    !field_number(line, "len", UINT32_MAX, &len, &has) ||
	    !field_number(line, "low", UINT64_MAX, &low, &has) ||
	    !field_number(line, "high", UINT64_MAX, &high, &has))
		return false;
	*why = (struct glass_rule_error){
		.kind = kind,
		.key = word_number(line, "key", GLASS_RK_KEYS, key_word_of),
		.other = word_number(line, "other", GLASS_RK_KEYS, key_word_of),
		.bounded = has,
		.at = at,
		.len = len,
		.low = low,
		.high = high,
	};
	return true;
}

/* Reads last_error about the command. told->text stays NULL if there is none. */
static void read_refusal(const char *dev, const char *command, struct refusal *told)
{
	struct debugfs_file f = { 0 };
	const char *line;

	if (!debugfs_read(&f, dev, "inject/last_error") && (line = debugfs_line(&f)) && *line) {
		told->text = format_text("%s", line);
		line = debugfs_line(&f);
		if (line && error_fields(line, &told->why))
			glass_rule_error_why(told->sentence, &told->why, command, strlen(command),
					     dev);
	}
	device_done_looking(&f);
}

enum status device_command(const char *dev, int fd, const char *command, struct refusal *told)
{
	size_t len = strlen(command);

	memset(told, 0, sizeof(*told));
	if (write(fd, command, len) == (ssize_t)len)
		return ST_OK;
	told->err = errno;
	if (told->err == EINVAL)
		read_refusal(dev, command, told);
	else if (told->err == ENOSPC)
		told->text = format_text("%s has %d rules already; delete some", dev,
					 GLASS_INJECT_RULES);
	if (!told->text)
		told->text = format_text("%s", strerror(told->err));
	return ST_FAILED;
}

enum status device_do(const char *dev, const char *command)
{
	int fd = debugfs_open(&injection, dev, "inject/rules", O_WRONLY);
	enum status status;
	struct refusal told;

	if (fd < 0)
		return ST_NO_DEVICE;
	status = device_command(dev, fd, command, &told);
	if (status)
		cli_error("%s: %s", dev, told.text);
	free(told.text);
	close(fd);
	return status;
}

bool looks_like_device(const char *word)
{
	return !strpbrk(word, "= \t\n!<>~/") && *word;
}
