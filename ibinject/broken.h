/* SPDX-License-Identifier: GPL-2.0-only */
/* What faults broke for good: no end of a rule heals it. */
#ifndef IBINJECT_BROKEN_H
#define IBINJECT_BROKEN_H

/* Tells on standard error which queue pairs a fault put into ERR, and which CQs and SRQs failed. */
void broken_tell(const char *dev);

#endif
