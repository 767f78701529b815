// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table `network` of a story (story.h): whether the kernel still knows a way from an Ethernet port
 * to the peer.
 */
#include <net/neighbour.h>

#include "debugfs/story.h"
#include "link/ether.h"

DEFINE_GLASS_FIELDS(story_network, GLASS_COLUMNS_STORY_NETWORK);

#define NETWORK(name) GLASS_COL_STORY_NETWORK_##name

static const char *neighbour_word(u8 state)
{
	static const struct {
		u8 state;
		const char *word;
	} words[] = {
		{ NUD_INCOMPLETE, "incomplete" }, { NUD_REACHABLE, "reachable" },
		{ NUD_STALE, "stale" },		  { NUD_DELAY, "delay" },
		{ NUD_PROBE, "probe" },		  { NUD_FAILED, "failed" },
		{ NUD_NOARP, "noarp" },		  { NUD_PERMANENT, "permanent" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].state == state)
			return words[i].word;
	return "none";
}

static void network_row(struct glass_row *r, const struct glass_ether_way *way)
{
	glass_row_word(r, NETWORK(own), way->own ? "yes" : "no");
	if (!way->own)
		return;
	if (way->netdev[0])
		glass_row_text(r, NETWORK(netdev), "%s", way->netdev);
	glass_row_word(r, NETWORK(route), way->error ? "no" : "yes");
	if (way->error) {
		glass_row_num(r, NETWORK(errno), way->error);
		return;
	}
	glass_row_text(r, NETWORK(hop), "%pI6", way->hop);
	glass_row_word(r, NETWORK(neighbour), neighbour_word(way->neighbour));
}

void glass_story_network(struct glass_lines *l, const struct glass_story *s,
			 const struct glass_failure *f, struct glass_dev *dev)
{
	struct glass_ether_way way;
	struct glass_ether *e;

	glass_lines_block(l, GLASS_STORY_NETWORK_BYTES);
	glass_lines_header(l, GLASS_HEADER("network", GLASS_COLUMNS_STORY_NETWORK));
	if (!dev || !s->ethernet || !f->port || f->port > dev->num_ports)
		return;
	/* the reference on the device keeps its port */
	e = dev->ports[f->port].link.ether;
	if (!e || !glass_ether_look(e, s->sgid, s->dgid, &way) || !glass_lines_begin(l))
		return;
	glass_row_text(&l->row, NETWORK(dev), "%s", glass_dev_name(dev));
	glass_row_text(&l->row, NETWORK(sgid), "%pI6", s->sgid);
	glass_row_text(&l->row, NETWORK(dgid), "%pI6", s->dgid);
	network_row(&l->row, &way);
	glass_lines_row(l, &glass_fields_story_network);
	glass_lines_end(l);
}
