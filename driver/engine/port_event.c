// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Raises asynchronous events for changes of a port, as link/ reports them (link/env.h). */
#include "engine/engine.h"
#include "link/env.h"
#include "observe/observe.h"

static const struct {
	u32 change;
	enum ib_event_type event;
} port_events[] = {
	{ GLASS_CHG_LID, IB_EVENT_LID_CHANGE },
	{ GLASS_CHG_SM, IB_EVENT_SM_CHANGE },
	{ GLASS_CHG_PKEY, IB_EVENT_PKEY_CHANGE },
	{ GLASS_CHG_GID, IB_EVENT_GID_CHANGE },
	{ GLASS_CHG_ACTIVE, IB_EVENT_PORT_ACTIVE },
	{ GLASS_CHG_DOWN, IB_EVENT_PORT_ERR },
	{ GLASS_CHG_REREG, IB_EVENT_CLIENT_REREGISTER },
};

void glass_port_changed(struct glass_link_port *lp, const struct glass_port_change *c)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	u32 i;

	if (c->changes & (GLASS_CHG_STATE | GLASS_CHG_LID | GLASS_CHG_SM)) {
		trace_glass_port_state(lp->name, lp->num, lp->told_state, c->state, c->lid,
				       c->sm_lid);
		lp->told_state = c->state;
	}
	for (i = 0; i < ARRAY_SIZE(port_events); i++)
		if (c->changes & port_events[i].change)
			glass_port_event(hp->dev, lp->num, port_events[i].event);
}
