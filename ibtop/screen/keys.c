// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "ibtop/screen/keys.h"

#define GROUP_ENUM(GROUP, heading) GROUP_##GROUP,
enum { TOP_KEY_GROUPS(GROUP_ENUM) GROUP_COUNT };

#define GROUP_HEADING(GROUP, heading) [GROUP_##GROUP] = heading,
static const char *const headings[GROUP_COUNT] = { TOP_KEY_GROUPS(GROUP_HEADING) };

#define INFO(ID, group_, keys_, label_, meaning_)                                                  \
	[COMMAND_##ID] = { .keys = keys_, .label = label_, .meaning = meaning_ },
static struct command_info infos[COMMAND_COUNT] = { TOP_COMMANDS(INFO) };

#define GROUP_OF(ID, group, ...) [COMMAND_##ID] = GROUP_##group,
static const unsigned char group_of[COMMAND_COUNT] = { TOP_COMMANDS(GROUP_OF) };

const struct command_info *command_get(enum command command)
{
	infos[command].group = headings[group_of[command]];
	return &infos[command];
}

int key_parse(const char *name)
{
	static const struct {
		const char *name;
		int key;
	} named[] = {
#define NAMED(ID, name) { name, TOP_KEY_##ID },
		TOP_SPECIAL_KEYS(NAMED)
		{ "Tab", TOP_KEY_TAB },
		{ "Enter", TOP_KEY_ENTER },
		{ "Esc", TOP_KEY_ESCAPE },
		{ "Space", ' ' },
	};
	size_t i;

	if (name[0] && !name[1])
		return (unsigned char)name[0];
	if (name[0] == '^' && name[1] >= 'A' && name[1] <= 'Z' && !name[2])
		return name[1] - 'A' + 1;
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(named[i].name, name))
			return named[i].key;
	return TOP_KEY_NONE;
}

/* Copies the next word of a list separated by blanks. Returns false at the end. */
static bool next_word(const char **list, char *word, size_t size)
{
	size_t len;

	*list += strspn(*list, " ");
	len = strcspn(*list, " ");
	if (!len || len >= size)
		return false;
	memcpy(word, *list, len);
	word[len] = '\0';
	*list += len;
	return true;
}

enum command command_of_key(int key)
{
	enum command command;

	for (command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++) {
		const char *list = infos[command].keys;
		char word[16];

		while (next_word(&list, word, sizeof(word)))
			if (key_parse(word) == key)
				return command;
	}
	return COMMAND_NONE;
}
