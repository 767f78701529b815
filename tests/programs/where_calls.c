// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of verbs from lines that comments mark, for suite where. Each is a mistake that lint finds
 *at once: a region with remote write, but without local write (GL023).
 *
 *	where_calls plain    one call, through an inlined function
 *	where_calls threads  a call in each of 4 threads, one of them on a stack of its own
 *	where_calls fork     a child calls, in its own context and in that of its parent
 *	where_calls killed   a call, and SIGKILL
 *	where_calls full     more call stacks than are kept, and then a call
 *	where_calls loop     a call for each line of the input
 *	where_calls tail     a call by a function that another one jumps to
 *	where_calls bare     a call behind code without unwinding information (x86-64)
 *	where_calls wr       a send in a wrong state (GL036), by ibv_wr_complete()
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[4096];

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *c = list && list[0] ? ibv_open_device(list[0]) : NULL;

	if (!c) {
		fprintf(stderr, "no device\n");
		exit(1);
	}
	ibv_free_device_list(list);
	return c;
}

/* Findings of one code about different objects are kept apart: each call has its own PD. */
static struct ibv_pd *new_pd(struct ibv_context *c)
{
	struct ibv_pd *pd = ibv_alloc_pd(c);

	if (!pd) {
		fprintf(stderr, "alloc_pd: %s\n", strerror(errno));
		exit(1);
	}
	return pd;
}

static inline __attribute__((always_inline)) struct ibv_mr *mistake(struct ibv_pd *pd)
{
	return ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_REMOTE_WRITE); /* MARK:mistake */
}

static int refused(struct ibv_mr *mr)
{
	if (!mr)
		return 0;
	fprintf(stderr, "the mistake was not refused\n");
	return 1;
}

static int plain(void)
{
	return refused(mistake(new_pd(open_first()))); /* MARK:plain */
}

static void *in_thread(void *pd)
{
	return (void *)(long)refused(mistake(pd)); /* MARK:threads */
}

static int threads(void)
{
	struct ibv_context *c = open_first();
	pthread_t thread[4];
	pthread_attr_t attr;
	void *bad, *any = NULL;
	int i;

	pthread_attr_init(&attr);
	for (i = 0; i < 4; i++) {
		if (i == 3)
			pthread_attr_setstack(&attr, aligned_alloc(4096, 1 << 18), 1 << 18);
		if (pthread_create(&thread[i], &attr, in_thread, new_pd(c)))
			return 1;
	}
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &bad);
		any = bad ? bad : any;
	}
	return any != NULL;
}

static int forks(void)
{
	struct ibv_pd *pd = new_pd(open_first());
	int status;

	if (!fork()) {
		/* nobody knows the place of this one: the memory of stacks is the parent's */
		refused(mistake(pd));
		_exit(refused(mistake(new_pd(open_first())))); /* MARK:fork */
	}
	wait(&status);
	return status != 0;
}

static int killed(void)
{
	int bad = refused(mistake(new_pd(open_first()))); /* MARK:killed */

	if (!bad)
		kill(getpid(), SIGKILL);
	return bad;
}

static struct ibv_pd *left(struct ibv_context *c, unsigned int way, int depth);

/* Each bit of `way` is the line of a call. */
static __attribute__((noinline)) struct ibv_pd *right(struct ibv_context *c, unsigned int way,
						      int depth)
{
	struct ibv_pd *pd;

	if (!depth)
		return new_pd(c);
	pd = way & 1 ? left(c, way >> 1, depth - 1) : right(c, way >> 1, depth - 1);
	/* no tail call */
	__asm__ volatile("" ::: "memory");
	return pd;
}

static __attribute__((noinline)) struct ibv_pd *left(struct ibv_context *c, unsigned int way,
						     int depth)
{
	struct ibv_pd *pd;

	if (!depth)
		return new_pd(c);
	pd = way & 1 ? left(c, way >> 1, depth - 1) : right(c, way >> 1, depth - 1);
	__asm__ volatile("" ::: "memory");
	return pd;
}

static int full(void)
{
	struct ibv_context *c = open_first();
	unsigned int way;

	for (way = 0; way < 1100; way++)
		ibv_dealloc_pd(right(c, way, 11));
	return refused(mistake(new_pd(c)));
}

static int loop(void)
{
	struct ibv_context *c = open_first();
	char line[16];

	while (fgets(line, sizeof(line), stdin))
		if (refused(mistake(new_pd(c)))) /* MARK:loop */
			return 1;
	return 0;
}

/* not inlined: tail_calls() jumps to it, and leaves no frame */
static __attribute__((noinline, noclone)) int jumped_to(struct ibv_pd *pd)
{
	return refused(mistake(pd)); /* MARK:tail */
}

static __attribute__((noinline, noclone)) int tail_calls(struct ibv_pd *pd)
{
	return jumped_to(pd);
}

static int tail(void)
{
	struct ibv_pd *pd = new_pd(open_first());
	int bad = tail_calls(pd); /* MARK:tail from */

	__asm__ volatile("" ::: "memory");
	return bad;
}

#ifdef __x86_64__
__attribute__((used, noinline)) int behind_bare(struct ibv_pd *pd);
int behind_bare(struct ibv_pd *pd)
{
	return refused(mistake(pd)); /* MARK:bare */
}

/* as a compiler at run time might write it: nothing says how to unwind it */
int bare_code(struct ibv_pd *pd);
__asm__(".text\n"
	".type bare_code, @function\n"
	"bare_code:\n"
	"	sub $0x28, %rsp\n"
	"	call behind_bare\n"
	"	add $0x28, %rsp\n"
	"	ret\n"
	".size bare_code, .-bare_code\n");

static int bare(void)
{
	return bare_code(new_pd(open_first()));
}
#else
static int bare(void)
{
	fprintf(stderr, "for x86-64 only\n");
	return 2;
}
#endif

static struct ibv_qp_ex *new_qp(struct ibv_context *c)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
		.pd = new_pd(c),
	};
	struct ibv_qp *qp;

	attr.send_cq = attr.recv_cq = ibv_create_cq(c, 16, NULL, NULL, 0);
	qp = attr.send_cq ? ibv_create_qp_ex(c, &attr) : NULL;
	if (!qp) {
		fprintf(stderr, "create_qp_ex: %s\n", strerror(errno));
		exit(1);
	}
	return ibv_qp_to_qp_ex(qp);
}

static int wr(void)
{
	struct ibv_qp_ex *qp = new_qp(open_first());

	ibv_wr_start(qp);
	qp->wr_id = 1;
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, 0, (uintptr_t)buffer, 64);
	return !ibv_wr_complete(qp); /* MARK:wr */
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} ways[] = {
		{ "plain", plain },   { "threads", threads }, { "fork", forks },
		{ "killed", killed }, { "full", full },	      { "loop", loop },
		{ "tail", tail },     { "bare", bare },	      { "wr", wr },
	};
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name))
			return ways[i].run();
	fprintf(stderr, "usage: where_calls plain|threads|fork|killed|full|loop|tail|bare|wr\n");
	return 2;
}
