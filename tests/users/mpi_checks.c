// SPDX-License-Identifier: GPL-2.0-only
/*
 * MPI ranks move data in all common ways, and each compares what arrives: point to point, collectives, and one-sided operations on a
 * window. Each value depends on round, sender and place, so that no stale buffer looks right.
 *
 * mpi_checks ROUNDS [BYTES]...; exit status: 0; 9 if data is wrong.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static long wrong;

static uint64_t value(int round, int who, size_t i)
{
	uint64_t x = ((uint64_t)round << 40) + ((uint64_t)who << 32) + i;

	x *= 0x9e3779b97f4a7c15ull;
	return (x ^ (x >> 29)) >> 8;	/* 56 bits: the sum of up to 256 ranks fits */
}

static uint64_t sum_of_all(int round, size_t i)
{
	uint64_t sum = 0;
	int who;

	for (who = 0; who < ranks; who++)
		sum += value(round, who, i);
	return sum;
}

static void expect(const char *what, int round, size_t i, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	if (wrong++ < 10)
		fprintf(stderr, "rank %d: %s, round %d, word %zu: %#llx, expected %#llx\n", rank, what, round, i,
			(unsigned long long)got, (unsigned long long)want);
}

static void fill(uint64_t *to, size_t words, int round, int who)
{
	size_t i;

	for (i = 0; i < words; i++)
		to[i] = value(round, who, i);
}

static void compare(const char *what, const uint64_t *got, size_t words, int round, int who)
{
	size_t i;

	for (i = 0; i < words; i++)
		expect(what, round, i, got[i], value(round, who, i));
}

static void compare_sums(const char *what, const uint64_t *got, size_t words, int round)
{
	size_t i;

	for (i = 0; i < words; i++)
		expect(what, round, i, got[i], sum_of_all(round, i));
}

