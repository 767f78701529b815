// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers many regions of 64 bytes and allocates many windows. A loop-back QP writes to each region, binds each window to a region
 * and writes through it; all bytes are compared. With --wait they stay then, until SIGTERM.
 */
#include <getopt.h>

#include "growth.h"

#define REGION_BYTES 64
#define BATCH 64 /* requests, of which the last one is signaled */

static struct vt_end here;
static struct ibv_qp *qp;
static struct ibv_mr *source; /* BATCH times REGION_BYTES */
static struct ibv_mr **regions;
static struct ibv_mw **windows;
static uint8_t *memory; /* REGION_BYTES of each region */
static unsigned int nregions = 1000, nwindows = 1000;

static void regions_usage(FILE *to)
{
	fprintf(to,
		"Usage: many_regions [OPTION]...\n"
		"  -d, --device NAME  the device (glass0)\n"
		"  -n, --count N      regions (1000)\n"
		"  -m, --windows N    windows, no more than regions (1000)\n"
		"  -w, --wait         after the writes, print `ready` and wait for SIGTERM\n"
		"Prints how long each step took, and how much memory they have, each `NAME VALUE` in a line of its own.\n"
		"Exit status 0: done, and all data was right; 1: it was not; 2: wrong arguments.\n");
}

static void open_loop(const char *device)
{
	struct vt_path path = {};

	vt_open(&here, device, 1, 0);
	source = vt_buf(&here, BATCH * REGION_BYTES);
	qp = vt_qp(&here, (struct vt_qp_opts){ .wr = 2 * BATCH, .sge = 1 });
	path.lid = here.attr.lid;
	path.qpn = qp->qp_num;
	vt_to_init(qp, here.port, VT_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	vt_to_rts(qp, here.port, 0, &path);
	regions = calloc(nregions, sizeof(*regions));
	windows = calloc(nwindows + 1, sizeof(*windows));
	memory = vt_mem((size_t)nregions * REGION_BYTES);
	CHECK(regions && windows, "out of memory");
}

static uint8_t *memory_of(unsigned int i)
{
	return memory + (size_t)i * REGION_BYTES;
}

static void register_all(void)
{
	unsigned int i;

	for (i = 0; i < nregions; i++) {
		regions[i] = ibv_reg_mr(here.pd, memory_of(i), REGION_BYTES, VT_ACCESS_ALL | IBV_ACCESS_MW_BIND);
		CHECK(regions[i], "reg_mr %u: %s", i, strerror(errno));
	}
}

static void allocate_all(void)
{
	unsigned int i;

	for (i = 0; i < nwindows; i++) {
		windows[i] = ibv_alloc_mw(here.pd, IBV_MW_TYPE_2);
		CHECK(windows[i], "alloc_mw %u: %s", i, strerror(errno));
	}
}

/* Posts one of n requests, and waits if it is the last one of a batch or of all. */
static void post_in_batches(struct ibv_send_wr *wr, unsigned int i, unsigned int n)
{
	bool last = i % BATCH == BATCH - 1 || i == n - 1;

	wr->wr_id = i;
	wr->send_flags = last ? IBV_SEND_SIGNALED : 0;
	vt_post(qp, wr);
	if (last)
		vt_wc_is(qp->send_cq, i, IBV_WC_SUCCESS);
}

/* Writes to the first n regions, each by the key that `keys` has for it. The bytes of region i are those of seed first + i. */
static void write_all(unsigned int n, uint32_t (*key_of)(unsigned int i), uint32_t first)
{
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_sge sge;
	unsigned int i;

	wr.sg_list = &sge;
	for (i = 0; i < n; i++) {
		size_t at = (size_t)(i % BATCH) * REGION_BYTES;

		vt_fill((uint8_t *)source->addr + at, REGION_BYTES, first + i);
		sge = vt_sge(source, at, REGION_BYTES);
		wr.wr.rdma.remote_addr = (uintptr_t)memory_of(i);
		wr.wr.rdma.rkey = key_of(i);
		post_in_batches(&wr, i, n);
	}
	for (i = 0; i < n; i++)
		vt_verify(memory_of(i), REGION_BYTES, first + i, "a region");
}

static uint32_t region_key(unsigned int i)
{
	return regions[i]->rkey;
}

static uint32_t window_key(unsigned int i)
{
	return windows[i]->rkey;
}

static void bind_all(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };
	unsigned int i;

	for (i = 0; i < nwindows; i++) {
		wr.bind_mw.mw = windows[i];
		wr.bind_mw.rkey = ibv_inc_rkey(windows[i]->rkey);
		wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
			.mr = regions[i], .addr = (uintptr_t)memory_of(i), .length = REGION_BYTES,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		};
		post_in_batches(&wr, i, nwindows);
		windows[i]->rkey = wr.bind_mw.rkey;
	}
}

static void deallocate_all(void)
{
	unsigned int i;

	for (i = 0; i < nwindows; i++)
		CHECK(!ibv_dealloc_mw(windows[i]), "dealloc_mw %u failed", i);
}

static void deregister_all(void)
{
	unsigned int i;

	for (i = 0; i < nregions; i++)
		CHECK(!ibv_dereg_mr(regions[i]), "dereg_mr %u failed", i);
}

static void run_regions(bool wait)
{
	struct growth before = growth_now(), registered;
	uint64_t from = vt_now_ms();

	register_all();
	growth_lap("register", &from);
	growth_print("regions", &before);
	registered = growth_now();
	from = vt_now_ms();
	allocate_all();
	growth_lap("allocate", &from);
	growth_print("windows", &registered);
	from = vt_now_ms();
	write_all(nregions, region_key, 1);
	growth_lap("write", &from);
	bind_all();
	growth_lap("bind", &from);
	write_all(nwindows, window_key, 7 * nregions);
	growth_lap("write_windows", &from);
	if (wait)
		vt_wait_for_end();
	from = vt_now_ms();
	deallocate_all();
	growth_lap("deallocate", &from);
	deregister_all();
	growth_lap("deregister", &from);
	growth_print("left", &before);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },  { "count", required_argument, NULL, 'n' },
		{ "windows", required_argument, NULL, 'm' }, { "wait", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },	     {},
	};
	const char *device = "glass0";
	bool wait = false;
	int c;

	vt_prog = "many_regions";
	while ((c = getopt_long(argc, argv, "d:n:m:wh", options, NULL)) >= 0) {
		switch (c) {
		case 'd': device = optarg; break;
		case 'n': nregions = strtoul(optarg, NULL, 0); break;
		case 'm': nwindows = strtoul(optarg, NULL, 0); break;
		case 'w': wait = true; break;
		case 'h': regions_usage(stdout); return 0;
		default: regions_usage(stderr); return 2;
		}
	}
	if (optind < argc || !nregions || nwindows > nregions) {
		regions_usage(stderr);
		return 2;
	}
	vt_hold_end();
	open_loop(device);
	run_regions(wait);
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&here);
	return 0;
}
