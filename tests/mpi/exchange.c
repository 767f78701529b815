// SPDX-License-Identifier: GPL-2.0-only
/*
 * An MPI program whose ranks all send to each other: messages of several sizes around a ring, and a sum of what all have.
 * Each checks what it gets. mpicc -o exchange exchange.c; mpirun -n 4 ./exchange
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

static void check(int ok, const char *what, int size, int at)
{
	if (ok)
		return;
	fprintf(stderr, "rank %d: %s of %d bytes is wrong at %d\n", rank, what, size, at);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What rank `from` sends in a round: bytes that nobody else sends then. */
static unsigned char byte_of(int from, int round, int at)
{
	return (unsigned char)(from * 61 + round * 7 + at * 13 + (at >> 8));
}

static void around(int size, int round)
{
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
	unsigned char *out = malloc(size), *in = calloc(1, size);

	for (int i = 0; i < size; i++)
		out[i] = byte_of(rank, round, i);
	MPI_Sendrecv(out, size, MPI_BYTE, next, round, in, size, MPI_BYTE, before, round, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (int i = 0; i < size; i++)
		check(in[i] == byte_of(before, round, i), "a message", size, i);
	free(out);
	free(in);
}

static void sum(int n)
{
	long *mine = malloc(n * sizeof(*mine)), *all = calloc(n, sizeof(*all));

	for (int i = 0; i < n; i++)
		mine[i] = (long)(rank + 1) * i;
	MPI_Allreduce(mine, all, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		check(all[i] == (long)ranks * (ranks + 1) / 2 * i, "a sum", n, i);
	free(mine);
	free(all);
}

int main(int argc, char **argv)
{
	static const int sizes[] = { 1, 100, 4096, 65536, 1 << 20 };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < (int)(sizeof(sizes) / sizeof(*sizes)); i++)
		for (int round = 0; round < 5; round++)
			around(sizes[i], round);
	sum(1000);
	sum(100000);
	if (!rank)
		printf("%d ranks: all is right\n", ranks);
	MPI_Finalize();
	return 0;
}
