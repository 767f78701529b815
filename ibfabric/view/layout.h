/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the nodes of a fabric are in a picture. */
#ifndef IBFABRIC_LAYOUT_H
#define IBFABRIC_LAYOUT_H

#include "ibfabric/model/topo.h"

/* Sizes in pixels */
#define LAYOUT_HOST_W	 132
#define LAYOUT_HOST_H	 22
#define LAYOUT_HOST_GAP	 6
#define LAYOUT_TRUNK	 14 /* from the left of a column of hosts to the hosts */
#define LAYOUT_SWITCH_H	 40
#define LAYOUT_HOST_ROWS 8 /* of a column of hosts */
#define LAYOUT_FAR_W	 150 /* of the far end of a netdev cable */
#define LAYOUT_FAR_H	 36

struct layout_box {
	double x, y, w, h; /* of the top left corner */
	int64_t under;	   /* switch of which the host hangs in a column; -1: it is in a row */
	unsigned int row;  /* level of a switch; 0: a host */
};

struct layout {
	struct layout_box *box; /* of each node */
	struct layout_box *far; /* of the far end of each netdev cable; they are above all nodes */
	double width, height;
	bool flat; /* switches in a grid, as most cables join switches of one level */
};

/* Free it with layout_free(). */
void layout_make(const struct topo *t, struct layout *to);
void layout_free(struct layout *l);

#endif
