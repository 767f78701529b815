// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <string.h>

#include "view.h"

const char *view_state(const struct topo_cable *c, int own, char to[32])
{
	if (c->pulled)
		return "pulled";
	if (!strcmp(c->state[0], c->state[1]))
		snprintf(to, 32, "%s", c->state[0]);
	else
		snprintf(to, 32, "%s/%s", c->state[own], c->state[!own]);
	return to;
}

bool view_up(const struct topo_cable *c)
{
	return !c->pulled && (!*c->state[0] || c->active_width);
}

const char *view_speed(const struct topo_cable *c, char to[32])
{
	unsigned int width = c->active_width ? c->active_width : c->width;
	unsigned int speed = c->active_width ? c->active_speed : c->speed;
	const char *word = topo_speed_word(speed);
	char *at;

	*to = 0;
	if (width)
		snprintf(to, 32, "%ux%s", width, word ? " " : "");
	at = to + strlen(to);
	if (word)
		snprintf(at, 32 - (at - to), "%s", word);
	for (; *at; at++)
		*at = toupper((unsigned char)*at);
	return to;
}
