// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds the first READ response of one packet that a port sends, until somebody has begun to destroy a queue pair, so that the
 * queue pair which waits for the response is destroyed meanwhile. `held`: 1 while it is held, 2 when it went on, 3 when it went on
 * because nobody destroyed one.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#define OPCODE_AT 8 /* offset of the opcode in struct glass_pkt (driver/wire/packet.h) */
#define READ_RESPONSE_ONLY 0x10 /* of RC */
#define HOLD_MS 5000

static int held;
module_param(held, int, 0444);

static atomic_t taken, destroyed;

/* glass_port_send(dev, port, pkt, run) */
static int sends(struct kprobe *p, struct pt_regs *regs)
{
	const u8 *pkt = (const u8 *)regs_get_kernel_argument(regs, 2);
	unsigned int ms;

	if (pkt[OPCODE_AT] != READ_RESPONSE_ONLY || atomic_xchg(&taken, 1))
		return 0;
	WRITE_ONCE(held, 1);
	for (ms = 0; ms < HOLD_MS && !atomic_read(&destroyed); ms++)
		mdelay(1);
	WRITE_ONCE(held, atomic_read(&destroyed) ? 2 : 3);
	return 0;
}

/* glass_destroy_qp() calls glass_cq_forget_qp() when the queue pair is marked as dead */
static int is_dead(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(held) == 1)
		atomic_set(&destroyed, 1);
	return 0;
}

static struct kprobe send = {
	.symbol_name = "glass_port_send",
	.pre_handler = sends,
};

static struct kprobe dead = {
	.symbol_name = "glass_cq_forget_qp",
	.pre_handler = is_dead,
};

static int __init hold_answer_init(void)
{
	int err = register_kprobe(&dead);

	if (err)
		return err;
	err = register_kprobe(&send);
	if (err)
		unregister_kprobe(&dead);
	return err;
}

static void __exit hold_answer_exit(void)
{
	unregister_kprobe(&send);
	unregister_kprobe(&dead);
}

module_init(hold_answer_init);
module_exit(hold_answer_exit);
MODULE_DESCRIPTION("Holds an answer until its queue pair is destroyed");
MODULE_LICENSE("GPL");
