/* SPDX-License-Identifier: GPL-2.0-only */
/* Permanent damage by faults, which the end of a rule does not heal. */
#ifndef IBINJECT_BROKEN_H
#define IBINJECT_BROKEN_H

/* Lists on standard error the QPs that a fault put into ERR, and the CQs and SRQs that failed. */
void broken_tell(const char *dev);

#endif
