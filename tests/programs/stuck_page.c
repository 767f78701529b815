// SPDX-License-Identifier: GPL-2.0-only
/*
 * A SEND from one QP of glass0 to another, whose receive buffer is a page on demand that does not come before SIGUSR1.
 *
 *   stuck_page        prints "sender=QPN receiver=QPN", "stuck" when somebody waits for the page, and "ok" in the end
 *   stuck_page leave  SIGUSR1 does not bring it: the QPs are destroyed, and the region is deregistered, without it
 */
#include <pthread.h>
#include <signal.h>

#include "absent_pages.h"
#include "check.h"

static struct absent_pages page;
static struct pair p;

/* The system call of the post may carry the packet itself. */
static void *post(void *arg)
{
	struct ibv_mr *mr = arg;
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	vt_post(p.a, &wr);
	return NULL;
}

static void *watch(void *arg)
{
	struct uffd_msg msg;

	CHECK(read(page.fd, &msg, sizeof(msg)) == sizeof(msg), "userfaultfd: %s", strerror(errno));
	CHECK(msg.event == UFFD_EVENT_PAGEFAULT, "an event of another kind: %d", msg.event);
	puts("stuck");
	return NULL;
}

int main(int argc, char **argv)
{
	bool leave = argc == 2 && !strcmp(argv[1], "leave");
	pthread_t poster, watcher;
	struct ibv_mr *demand;
	struct ibv_wc wc;
	sigset_t go;
	int sig;

	vt_prog = "stuck_page";
	if (argc > 1 && !leave) {
		fprintf(stderr, "Usage: stuck_page [leave]\n");
		return 2;
	}
	vt_limit(600);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	CHECK(!sigprocmask(SIG_BLOCK, &go, NULL), "sigprocmask: %s", strerror(errno));
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass0", 1, 0);
	page = absent_pages(PAGE);
	demand = vt_mr_of(B.pd, page.at, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	p = make_pair();
	vt_recv(p.b, 2, demand, 0, PAGE);
	printf("sender=0x%x receiver=0x%x\n", p.a->qp_num, p.b->qp_num);
	CHECK(!pthread_create(&watcher, NULL, watch, NULL), "no thread");
	CHECK(!pthread_create(&poster, NULL, post, vt_buf(&A, 64)), "no thread");
	CHECK(!sigwait(&go, &sig), "sigwait failed");
	if (leave) {
		pthread_join(watcher, NULL);
		pthread_join(poster, NULL);
		goto drop;
	}
	bring_pages(&page);
	pthread_join(watcher, NULL);
	pthread_join(poster, NULL);
	/* with success, or with what somebody did to the QPs meanwhile */
	vt_wc(p.b->recv_cq, &wc);
	vt_wc(p.a->send_cq, &wc);
drop:
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&A);
	vt_close(&B);
	close(page.fd);
	puts("ok");
	return 0;
}
