/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Input of glassN/raw in debugfs: each write has one frame. A port receives the frame as
 * if it came over the port's cable. Tests use this for malformed and forged packets.
 *
 * The frame consists of wire bytes, LRH to VCRC. The port checks them as an adapter does:
 * it drops a frame that is malformed or has a wrong CRC. Trace, capture and counters
 * show the reason. write() succeeds also if the port drops the frame, or is down. write()
 * fails with -EINVAL if there is no such port, if flags are not 0, or if the frame has 0
 * bytes or more than GLASS_RAW_MAX.
 */
#ifndef GLASS_UAPI_RAW_H
#define GLASS_UAPI_RAW_H

#include <linux/types.h>

#define GLASS_RAW_MAX 8192

/* Precedes the frame. The values are in the byte order of the host. */
struct glass_raw_header {
	__u32 port; /* the port that receives the frame, from 1 */
	__u32 flags; /* must be 0 */
};

#endif
