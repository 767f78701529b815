// SPDX-License-Identifier: GPL-2.0-only
/* Forwarding tables in chunks: memory only for what is written, and what happens without memory. */
#include "fdb.h"
#include "mad.h"

#include "mgmt/sma.h"

#define PORTS 20

static struct glass_port ports[PORTS + 1];
static struct glass_fdb fdb, other;
static struct glass_node sw;
static u8 in[256], out[256];
static u32 allocations, chg;
static bool no_memory;

/* -Wl,--wrap=malloc: the core allocates by malloc() only */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	if (no_memory)
		return NULL;
	allocations++;
	return __real_malloc(size);
}

static int setup(void **state)
{
	(void)state;
	no_memory = false;
	glass_fdb_free(&fdb);
	memset(&fdb, 0xa5, sizeof(fdb));
	glass_fdb_init(&other);
	return glass_node_init(&sw, GLASS_NODE_SWITCH, PORTS, ports, &fdb, 0x200, 0x280, "switch");
}

static int set(u16 attr, u32 mod)
{
	in[GLASS_MAD_METHOD] = GLASS_MM_SET;
	put_unaligned_be16(attr, in + GLASS_MAD_ATTR);
	put_unaligned_be32(mod, in + GLASS_MAD_ATTR_MOD);
	assert_int_equal(glass_sma_process(&sw, 1, in, out, 0, &chg), GLASS_MAD_REPLY);
	return glass_mad_status(out);
}

static void fill(u8 value)
{
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, 0, 0);
	memset(in + GLASS_SMP_DATA, value, GLASS_SMP_DATA_BYTES);
}

static u32 made(void)
{
	u32 n = allocations;

	allocations = 0;
	return n;
}

static void test_empty(void **state)
{
	u32 i;

	(void)state;
	assert_true(sizeof(fdb) < 800);
	for (i = 0; i < GLASS_LFT_LIDS; i++)
		assert_int_equal(glass_fdb_port(&fdb, i), GLASS_LFT_NONE);
	for (i = 0; i < GLASS_MFT_LIDS * GLASS_PORT_WORDS; i++)
		assert_true(!glass_fdb_mcast(&fdb, i / GLASS_PORT_WORDS)[i % GLASS_PORT_WORDS]);
	/* as OpenSM does: write the whole table, of which most says "no route" */
	made();
	fill(GLASS_LFT_NONE);
	for (i = 0; i < GLASS_LFT_LIDS / 64; i++)
		assert_int_equal(set(GLASS_SA_LFT, i), 0);
	fill(0);
	for (i = 0; i < GLASS_MFT_LIDS / 32; i++)
		assert_int_equal(set(GLASS_SA_MFT, i), 0);
	assert_int_equal(made(), 0);
}

/* One chunk for each 1,024 LIDs and each 32 MLIDs that are written; other switches see nothing. */
static void test_chunks(void **state)
{
	u32 i;

	(void)state;
	made();
	fill(7);
	assert_int_equal(set(GLASS_SA_LFT, 0), 0);
	assert_int_equal(set(GLASS_SA_LFT, 15), 0);
	assert_int_equal(made(), 1);
	assert_int_equal(set(GLASS_SA_LFT, 16), 0);
	assert_int_equal(set(GLASS_SA_LFT, GLASS_LFT_LIDS / 64 - 1), 0);
	assert_int_equal(made(), 2);
	for (i = 0; i < GLASS_LFT_LIDS; i++) {
		bool written = i < 64 || (i >= 15 * 64 && i < 17 * 64) || i >= GLASS_LFT_LIDS - 64;

		assert_int_equal(glass_fdb_port(&fdb, i), written ? 7 : GLASS_LFT_NONE);
		assert_int_equal(glass_fdb_port(&other, i), GLASS_LFT_NONE);
	}
	fill(1);
	assert_int_equal(set(GLASS_SA_MFT, 3), 0);
	assert_int_equal(set(GLASS_SA_MFT, 1 << 28 | 3), 0);
	assert_int_equal(made(), 1);
	assert_true(glass_fdb_mcast(&fdb, 96)[0] == 0x10101);
	assert_true(glass_fdb_mcast(&fdb, 127)[0] == 0x10101);
	assert_true(!glass_fdb_mcast(&fdb, 128)[0] && !glass_fdb_mcast(&fdb, 95)[0]);
	assert_true(!glass_fdb_mcast(&other, 96)[0]);
	/* chunks remain: a reader without a lock may be in them */
	fill(GLASS_LFT_NONE);
	assert_int_equal(set(GLASS_SA_LFT, 0), 0);
	fill(8);
	assert_int_equal(set(GLASS_SA_LFT, 0), 0);
	/* the memory for lost routes */
	assert_int_equal(made(), 1);
	glass_fdb_free(&fdb);
	assert_int_equal(glass_fdb_port(&fdb, 0), GLASS_LFT_NONE);
	assert_true(!glass_fdb_mcast(&fdb, 96)[0]);
}

