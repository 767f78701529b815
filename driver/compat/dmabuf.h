/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Before Linux 6.2, dma_buf_vmap() takes the buffer's lock itself. Since 6.2, the caller of
 * dma_buf_vmap() must hold the lock, and dma_buf_vmap_unlocked() takes the lock itself. Since 6.13,
 * the argument of MODULE_IMPORT_NS() is a string.
 */
#ifndef GLASS_COMPAT_DMABUF_H
#define GLASS_COMPAT_DMABUF_H

#include <linux/dma-buf.h>
#include <linux/module.h>

#include "compat/have.h"

#ifdef GLASS_HAVE_IMPORT_NS_TOKEN
#define GLASS_IMPORT_DMA_BUF() MODULE_IMPORT_NS(DMA_BUF)
#else
#define GLASS_IMPORT_DMA_BUF() MODULE_IMPORT_NS("DMA_BUF")
#endif

#ifndef GLASS_HAVE_DMA_BUF_VMAP_UNLOCKED
#define dma_buf_vmap_unlocked(buf, map) dma_buf_vmap(buf, map)
#define dma_buf_vunmap_unlocked(buf, map) dma_buf_vunmap(buf, map)
#endif

#endif
