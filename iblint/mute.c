// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/nearest.h"
#include "mute.h"

#define FILE_NAME ".iblintrc"

static void mute_free(struct mute *m)
{
	free(m->dev);
	free(m->kind);
	free(m->why);
	free(m->where);
	free(m);
}

static bool wrong_key(const char *where, const char *word)
{
	static const char *const keys[] = { "comm", "dev", "kind", "num" };
	char *key = strndup(word, strcspn(word, "="));
	struct glass_nearest near = glass_nearest_to(key ? key : "");
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		glass_nearest_consider(&near, keys[i]);
	if (near.found)
		cli_error("%s: there is no key '%s'; did you mean %s=?", where, word, near.found);
	else
		cli_error("%s: '%s' is unknown; expected comm=GLOB, dev=NAME, kind=KIND or "
			  "num=NUMBER", where,
			  word);
	free(key);
	return false;
}

static bool take_comm(struct mute *m, const char *value)
{
	m->has_comm = glass_name_parse(&m->comm, value, strlen(value), GLASS_NAME_BYTES - 1);
	if (!m->has_comm)
		cli_error("%s: comm=%s: a name has 1 to 15 bytes, the kernel keeps no more; %%XX is a byte",
			  m->where, value);
	return m->has_comm;
}

/* Parses one KEY=VALUE. */
static bool take_key(struct mute *m, const char *word)
{
	char *value = strchr(word, '='), *end, **to = NULL;
	size_t len = value ? value - word : 0;

	if (!value || !value[1])
		return wrong_key(m->where, word);
	value++;
	if (len == 4 && !memcmp(word, "comm", len))
		return take_comm(m, value);
	else if (len == 3 && !memcmp(word, "dev", len))
		to = &m->dev;
	else if (len == 4 && !memcmp(word, "kind", len))
		to = &m->kind;
	else if (len != 3 || memcmp(word, "num", len))
		return wrong_key(m->where, word);
	if (to) {
		free(*to);
		*to = format_text("%s", value);
		return true;
	}
	errno = 0;
	m->num = strtoull(value, &end, 0);
	m->has_num = !errno && !*end && *value >= '0' && *value <= '9';
	if (!m->has_num)
		cli_error("%s: num=%s: not a number", m->where, value);
	return m->has_num;
}

bool mutes_add(struct mutes *all, const char *text, const char *where)
{
	char *copy = format_text("%s", text), *at = copy, *hash, *word;
	struct mute *m = calloc(1, sizeof(*m)), **more;
	bool ok, first = true;

	if (!m)
		cli_die(CLI_FAILED, "out of memory");
	m->where = format_text("%s", where);
	hash = strchr(copy, '#');
	if (hash) {
		*hash++ = 0;
		hash += strspn(hash, " \t");
		if (*hash)
			m->why = format_text("%s", hash);
	}
	for (ok = true; ok && (word = strsep(&at, " \t"));) {
		if (!*word)
			continue;
		ok = first ? codes_parse(word, where, &m->codes) : take_key(m, word);
		first = false;
	}
	free(copy);
	if (ok && first) {
		cli_error("%s: which codes?", where);
		ok = false;
	}
	if (ok && m->has_num && !m->kind) {
		cli_error("%s: num= needs a kind=: each kind of object has its own numbers", where);
		ok = false;
	}
	more = ok ? realloc(all->mute, (all->count + 1) * sizeof(*more)) : NULL;
	if (!more) {
		mute_free(m);
		return false;
	}
	all->mute = more;
	all->mute[all->count++] = m;
	return true;
}

static bool read_rules(struct mutes *all, FILE *from, const char *file)
{
	unsigned long number = 0;
	char *line = NULL;
	size_t size = 0;
	bool ok = true;

	while (getline(&line, &size, from) > 0) {
		char *at = line + strspn(line, " \t"), *where;

		number++;
		at[strcspn(at, "\r\n")] = 0;
		if (!*at || *at == '#')
			continue;
		where = format_text("%s:%lu", file, number);
		if (!strncmp(at, "mute", 4) && strchr(" \t", at[4])) {
			ok &= mutes_add(all, at + 4, where);
		} else {
			cli_error("%s: '%.*s': a line begins with mute", where,
				  (int)strcspn(at, " \t"), at);
			ok = false;
		}
		free(where);
	}
	free(line);
	fclose(from);
	return ok;
}

bool mutes_read(struct mutes *all, const char *file)
{
	FILE *from = fopen(file, "re");

	if (from)
		return read_rules(all, from, file);
	cli_error("%s: %s", file, strerror(errno));
	return false;
}

/*
 * May this owner's file suppress findings? Trusted are root, and the user who runs iblint or sudo.
 */
static bool is_trusted(uid_t owner)
{
	const char *sudo = geteuid() ? NULL : getenv("SUDO_UID");
	char *end;

	if (!owner || owner == geteuid())
		return true;
	return sudo && *sudo >= '0' && *sudo <= '9' && strtoul(sudo, &end, 10) == owner && !*end;
}

/*
 * Opens a file that was found, not named by the user. Returns NULL if it is missing or, after a
 * message, if it is not trusted or not a regular file.
 */
static FILE *open_found(const char *file)
{
	/* do not block on a FIFO or a terminal */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *from;

	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			cli_error("%s is ignored: %s", file, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st))
		cli_error("%s is ignored: %s", file, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		cli_error("%s is ignored: it is not a regular file", file);
	else if (!is_trusted(st.st_uid))
		cli_error("%s is ignored: it belongs to user %u; --rcfile=FILE reads it", file,
			  (unsigned int)st.st_uid);
	else if (st.st_mode & S_IWOTH)
		cli_error("%s is ignored: every user may write to it; --rcfile=FILE reads it", file);
	else if ((from = fdopen(fd, "r")))
		return from;
	close(fd);
	return NULL;
}

/* Returns false after an error message. A missing file is no error. */
static bool read_found(struct mutes *all, char *file, bool *found)
{
	FILE *from = open_found(file);
	bool ok = true;

	*found = from;
	if (from)
		ok = read_rules(all, from, file);
	free(file);
	return ok;
}

bool mutes_find_file(struct mutes *all)
{
	char *dir = getcwd(NULL, 0), *slash;
	const char *home = getenv("HOME");
	bool found = false, ok = true;

	while (dir && *dir == '/') {
		ok = read_found(all, format_text("%s/" FILE_NAME, strcmp(dir, "/") ? dir : ""), &found);
		if (found)
			break;
		slash = strrchr(dir, '/');
		if (!slash[1])
			break;
		slash[slash == dir] = 0;
	}
	free(dir);
	if (!found && home && *home)
		ok = read_found(all, format_text("%s/" FILE_NAME, home), &found);
	return ok;
}

const struct mute *mutes_find(const struct mutes *all, const struct finding *f)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		const struct mute *m = all->mute[i];

		if (glass_lint_set_has(&m->codes, f->code) &&
		    (!m->has_comm || glass_name_fits(&m->comm, f->comm)) &&
		    (!m->dev || !strcmp(m->dev, f->dev)) &&
		    (!m->kind || !strcmp(m->kind, f->kind)) &&
		    (!m->has_num || (*f->num && m->num == strtoull(f->num, NULL, 0))))
			return m;
	}
	return NULL;
}

void mutes_free(struct mutes *all)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		mute_free(all->mute[i]);
	free(all->mute);
	memset(all, 0, sizeof(*all));
}