/* a and b have room for WORDS of each rank */
static void messages(uint64_t *a, uint64_t *b, int words, int round)
{
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, who;
	MPI_Request *all = malloc(2 * ranks * sizeof(*all));

	fill(a, words, round, rank);
	MPI_Sendrecv(a, words, MPI_UINT64_T, next, 1, b, words, MPI_UINT64_T, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	compare("sendrecv", b, words, round, before);

	for (who = 0; who < ranks; who++) {
		MPI_Irecv(b + (size_t)who * words, words, MPI_UINT64_T, who, 2, MPI_COMM_WORLD, &all[who]);
		MPI_Isend(a, words, MPI_UINT64_T, who, 2, MPI_COMM_WORLD, &all[ranks + who]);
	}
	MPI_Waitall(2 * ranks, all, MPI_STATUSES_IGNORE);
	for (who = 0; who < ranks; who++)
		compare("isend to all", b + (size_t)who * words, words, round, who);
	free(all);
}

static void collectives(uint64_t *a, uint64_t *b, int words, int round)
{
	int root = round % ranks, who;
	size_t i;

	fill(a, words, round, rank == root ? root : ranks);
	MPI_Bcast(a, words, MPI_UINT64_T, root, MPI_COMM_WORLD);
	compare("bcast", a, words, round, root);

	fill(a, words, round, rank);
	MPI_Reduce(a, b, words, MPI_UINT64_T, MPI_SUM, root, MPI_COMM_WORLD);
	if (rank == root)
		compare_sums("reduce", b, words, round);
	MPI_Allreduce(a, b, words, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	compare_sums("allreduce", b, words, round);
	MPI_Scan(a, b, words, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
	for (i = 0; i < (size_t)words; i++) {
		uint64_t x = 0;

		for (who = 0; who <= rank; who++)
			x ^= value(round, who, i);
		expect("scan", round, i, b[i], x);
	}
	memset(b, 0, (size_t)words * ranks * 8);
	MPI_Gather(a, words, MPI_UINT64_T, b, words, MPI_UINT64_T, root, MPI_COMM_WORLD);
	for (who = 0; rank == root && who < ranks; who++)
		compare("gather", b + (size_t)who * words, words, round, who);
	memset(b, 0, (size_t)words * ranks * 8);
	MPI_Allgather(a, words, MPI_UINT64_T, b, words, MPI_UINT64_T, MPI_COMM_WORLD);
	for (who = 0; who < ranks; who++)
		compare("allgather", b + (size_t)who * words, words, round, who);

	for (who = 0; who < ranks; who++)
		fill(a + (size_t)who * words, words, round, root * ranks + who);
	MPI_Scatter(a, words, MPI_UINT64_T, b, words, MPI_UINT64_T, root, MPI_COMM_WORLD);
	compare("scatter", b, words, round, root * ranks + rank);
	for (who = 0; who < ranks; who++)
		fill(a + (size_t)who * words, words, round, rank * ranks + who);
	MPI_Alltoall(a, words, MPI_UINT64_T, b, words, MPI_UINT64_T, MPI_COMM_WORLD);
	for (who = 0; who < ranks; who++)
		compare("alltoall", b + (size_t)who * words, words, round, who * ranks + rank);
	for (who = 0; who < ranks; who++)
		fill(a + (size_t)who * words, words, round, rank);
	MPI_Reduce_scatter_block(a, b, words, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	compare_sums("reduce_scatter", b, words, round);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The window: words from the neighbor before, words to be read, sums, and a word each for fetch_and_op and compare_and_swap. */
static void one_sided(uint64_t *a, uint64_t *b, int words, int round)
{
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, who;
	uint64_t *base, one = 1, old, mine = rank + 1, none = 0;
	MPI_Aint bytes = (3 * (MPI_Aint)words + 2) * 8;
	MPI_Win win;

	MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	memset(base, 0, bytes);
	fill(base + words, words, round, rank);
	fill(a, words, round, rank);
	MPI_Win_fence(0, win);
	MPI_Put(a, words, MPI_UINT64_T, next, 0, words, MPI_UINT64_T, win);
	MPI_Get(b, words, MPI_UINT64_T, next, words, words, MPI_UINT64_T, win);
	for (who = 0; who < ranks; who++)
		MPI_Accumulate(a, words, MPI_UINT64_T, who, 2 * (MPI_Aint)words, words, MPI_UINT64_T, MPI_SUM, win);
	MPI_Win_fence(0, win);
	compare("put", base, words, round, before);
	compare("get", b, words, round, next);
	compare_sums("accumulate", base + 2 * (size_t)words, words, round);
	MPI_Barrier(MPI_COMM_WORLD);

	MPI_Win_lock_all(0, win);
	for (who = 0; who < 10; who++) {
		MPI_Fetch_and_op(&one, &old, MPI_UINT64_T, 0, 3 * (MPI_Aint)words, MPI_SUM, win);
		MPI_Win_flush(0, win);
	}
	MPI_Compare_and_swap(&mine, &none, &old, MPI_UINT64_T, 0, 3 * (MPI_Aint)words + 1, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock_all(win);
	/* one of all met the zero */
	none = old == 0;
	MPI_Allreduce(&none, &old, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	expect("compare_and_swap that met zero", round, 0, old, 1);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&old, 1, MPI_UINT64_T, 0, 3 * (MPI_Aint)words, 1, MPI_UINT64_T, win);
	MPI_Win_unlock(0, win);
	expect("fetch_and_op", round, 0, old, 10ull * ranks);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, round, i;
	long all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (round = 0; round < rounds; round++)
		for (i = 2; i < argc; i++) {
			int words = atoi(argv[i]) / 8;
			uint64_t *a = malloc((size_t)words * ranks * 8), *b = malloc((size_t)words * ranks * 8);

			if (!a || !b)
				MPI_Abort(MPI_COMM_WORLD, 1);
			messages(a, b, words, round);
			collectives(a, b, words, round);
			one_sided(a, b, words, round);
			free(a);
			free(b);
			if (!rank) {
				printf("round %d of %d bytes\n", round, words * 8);
				fflush(stdout);
			}
		}
	MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank && !all)
		printf("all right, %d ranks\n", ranks);
	MPI_Finalize();
	return all ? 9 : 0;
}
