// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resizes a CQ or an SRQ without end while other threads poll, sleep on, or post to it.
 */
#include <getopt.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "check.h"

static unsigned int rounds = 1000;
static volatile bool stop;

static pthread_t begin(void *(*run)(void *), void *arg)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, run, arg);

	CHECK(!err, "pthread_create: %s", strerror(err));
	return thread;
}

/* A resize holds the queue's lock nearly all of its time: the others must get it now and then. */
static void pause_between(unsigned int i)
{
	volatile unsigned int left = i % 8 * 2000;

	while (left)
		left--;
}

static void *resize_cq(void *arg)
{
	struct ibv_cq *cq = arg;
	unsigned int i;

	for (i = 0; !stop; i++) {
		int err = ibv_resize_cq(cq, i % 2 ? 16 : 1000);

		CHECK(!err, "resize_cq: %s", strerror(err));
		pause_between(i);
	}
	return NULL;
}

/* ---- polling a CQ that stays empty */

static void *poll_empty(void *arg)
{
	struct ibv_cq *cq = arg;

	while (!stop)
		vt_empty(cq);
	return NULL;
}

static void poll_during_resize(void)
{
	struct ibv_cq *cq = vt_cq(&A, 16, NULL);
	pthread_t pollers[3];
	unsigned int i;

	stop = false;
	for (i = 0; i < ARRAY_LEN(pollers); i++)
		pollers[i] = begin(poll_empty, cq);
	for (i = 0; i < rounds; i++) {
		int err = ibv_resize_cq(cq, i % 2 ? 16 : 5000);

		CHECK(!err, "resize_cq %u: %s", i, strerror(err));
	}
	stop = true;
	for (i = 0; i < ARRAY_LEN(pollers); i++)
		pthread_join(pollers[i], NULL);
}

/* ---- a consumer that sleeps until there is a completion loses none, and sees them in order */

struct sleeper {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	sem_t seen;
};

static void *sleep_and_poll(void *arg)
{
	struct sleeper *s = arg;
	unsigned int next = 0;

	while (next < rounds) {
		struct ibv_cq *cq;
		struct ibv_wc wc;
		void *context;
		int n;

		CHECK(!ibv_req_notify_cq(s->cq, 0), "req_notify_cq failed");
		while ((n = ibv_poll_cq(s->cq, 1, &wc)) > 0) {
			CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == next, "completion %llu, %s, instead of %u",
			      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status), next);
			next++;
			sem_post(&s->seen);
		}
		CHECK(!n, "poll_cq returned %d", n);
		if (next == rounds)
			break;
		CHECK(vt_readable(s->channel->fd, VT_WAIT_MS),
		      "no event within %d ms after completion %u of %u", VT_WAIT_MS, next, rounds);
		CHECK(!ibv_get_cq_event(s->channel, &cq, &context), "get_cq_event: %s", strerror(errno));
		ibv_ack_cq_events(cq, 1);
	}
	return NULL;
}

static void sleep_during_resize(void)
{
	struct sleeper s = { .channel = vt_channel(&A) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	pthread_t resizer, consumer;
	struct pair p = {};
	unsigned int i;

	s.cq = vt_cq(&A, 16, s.channel);
	p.a = vt_qp(&A, (struct vt_qp_opts){ .scq = s.cq, .wr = 8 });
	p.b = vt_qp(&B, (struct vt_qp_opts){});
	connect_pair_tuned(&p, (struct tune){});
	sem_init(&s.seen, 0, 0);
	stop = false;
	consumer = begin(sleep_and_poll, &s);
	resizer = begin(resize_cq, s.cq);
	for (i = 0; i < rounds; i++) {
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0);

		vt_post(p.a, &wr);
		while (sem_wait(&s.seen))
			;
	}
	pthread_join(consumer, NULL);
	stop = true;
	pthread_join(resizer, NULL);
}

/* ---- posting to an SRQ that has room all the time */

/*
 * A resize may unmap the old ring: then is the moment to post. In place of libc's, for the
 * provider, too.
 */
static atomic_uint unmapped;

int munmap(void *at, size_t bytes)
{
	int ret = syscall(SYS_munmap, at, bytes);

	atomic_fetch_add(&unmapped, 1);
	return ret;
}

