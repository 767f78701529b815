// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whoever tells an event of a port of Glass takes its time before: what may come between becomes likely. For tests of the
 * order in which changes of a port are told.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static int event;
module_param(event, int, 0444);
MODULE_PARM_DESC(event, "enum ib_event_type of the events that are held up");

static uint ms = 500;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "for how long, in milliseconds");

/* glass_port_event(dev, port, type) */
static int before(struct kprobe *p, struct pt_regs *regs)
{
	if ((int)regs_get_kernel_argument(regs, 2) == event)
		mdelay(ms);
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "glass_port_event",
	.pre_handler = before,
};

static int __init slow_event_init(void)
{
	return register_kprobe(&probe);
}

static void __exit slow_event_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(slow_event_init);
module_exit(slow_event_exit);
MODULE_DESCRIPTION("Holds up events of ports");
MODULE_LICENSE("GPL");
