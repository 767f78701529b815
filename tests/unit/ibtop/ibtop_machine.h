/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine with one Glass adapter as ibtop sees it: directories that stand for
 * sysfs and debugfs, and a netlink that there is not. What reads them is ibtop's
 * own.
 */
#ifndef GLASS_TESTS_UNIT_IBTOP_MACHINE_H
#define GLASS_TESTS_UNIT_IBTOP_MACHINE_H

struct machine {
	char dir[64], sysfs[80], debugfs[80];
};

/* Two pids that own objects */
#define MACHINE_PID_A 1000001
#define MACHINE_PID_B 1000002

void machine_begin(struct machine *f);
void machine_end(struct machine *f);
/* Replaces a file of the device's debugfs directory; "../fabric/nodes" is one of the fabric. */
void machine_file(const struct machine *f, const char *name, const char *text);
void machine_remove(const struct machine *f, const char *name);
/*
 * Processes a and b with a context, a PD, an MR and a CQ each, and qps queue pairs
 * in turn: 0x100, 0x101 ... Pairs are connected with each other. A round is a
 * second: each QP sends and receives 10 messages in it, the n-th of 1000 * (n + 1)
 * bytes together, n from 0.
 */
void machine_objects(const struct machine *f, unsigned int qps, unsigned int round);

#endif