/* Without memory the answer is "busy", with the attribute of the request; nothing has changed. */
static void test_no_memory(void **state)
{
	u32 i;

	(void)state;
	fill(5);
	assert_int_equal(set(GLASS_SA_LFT, 0), 0);
	no_memory = true;
	assert_int_equal(set(GLASS_SA_LFT, 16), GLASS_MS_BUSY);
	assert_int_equal(chg, 0);
	assert_memory_equal(out + GLASS_SMP_DATA, in + GLASS_SMP_DATA, GLASS_SMP_DATA_BYTES);
	for (i = 1024; i < 1088; i++)
		assert_int_equal(glass_fdb_port(&fdb, i), GLASS_LFT_NONE);
	assert_int_equal(set(GLASS_SA_MFT, 9), GLASS_MS_BUSY);
	assert_int_equal(chg, 0);
	for (i = 0; i < 32; i++)
		assert_true(!glass_fdb_mcast(&fdb, 288 + i)[0]);
	/* a chunk that there is needs no memory */
	fill(6);
	assert_int_equal(set(GLASS_SA_LFT, 1), 0);
	assert_int_equal(glass_fdb_port(&fdb, 64), 6);
	no_memory = false;
	assert_int_equal(set(GLASS_SA_LFT, 16), 0);
	assert_int_equal(glass_fdb_port(&fdb, 1024), 6);
}

/* Routes that were taken away are remembered, the last ones; only by a switch that has lost one. */
static void test_lost(void **state)
{
	const u8 none = GLASS_LFT_NONE;
	u32 i;

	(void)state;
	set_lft(&fdb, 5, 3);
	set_lft(&fdb, 5, 4);
	made();
	assert_null(glass_fdb_lost(&fdb, 5));
	assert_true(glass_fdb_set_ports(&fdb, 5, &none, 1, 100));
	assert_int_equal(made(), 1);
	assert_int_equal(glass_fdb_lost(&fdb, 5)->port, 4);
	assert_true(glass_fdb_lost(&fdb, 5)->when == 100);
	assert_null(glass_fdb_lost(&fdb, 6));
	/* no route is lost where there was none */
	assert_true(glass_fdb_set_ports(&fdb, 5, &none, 1, 200));
	assert_true(glass_fdb_lost(&fdb, 5)->when == 100);
	/* the last time counts */
	set_lft(&fdb, 5, 9);
	assert_true(glass_fdb_set_ports(&fdb, 5, &none, 1, 300));
	assert_int_equal(glass_fdb_lost(&fdb, 5)->port, 9);
	assert_true(glass_fdb_lost(&fdb, 5)->when == 300);
	/* a block of 64 at once, as a subnet manager writes it; of all, the last 128 are remembered */
	fill(2);
	for (i = 16; i < 18; i++)
		assert_int_equal(set(GLASS_SA_LFT, i), 0);
	sw.now = 400;
	fill(GLASS_LFT_NONE);
	assert_int_equal(set(GLASS_SA_LFT, 16), 0);
	assert_true(glass_fdb_lost(&fdb, 5)->when == 300);
	assert_int_equal(set(GLASS_SA_LFT, 17), 0);
	assert_null(glass_fdb_lost(&fdb, 5));
	for (i = 16 * 64; i < 18 * 64; i++) {
		assert_int_equal(glass_fdb_lost(&fdb, i)->port, 2);
		assert_true(glass_fdb_lost(&fdb, i)->when == 400);
	}
	/* without memory none is remembered */
	glass_fdb_free(&fdb);
	set_lft(&fdb, 7, 1);
	no_memory = true;
	assert_true(glass_fdb_set_ports(&fdb, 7, &none, 1, 500));
	assert_null(glass_fdb_lost(&fdb, 7));
	no_memory = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_empty, setup),
		cmocka_unit_test_setup(test_chunks, setup),
		cmocka_unit_test_setup(test_no_memory, setup),
		cmocka_unit_test_setup(test_lost, setup),
	};

	return cmocka_run_group_tests_name("fdb", tests, NULL, NULL);
}
