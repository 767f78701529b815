/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Input of glassN/raw in debugfs: each write() has one frame, after a struct glass_raw_header. A
 * port receives the frame as if it came over the port's cable. Tests use this for malformed and
 * forged packets.
 *
 * The frame consists of wire bytes, from the LRH to the VCRC. The port checks them as an adapter
 * does: it drops a frame that is malformed or has a wrong CRC. Traces, captures and counters show
 * the reason. write() succeeds even if the port is down or drops the frame. write() fails with
 * EINVAL if the device has no such port, if `flags` is not 0, if the frame is empty, or if it is
 * longer than GLASS_RAW_MAX bytes.
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
