/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks by which a program in the guest controls the counters of vm/plugin/counts.c: the bytes of "nopl DISPLACEMENT(%rax)",
 * which does nothing on any processor.
 */
#ifndef GLASS_MARKS_H
#define GLASS_MARKS_H

#define GLASS_MARK_BEGIN 0x0f, 0x1f, 0x80, 'G', 'L', 'B', 0x01
#define GLASS_MARK_END 0x0f, 0x1f, 0x80, 'G', 'L', 'E', 0x01
#define GLASS_MARK_KEEP 0x0f, 0x1f, 0x80, 'G', 'L', 'K', 0x01

/* glass_mark(GLASS_MARK_BEGIN); */
#define GLASS_MARK_TEXT_(...) #__VA_ARGS__
#define GLASS_MARK_TEXT(...) GLASS_MARK_TEXT_(__VA_ARGS__)
#define glass_mark(...) __asm__ volatile(".byte " GLASS_MARK_TEXT(__VA_ARGS__) : : : "memory")

#endif
