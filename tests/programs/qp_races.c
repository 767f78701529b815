// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread destroys a QP while another thread does something that concerns it.
 *
 *     qp_races ah             destroy_ah of an address handle whose last send is that QP's
 *     qp_races mr             reg_mr and dereg_mr
 *     qp_races number RULES   create_qp, while the driver has destroyed the QP and the provider still waits for an event
 *                             to be acknowledged. RULES: the adapter's file of rules. With the strict behaviour qpn_reuse.
 *
 * ah and mr, while lint looks: the memory of the QP is not accessible when the verb begins. The verb that comes upon it
 * stands still until the QP is destroyed, or until that waits for a lock; it must not be free then.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "dump.h"

#define DEV "glass0"

static struct vt_end E;

/* ---- memory of QPs: each block has pages of its own, which are never used again */

#define ROOM (1024ul * PAGE)

static char *blocks;
static size_t blocks_used;
static atomic_bool freed; /* the block that is looked at */
static char *looked_at;
static __thread bool in_pages; /* this thread allocates blocks */

/* In place of libc's, for libibverbs and the provider, too. */
void *__libc_calloc(size_t n, size_t bytes);
void __libc_free(void *at);

void *calloc(size_t n, size_t bytes)
{
	size_t size = n * bytes;
	char *at = blocks + blocks_used;

	if (!in_pages || size < 256)
		return __libc_calloc(n, bytes);
	blocks_used += (size + PAGE - 1) / PAGE * PAGE;
	if (blocks_used > ROOM)
		abort();
	return at;
}

void free(void *at)
{
	if (!blocks || (char *)at < blocks || (char *)at >= blocks + ROOM)
		__libc_free(at);
	else if (at == looked_at)
		atomic_store(&freed, true);
}

/* ---- the thread that destroys */

static sem_t begin, met;
static __thread bool destroys, has_met;

/* The QP is destroyed, or the thread waits for a lock. */
static void meet(void)
{
	if (destroys && !has_met) {
		has_met = true;
		sem_post(&met);
	}
}

int pthread_mutex_lock(pthread_mutex_t *lock)
{
	while (pthread_mutex_trylock(lock)) {
		meet();
		sched_yield();
	}
	return 0;
}

static void wait_sem(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void *destroy(void *arg)
{
	int err;

	destroys = true;
	wait_sem(&begin);
	err = ibv_destroy_qp(arg);
	CHECK(!err, "destroy_qp: %s", strerror(err));
	meet();
	return NULL;
}

/* ---- the verb that comes upon the QP */

static void seen(int sig, siginfo_t *info, void *context VT_UNUSED)
{
	char *at = info->si_addr;

	if (!looked_at || at < looked_at || at >= looked_at + PAGE) {
		signal(sig, SIG_DFL);
		return;
	}
	if (mprotect(looked_at, PAGE, PROT_READ | PROT_WRITE))
		abort();
	sem_post(&begin);
	wait_sem(&met);
	CHECK(!atomic_load(&freed), "%s looks at a QP that is freed", vt_doing);
}

static struct ibv_ah *ah;
static struct ibv_mr *mr;
static char buf[64];

/* A UD QP whose only send, with the address handle, has no completion that was polled. */
static struct ibv_qp *sender(struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
					 .cap = { .max_send_wr = 4, .max_recv_wr = 1,
						  .max_send_sge = 1, .max_recv_sge = 1,
						  .max_inline_data = 16 } };
	struct ibv_ah_attr attr = { .dlid = E.attr.lid, .port_num = 1 };
	struct ibv_sge sge = { (uintptr_t)buf, 8, 0 };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE };
	struct ibv_qp *qp;

	in_pages = true;
	qp = ibv_create_qp(E.pd, &init);
	in_pages = false;
	CHECK(qp, "create_qp: %s", strerror(errno));
	looked_at = (char *)((uintptr_t)qp / PAGE * PAGE);
	CHECK(looked_at >= blocks && looked_at < blocks + ROOM, "the QP lies elsewhere");
	vt_to_init(qp, 1, 0);
	vt_to_rts(qp, 1, 1, &(struct vt_path){});
	ah = ibv_create_ah(E.pd, &attr);
	CHECK(ah, "create_ah: %s", strerror(errno));
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qp->qp_num;
	wr.wr.ud.remote_qkey = VT_QKEY;
	vt_post(qp, &wr);
	return qp;
}

