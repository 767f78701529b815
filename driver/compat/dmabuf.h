/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * dma_buf_vmap() of a buffer that is not locked got a name of its own in Linux 6.2, the
 * verb's udata gave way to the attribute bundle in 6.9 (glass_dmabuf_extra), and the name
 * space of the symbols became a string in 6.13.
 */
#ifndef GLASS_COMPAT_DMABUF_H
#define GLASS_COMPAT_DMABUF_H

#include <linux/dma-buf.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define GLASS_IMPORT_DMA_BUF() MODULE_IMPORT_NS("DMA_BUF")
#else
#define GLASS_IMPORT_DMA_BUF() MODULE_IMPORT_NS(DMA_BUF)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_vmap_unlocked(buf, map) dma_buf_vmap(buf, map)
#define dma_buf_vunmap_unlocked(buf, map) dma_buf_vunmap(buf, map)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define glass_dmabuf_extra struct uverbs_attr_bundle
#else
#define glass_dmabuf_extra struct ib_udata
#endif

#endif