/* Until a ring is unmapped, or for about as long as a resize takes; and then for a few instructions, more or less. */
static void choose_moment(unsigned int i)
{
	unsigned int seen = atomic_load(&unmapped);
	volatile unsigned int left;

	for (left = 10000; left && atomic_load(&unmapped) == seen; left--)
		;
	for (left = i % 16; left; left--)
		;
}

#define MOST_RECEIVES 256 /* of one SRQ */

static void *resize_srq(void *arg)
{
	struct ibv_srq *srq = arg;
	unsigned int i;

	for (i = 0; !stop; i++) {
		struct ibv_srq_attr attr = { .max_wr = i % 2 ? MOST_RECEIVES : 2 * MOST_RECEIVES };
		int err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);

		CHECK(!err, "modify_srq to %u: %s", attr.max_wr, strerror(err));
		pause_between(i);
	}
	return NULL;
}

static void post_during_resize(void)
{
	struct ibv_mr *mr = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	unsigned int left, i;

	for (left = rounds; left; left -= i) {
		struct ibv_srq *srq = vt_srq(&A, MOST_RECEIVES, 1);
		pthread_t resizer;

		stop = false;
		resizer = begin(resize_srq, srq);
		for (i = 0; i < left && i < MOST_RECEIVES; i++) {
			struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;
			int err = ibv_post_srq_recv(srq, &wr, &bad);

			CHECK(!err, "post_srq_recv %u of %u: %s", i, MOST_RECEIVES,
			      strerror(err));
			choose_moment(i);
		}
		stop = true;
		pthread_join(resizer, NULL);
		vt_drop(srq);
	}
}

/* ---- the limit of an SRQ that shrinks */

enum { LARGE = 16384, SMALL = LARGE / 2, AT_ONCE = 32 };

static const char *knob; /* srq_shuffle of the device */

static void set_knob(bool on)
{
	int fd = open(knob, O_WRONLY);

	CHECK(fd >= 0 && write(fd, on ? "1" : "0", 1) == 1, "%s: %s", knob, strerror(errno));
	close(fd);
}

static atomic_uint limits_set;

/* Sets a limit that the smaller SRQ cannot have, and none, until that is refused. */
static void *set_limit(void *arg)
{
	struct ibv_srq *srq = arg;
	unsigned int i;
	int err = 0;

	for (i = 0; !stop && !err; i++, atomic_store(&limits_set, i)) {
		struct ibv_srq_attr attr = { .srq_limit = i % 2 ? LARGE - 1 : 0 };

		err = ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
		CHECK(!err || err == EINVAL, "modify_srq to limit %u: %s", attr.srq_limit, strerror(err));
	}
	return NULL;
}

static void post_many(struct ibv_srq *srq, struct ibv_mr *mr, uint64_t wr_id, unsigned int n)
{
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	while (n--) {
		wr.wr_id = wr_id++;
		CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv failed");
	}
}

/* In strict mode, and with many receives to copy. Whichever comes first, there is no limit beyond the SRQ's size. */
static void limit_during_resize(void)
{
	struct ibv_srq *srq = vt_srq(&A, LARGE, 16);
	unsigned int i;

	set_knob(true);
	post_many(srq, vt_buf(&A, 64), 0, SMALL);
	for (i = 0; i < rounds; i++) {
		struct ibv_srq_attr attr = { .max_wr = SMALL };
		pthread_t limiter;
		int err;

		stop = false;
		atomic_store(&limits_set, 0);
		limiter = begin(set_limit, srq);
		while (atomic_load(&limits_set) < 2 + i % 2)
			;
		err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
		/* a limit was set that does not allow it */
		CHECK(!err || err == EINVAL, "modify_srq to %u: %s", SMALL, strerror(err));
		stop = true;
		pthread_join(limiter, NULL);
		CHECK(!ibv_query_srq(srq, &attr), "query_srq failed");
		CHECK(attr.srq_limit <= attr.max_wr, "round %u: limit %u of an SRQ of %u", i, attr.srq_limit,
		      attr.max_wr);
		attr = (struct ibv_srq_attr){ .max_wr = LARGE };
		err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT);
		CHECK(!err, "modify_srq to %u: %s", LARGE, strerror(err));
	}
	set_knob(false);
}

/* ---- strict mode exchanges receives of an SRQ that is resized */

static void *switch_knob(void *arg)
{
	unsigned int i;

	for (i = 0; !stop; i++)
		set_knob(i % 2);
	return arg;
}

