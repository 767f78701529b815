// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "ibtop/screen/theme.h"

static const char *const names[THEME_COUNT] = {
	[THEME_DARK] = "dark",
	[THEME_LIGHT] = "light",
	[THEME_CONTRAST] = "contrast",
	[THEME_MONO] = "mono",
};

#define LOOKS(ROLE, dark, light, contrast, mono) [ROLE_##ROLE] = { dark, light, contrast, mono },
static const struct look looks[ROLE_COUNT][THEME_COUNT] = { TOP_ROLES(LOOKS) };

const char *theme_name(enum theme theme)
{
	return names[theme];
}

enum theme theme_find(const char *name)
{
	enum theme theme;

	for (theme = 0; theme < THEME_COUNT; theme++)
		if (!strcmp(names[theme], name))
			break;
	return theme;
}

const char *theme_names(void)
{
	return "dark, light, contrast or mono";
}

struct look theme_look(enum theme theme, enum role role)
{
	return looks[role][theme];
}
