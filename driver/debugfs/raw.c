// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The file glassN/raw. A program writes a frame to this file, and a port of the device receives the
 * frame as if it came over the port's cable (uapi/glass-raw.h).
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/uaccess.h>

#include "debugfs/debugfs.h"
#include "debugfs/files.h"
#include "engine/packet.h"
#include "link/link.h"
#include "observe/observe.h"
#include "uapi/glass-raw.h"
#include "wire/serial.h"

/*
 * A write() holds a read section of this SRCU domain while it passes its frame on. So
 * glass_raw_flush() can wait for the frames of all devices.
 *
 * When a device is unplugged, debugfs waits only for writes to the files of this device. That is
 * not enough: a rule may answer a frame that was written to another device, and the answer may go
 * to the device that is being unplugged.
 */
DEFINE_STATIC_SRCU(frames);

void glass_raw_flush(void)
{
	synchronize_srcu(&frames);
}

/* Drops a frame that cannot be decoded: counts the drop, and shows the frame to captures. */
static void raw_drop_frame(struct glass_dev *dev, const struct glass_view *view, const void *frame,
			   u32 len, enum glass_drop why)
{
	struct glass_port *p = &dev->node_ports[view->port];
	struct glass_pkt none;

	memset(&none, 0, sizeof(none));
	glass_port_drop(dev, view->port, GLASS_AT_RX, &none, why);
	spin_lock_irq(&dev->fabric->lock);
	p->ctr[GLASS_CTR_RCV_ERR]++;
	spin_unlock_irq(&dev->fabric->lock);
	if (glass_capturing())
		glass_capture_bad(view, frame, len, why);
}

static void raw_receive_frame(struct glass_dev *dev, u32 port, const void *frame, u32 len)
{
	struct glass_view view = {
		.dev = dev->index,
		.port = port,
		.dir = GLASS_DIR_RX,
		.flags = GLASS_CAP_RAW,
	};
	const struct glass_fate down = { .reason = GLASS_DROP_PORT_DOWN };
	struct glass_capture_slots slots;
	struct glass_seg seg;
	struct glass_pkt pkt;
	enum glass_drop why;

	if (glass_pkt_parse(&pkt, &seg, frame, len, 0, &why)) {
		raw_drop_frame(dev, &view, frame, len, why);
		return;
	}
	pkt.raw = 1;
	if (glass_link_arrived(&dev->ports[port].link, &pkt, NULL) || !glass_capturing())
		return;
	/* the port is down and has dropped the packet: show this drop to captures, too */
	glass_capture_begin(&slots, &view, &pkt);
	glass_capture_end(&slots, &down);
}

static ssize_t raw_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_dev *dev = file_inode(file)->i_private;
	struct glass_raw_header *header;
	int section;

	if (count <= sizeof(*header) || count > sizeof(*header) + GLASS_RAW_MAX)
		return -EINVAL;
	header = memdup_user(buf, count);
	if (IS_ERR(header))
		return PTR_ERR(header);
	if (!header->port || header->port > dev->num_ports || header->flags) {
		kfree(header);
		return -EINVAL;
	}
	/* pairs with glass_raw_flush() */
	section = srcu_read_lock(&frames);
	raw_receive_frame(dev, header->port, header + 1, count - sizeof(*header));
	srcu_read_unlock(&frames, section);
	kfree(header);
	return count;
}

static const struct file_operations raw_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = raw_write,
};

void glass_raw_add(struct glass_control *c)
{
	glass_control_file(c, c->dir, "raw", 0200, &raw_fops);
}