static void destroy_ah(void)
{
	int err = ibv_destroy_ah(ah);

	CHECK(!err, "destroy_ah: %s", strerror(err));
	ah = NULL;
}

static void register_memory(void)
{
	mr = ibv_reg_mr(E.pd, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr, "reg_mr: %s", strerror(errno));
}

static void deregister_memory(void)
{
	CHECK(!ibv_dereg_mr(mr), "dereg_mr failed");
}

static void race(void (*verb)(void), const char *name)
{
	struct ibv_cq *cq = vt_cq(&E, 16, NULL);
	struct ibv_qp *qp = sender(cq);
	pthread_t thread;
	int err;

	vt_doing = name;
	sem_init(&begin, 0, 0);
	sem_init(&met, 0, 0);
	err = pthread_create(&thread, NULL, destroy, qp);
	CHECK(!err, "pthread_create: %s", strerror(err));
	CHECK(!mprotect(looked_at, PAGE, PROT_NONE), "mprotect: %s", strerror(errno));
	verb();
	CHECK(!mprotect(looked_at, PAGE, PROT_READ | PROT_WRITE), "mprotect: %s", strerror(errno));
	/* if the verb did not come upon the QP, it is destroyed now */
	sem_post(&begin);
	pthread_join(thread, NULL);
	CHECK(atomic_exchange(&freed, false), "the QP was not freed");
	looked_at = NULL;
	if (ah)
		destroy_ah();
	vt_drop(cq);
}

static void look(void)
{
	struct sigaction action = { .sa_sigaction = seen, .sa_flags = SA_SIGINFO };

	blocks = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(blocks != MAP_FAILED && !sigaction(SIGSEGV, &action, NULL), "%s", strerror(errno));
}

static void ah_race(const char *arg VT_UNUSED)
{
	look();
	race(destroy_ah, "destroy_ah");
}

static void mr_race(const char *arg VT_UNUSED)
{
	look();
	race(register_memory, "reg_mr");
	race(deregister_memory, "dereg_mr");
}

/* ---- the number of a QP that is being destroyed */

static struct ibv_mr *mem;

static struct ibv_qp *loop_qp(struct ibv_cq *cq)
{
	struct ibv_qp *qp = vt_qp(&E, (struct vt_qp_opts){ .scq = cq, .rcq = cq, .wr = 4, .sge = 1 });

	vt_to_init(qp, 1, 0);
	vt_to_rts(qp, 1, 7, &(struct vt_path){ .qpn = qp->qp_num, .lid = E.attr.lid, .psn = 7 });
	return qp;
}

static bool is_shown(uint32_t qpn)
{
	struct table t;
	int row;

	table_read(&t, DEV, "qp");
	row = table_row(&t, qpn);
	table_free(&t);
	return row >= 0;
}

/* Completions in the CQ that nobody polled. */
static unsigned int waiting(void)
{
	unsigned int used = 0;
	struct table t;
	int row;

	table_read(&t, DEV, "cq");
	for (row = 0; row < t.nrows; row++)
		if (strtol(t.cell[row][table_col(&t, "pid")], NULL, 0) == getpid())
			used += strtoul(t.cell[row][table_col(&t, "used")], NULL, 0);
	table_free(&t);
	return used;
}

/* A message to itself, whose two completions (wr_id, and one more) nobody polls. */
static void message(struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_sge sge = vt_sge(mem, 0, 8);
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	unsigned int before = waiting();

	vt_recv(qp, wr_id + 1, mem, 64, 64);
	vt_post(qp, &wr);
	while (waiting() < before + 2)
		sched_yield();
}

