// SPDX-License-Identifier: GPL-2.0-only
/* While it is loaded, no node can be made: glass_node_init() fails with the error of the parameter. */
#include <linux/kprobes.h>
#include <linux/module.h>

static int err = -EDQUOT;
module_param(err, int, 0644);
MODULE_PARM_DESC(err, "a negative errno");

/* glass_node_init() has taken nothing that its callers would have to give back */
static int made(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, err);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "glass_node_init",
	.handler = made,
};

static int __init fail_node_init(void)
{
	return register_kretprobe(&probe);
}

static void __exit fail_node_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(fail_node_init);
module_exit(fail_node_exit);
MODULE_DESCRIPTION("Fails the making of nodes");
MODULE_LICENSE("GPL");