static void *grow_and_shrink(void *arg)
{
	struct ibv_srq *srq = arg;
	unsigned int i;

	for (i = 0; !stop; i++) {
		struct ibv_srq_attr attr = { .max_wr = i % 2 ? LARGE : LARGE - 1 };
		int err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);

		CHECK(!err, "modify_srq to %u: %s", attr.max_wr, strerror(err));
	}
	return NULL;
}

/* Each receive is used once, in any order. */
static void shuffle_during_resize(void)
{
	struct ibv_srq *srq = vt_srq(&B, LARGE, A.dev_attr.max_srq_sge);
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_send_wr send = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED };
	static bool used[SMALL];
	pthread_t switcher, resizer;
	struct pair p = {};
	unsigned int i, k, n;

	p.a = vt_qp(&A, (struct vt_qp_opts){});
	p.b = vt_qp(&B, (struct vt_qp_opts){ .srq = srq });
	connect_pair_tuned(&p, (struct tune){});
	for (n = 0; n < rounds; n++) {
		struct ibv_wc wc;

		stop = false;
		memset(used, 0, sizeof(used));
		post_many(srq, mb, 0, SMALL);
		switcher = begin(switch_knob, NULL);
		resizer = begin(grow_and_shrink, srq);
		for (i = 0; i < SMALL; i += AT_ONCE) {
			for (k = 0; k < AT_ONCE; k++) {
				send.wr_id = i + k;
				vt_post(p.a, &send);
			}
			for (k = 0; k < AT_ONCE; k++) {
				vt_wc_ok(p.b->recv_cq, &wc);
				CHECK(wc.wr_id < SMALL && !used[wc.wr_id], "receive %llu was used twice, at message %u of round %u",
				      (unsigned long long)wc.wr_id, i + k, n);
				used[wc.wr_id] = true;
				vt_wc_is(p.a->send_cq, i + k, IBV_WC_SUCCESS);
			}
		}
		stop = true;
		pthread_join(switcher, NULL);
		pthread_join(resizer, NULL);
	}
	set_knob(false);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool needs_knob;
} races[] = {
	{ "poll", poll_during_resize, false },
	{ "sleep", sleep_during_resize, false },
	{ "post", post_during_resize, false },
	{ "limit", limit_during_resize, true },
	{ "shuffle", shuffle_during_resize, true },
};

static void usage(FILE *to)
{
	fprintf(to, "Usage: resize_race [-n ROUNDS] [-a DEVICE] [-k KNOB] poll|sleep|post|limit|shuffle\n"
		    "poll   threads poll an empty CQ while it is resized ROUNDS (%u) times\n"
		    "sleep  a thread sleeps for each of ROUNDS completions of a CQ that is resized all the time\n"
		    "post   ROUNDS receives are posted to SRQs that are resized all the time\n"
		    "limit  an SRQ shrinks ROUNDS times while its limit is set\n"
		    "shuffle  ROUNDS times, all receives of an SRQ are used while it is resized and KNOB goes on and off\n"
		    "KNOB   the file of srq_shuffle of DEVICE\n"
		    "Exit status 0: fine; 1: not; 2: wrong arguments.\n", rounds);
}

int main(int argc, char **argv)
{
	const char *device = "glass0", *bad;
	unsigned int i;
	int c;

	vt_prog = "resize_race";
	while ((c = getopt(argc, argv, "n:a:k:h")) >= 0) {
		switch (c) {
		case 'n':
			rounds = strtoul(optarg, NULL, 0);
			break;
		case 'a':
			device = optarg;
			break;
		case 'k':
			knob = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	for (i = 0; optind == argc - 1 && i < ARRAY_LEN(races); i++)
		if (!strcmp(argv[optind], races[i].name))
			break;
	if (optind != argc - 1 || i == ARRAY_LEN(races) || !rounds || (races[i].needs_knob && !knob)) {
		usage(stderr);
		return 2;
	}
	vt_limit(250);
	vt_doing = races[i].name;
	vt_open(&A, device, 1, 0);
	vt_open(&B, device, 1, 0);
	races[i].run();
	bad = vt_drop_all();
	CHECK(!bad, "a %s could not be destroyed", bad);
	vt_close(&B);
	vt_close(&A);
	return 0;
}