/* What vt.h would destroy in the end is destroyed already. */
static void forget(const void *ptr)
{
	unsigned int i;

	for (i = 0; i < vt_nthings; i++)
		if (vt_things[i].ptr == ptr)
			vt_things[i] = (typeof(vt_things[i])){ .kind = VT_MEM };
}

/* An event of the QP, got and not acknowledged. */
static struct ibv_async_event event_of(const struct ibv_qp *qp)
{
	struct ibv_async_event event;

	for (;;) {
		CHECK(!ibv_get_async_event(E.ctx, &event), "get_async_event: %s", strerror(errno));
		if (event.event_type == IBV_EVENT_SQ_DRAINED && event.element.qp == qp)
			return event;
		ibv_ack_async_event(&event);
	}
}

static void number_race(const char *rules)
{
	struct ibv_cq *cq = vt_cq(&E, 16, NULL);
	struct ibv_qp *old, *young, *third;
	struct ibv_async_event event;
	uint64_t ids = 0;
	pthread_t thread;
	struct ibv_wc wc;
	char rule[80];
	uint32_t qpn;
	int fd, err, i;

	fd = open(rules, O_WRONLY);
	CHECK(fd >= 0, "%s: %s", rules, strerror(errno));
	mem = vt_buf(&E, PAGE);
	old = loop_qp(cq);
	qpn = old->qp_num;
	message(old, 1);
	i = snprintf(rule, sizeof(rule), "add act=event event=sq_drained qpn=0x%x", qpn);
	CHECK(write(fd, rule, i) == i, "%s: %s", rule, strerror(errno));
	event = event_of(old);
	sem_init(&begin, 0, 1);
	err = pthread_create(&thread, NULL, destroy, old);
	CHECK(!err, "pthread_create: %s", strerror(err));
	vt_doing = "waiting for the driver to destroy the QP";
	while (is_shown(qpn))
		sched_yield();
	vt_doing = "using the young QP";
	young = loop_qp(cq);
	message(young, 101);
	ibv_ack_async_event(&event);
	pthread_join(thread, NULL);
	forget(old); /* before malloc gives its address to another */
	/* libibverbs and the provider are through: what waits is the young one's */
	for (i = 0; i < 2; i++) {
		vt_wc_ok(cq, &wc);
		CHECK(wc.qp_num == young->qp_num, "completion %llu is QP 0x%x's, not 0x%x's",
		      (unsigned long long)wc.wr_id, wc.qp_num, young->qp_num);
		ids += wc.wr_id;
	}
	CHECK(ids == 101 + 102, "the completions are not the young QP's");
	vt_empty(cq);
	/* its send queue has all of its slots */
	for (i = 0; i < 8; i++) {
		message(young, 201);
		vt_wc_ok(cq, &wc);
		vt_wc_ok(cq, &wc);
	}
	third = loop_qp(cq);
	CHECK(third->qp_num == qpn, "QP 0x%x is free, but the lowest number that is given is 0x%x", qpn,
	      third->qp_num);
	close(fd);
}

static const struct {
	const char *name;
	void (*run)(const char *arg);
	int args;
} races[] = {
	{ "ah", ah_race, 2 },
	{ "mr", mr_race, 2 },
	{ "number", number_race, 3 },
};

int main(int argc, char **argv)
{
	unsigned int i;

	vt_prog = "qp_races";
	for (i = 0; i < ARRAY_LEN(races); i++)
		if (argc > 1 && !strcmp(argv[1], races[i].name) && argc == races[i].args)
			break;
	CHECK(i < ARRAY_LEN(races), "usage: qp_races ah|mr|number RULES");
	vt_limit(100);
	vt_open(&E, DEV, 1, 0);
	races[i].run(argv[2]);
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&E);
	return 0;
}
