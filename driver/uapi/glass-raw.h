/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Input of glassN/raw in debugfs: one frame per write. The port receives the frame as
 * if it came over the port's cable. For tests of malformed and forged packets.
 *
 * The frame is wire bytes, LRH to VCRC. The port checks them as an adapter does:
 * it drops a frame that is malformed or has a wrong CRC. Trace, capture and counters
 * show the reason. write() succeeds when the port received the frame, also when it
 * dropped it. It fails with -EINVAL when there is no such port, no frame, or more
 * than GLASS_RAW_MAX bytes of it.
 */
#ifndef GLASS_UAPI_RAW_H
#define GLASS_UAPI_RAW_H

#include <linux/types.h>

#define GLASS_RAW_MAX 8192

/* Precedes the frame; byte order of the host. */
struct glass_raw_header {
	__u32 port; /* the port that receives the frame, from 1 */
	__u32 flags; /* must be 0 */
};

#endif
