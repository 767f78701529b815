/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures of captured packets. */
#ifndef IBCAP_PICTURES_H
#define IBCAP_PICTURES_H

#include "describe.h"
#include "lib/picture/outputs.h"
#include "source.h"

/* Adds a captured packet of this device. A packet that could not be decoded is not drawn. */
void pictures_packet(struct picture_outputs *o, const char *dev, const struct seen *s);
/* Adds the error that froze the flight recorder, if there was one. */
void pictures_flight(struct picture_outputs *o, const struct glass_cap_state *f, const char *cause);

#endif
