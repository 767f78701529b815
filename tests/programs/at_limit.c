// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device memory up to the last page of the limit: one thread takes that page and gives it back, again and again, while
 * another asks for two, which are never there. Only the second may be refused.
 *
 *     at_limit [ROUNDS]
 */
#include <pthread.h>
#include <stdatomic.h>

#include "vt.h"

static struct vt_end E;
static atomic_bool stop;

static struct ibv_dm *take(size_t bytes)
{
	struct ibv_alloc_dm_attr attr = { .length = bytes };

	return ibv_alloc_dm(E.ctx, &attr);
}

static void *too_much(void *arg)
{
	while (!atomic_load(&stop)) {
		CHECK(!take(2 * PAGE), "more device memory than there is");
		CHECK(errno == ENOMEM, "two pages: %s", strerror(errno));
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 5000, i;
	struct ibv_device_attr_ex attr;
	struct ibv_dm *rest, *last;
	pthread_t thread;
	int err;

	vt_prog = "at_limit";
	vt_limit(100);
	vt_open(&E, "glass0", 1, 0);
	CHECK(!ibv_query_device_ex(E.ctx, NULL, &attr), "query_device_ex failed");
	rest = take(attr.max_dm_size - PAGE);
	CHECK(rest, "all device memory but a page: %s", strerror(errno));
	err = pthread_create(&thread, NULL, too_much, NULL);
	CHECK(!err, "pthread_create: %s", strerror(err));
	for (i = 0; i < rounds; i++) {
		last = take(PAGE);
		CHECK(last, "the last page, round %u of %u: %s", i, rounds, strerror(errno));
		CHECK(!ibv_free_dm(last), "free_dm failed");
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	CHECK(!ibv_free_dm(rest), "free_dm failed");
	vt_close(&E);
	return 0;
}
