// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that counts the guest's instructions by address (vm/vm run --icount --counts).
 *
 * QEMU translates code in blocks that end at jumps. Each block has a counter here, named by the address at which it begins; a run
 * of the block adds its number of instructions. A program in the guest controls the counters by marks: NOPs with an operand that no
 * compiler makes (marks.h, bench/marks/marks.c).
 *
 *   begin   sets all counters to 0
 *   end     writes them to FILE
 *   keep    renames what the last end wrote to FILE.1, at the next keep to FILE.2 and so on
 *
 * The file has a line "kernel ADDRESS COUNT" for each block of the kernel (its virtual address) and "user ADDRESS COUNT" for each
 * block of a program. A program's virtual address does not name its code: QEMU translates a page once, however many processes have
 * it mapped, and wherever. So ADDRESS is where QEMU has the code in its own memory: the guest's physical address plus a constant.
 * The line "mark ADDRESS" says where the end mark itself is, and so tells the constant. The last line is "total COUNT".
 *
 * One CPU only: --icount has no more. Argument: out=FILE.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "qemu-plugin.h"

/* A boot and all of bench/instructions need about a tenth. */
#define SLOTS (1u << 20)
#define HASH_SIZE (2 * SLOTS)

/* The kernel is in the upper half of the address space. QEMU, a user's program, is in the lower. */
#define KERNEL (1ull << 63)

/* Slot 0 is for all that comes when no slot is left, or without an address; its address is 0. */
static uint64_t address_of[SLOTS];
static uint32_t slots = 1;
static uint32_t hash[HASH_SIZE];

static struct qemu_plugin_scoreboard *score;
static const char *path;
static unsigned int kept;

__attribute__((visibility("default"))) int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* The same address always has the same slot, however often QEMU translates it. Without an address it is slot 0. */
static uint32_t slot_of(uint64_t address)
{
	uint32_t at = (uint32_t)((address * 0x9e3779b97f4a7c15ull) >> 43);

	for (;; at = (at + 1) % HASH_SIZE) {
		uint32_t slot = hash[at];

		if (!slot)
			break;
		if (address_of[slot] == address)
			return slot;
	}
	if (slots == SLOTS || !address)
		return 0;
	address_of[slots] = address;
	hash[at] = slots;
	return slots++;
}

static void begin(unsigned int vcpu, void *data)
{
	(void)data;
	memset(qemu_plugin_scoreboard_find(score, vcpu), 0, slots * sizeof(uint64_t));
}

static void end(unsigned int vcpu, void *data)
{
	const uint64_t *counts = qemu_plugin_scoreboard_find(score, vcpu);
	uint64_t total = 0;
	FILE *file;

	file = fopen(path, "we");
	if (!file) {
		fprintf(stderr, "counts: %s: %s\n", path, strerror(errno));
		return;
	}
	for (uint32_t slot = 0; slot < slots; slot++) {
		if (!counts[slot])
			continue;
		total += counts[slot];
		fprintf(file, "%s %" PRIx64 " %" PRIu64 "\n", address_of[slot] < KERNEL ? "user" : "kernel", address_of[slot], counts[slot]);
	}
	fprintf(file, "mark %" PRIxPTR "\ntotal %" PRIu64 "\n", (uintptr_t)data, total);
	if (fclose(file))
		fprintf(stderr, "counts: %s: %s\n", path, strerror(errno));
}

static void keep(unsigned int vcpu, void *data)
{
	char name[4096];

	(void)vcpu;
	(void)data;
	snprintf(name, sizeof(name), "%s.%u", path, ++kept);
	if (rename(path, name))
		fprintf(stderr, "counts: %s: %s\n", name, strerror(errno));
}

static const struct {
	unsigned char bytes[7];
	void (*act)(unsigned int vcpu, void *data);
} marks[] = { { { GLASS_MARK_BEGIN }, begin }, { { GLASS_MARK_END }, end }, { { GLASS_MARK_KEEP }, keep } };

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	qemu_plugin_u64 counter = { score, 0 };

	(void)id;
	if (address < KERNEL)
		address = (uintptr_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	counter.offset = slot_of(address) * sizeof(uint64_t);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, counter, n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		unsigned char bytes[sizeof(marks->bytes)];

		if (qemu_plugin_insn_size(insn) != sizeof(bytes) || qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes))
			continue;
		for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
			if (!memcmp(bytes, marks[k].bytes, sizeof(bytes)))
				qemu_plugin_register_vcpu_insn_exec_cb(insn, marks[k].act, QEMU_PLUGIN_CB_NO_REGS,
								       qemu_plugin_insn_haddr(insn));
	}
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			path = strdup(argv[i] + 4);
	if (!path || strlen(path) > 4000) {
		fprintf(stderr, "counts: out=FILE is missing, or too long\n");
		return -1;
	}
	if (!info->system_emulation || info->system.smp_vcpus != 1) {
		fprintf(stderr, "counts: the guest must have one CPU\n");
		return -1;
	}
	score = qemu_plugin_scoreboard_new(SLOTS * sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
