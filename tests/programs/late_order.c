// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions of one QP stay in order while some of them are late.
 *
 *     late_order limit RULES       a rule delays more completions than may wait; RULES: its file
 *     late_order ends FILE ON OFF  what delays completions is written to FILE, and ended by OFF
 *                                  while more complete
 */
#include <pthread.h>

#include "vt.h"

enum { WAITING = 4096, BEYOND = 300, BEFORE = 2500, DURING = 1500, ROUNDS = 30 };

static struct vt_end A, B;
static struct ibv_qp *qa, *qb;
static struct ibv_mr *ma, *mb;
static uint64_t posted, polled;

static void open_all(void)
{
	struct vt_path to = {};

	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	ma = vt_buf(&A, 64);
	mb = vt_buf(&B, 64);
	qa = vt_qp(&A, (struct vt_qp_opts){ .wr = WAITING + BEYOND, .sge = 1, .sig_all = true });
	qb = vt_qp(&B, (struct vt_qp_opts){ .wr = 1 });
	vt_to_init(qa, 1, 0);
	vt_to_init(qb, 1, IBV_ACCESS_REMOTE_WRITE);
	to.qpn = qa->qp_num;
	to.lid = A.attr.lid;
	vt_to_rts(qb, 1, 0, &to);
	to.qpn = qb->qp_num;
	to.lid = B.attr.lid;
	vt_to_rts(qa, 1, 0, &to);
}

static void post(int n)
{
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE };

	wr.wr.rdma.remote_addr = (uintptr_t)mb->addr;
	wr.wr.rdma.rkey = mb->rkey;
	while (n--) {
		wr.wr_id = posted++;
		vt_post(qa, &wr);
	}
}

static void poll_in_order(uint64_t n)
{
	struct ibv_wc wc;

	while (n--) {
		vt_wc_ok(qa->send_cq, &wc);
		CHECK(wc.wr_id == polled, "completion %llu came before %llu of %llu", (unsigned long long)wc.wr_id,
		      (unsigned long long)polled, (unsigned long long)posted);
		polled++;
	}
}

static void tell(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "'%s' to %s: %s", text, path, strerror(errno));
	close(fd);
}

/* As many as cannot wait go before their time, oldest first. */
static void limit(const char *rules)
{
	tell(rules, "add name=late comm=late_order op=write time=1h act=cqe_delay");
	post(WAITING + BEYOND);
	poll_in_order(BEYOND);
	vt_empty(qa->send_cq);
	tell(rules, "clear");
	poll_in_order(WAITING);
}

static const char *off_path, *off_text;

static void *turn_off(void *arg)
{
	tell(off_path, off_text);
	return arg;
}

static void ends(const char *path, const char *on, const char *off)
{
	pthread_t thread;
	int i, err;

	off_path = path;
	off_text = off;
	for (i = 0; i < ROUNDS; i++) {
		tell(path, on);
		post(BEFORE);
		err = pthread_create(&thread, NULL, turn_off, NULL);
		CHECK(!err, "pthread_create: %s", strerror(err));
		post(DURING);
		pthread_join(thread, NULL);
		poll_in_order(BEFORE + DURING);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	vt_prog = "late_order";
	vt_limit(80);
	if (!strcmp(what, "limit") && argc == 3) {
		open_all();
		limit(argv[2]);
	} else if (!strcmp(what, "ends") && argc == 5) {
		open_all();
		ends(argv[2], argv[3], argv[4]);
	} else {
		fprintf(stderr, "Usage: late_order limit RULES | ends FILE ON OFF\n");
		return 2;
	}
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&A);
	vt_close(&B);
	puts("ok");
	return 0;
}
