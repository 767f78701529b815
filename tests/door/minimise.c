// SPDX-License-Identifier: GPL-2.0-only
/* A few programs that reach what many do. */
#include <stdlib.h>
#include <string.h>

#include "door.h"

#define WORDS (EDGES / 64)

/* What a program reaches each time that it runs: races and timers make a few edges come and go. */
struct reached {
	uint64_t edge[WORDS];
};

static void edges_forget(void)
{
	memset(cover->edge, 0, sizeof(cover->edge));
}

static void edges_take(struct reached *r)
{
	unsigned int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < EDGES; i++)
		if (cover->edge[i])
			r->edge[i / 64] |= 1ull << i % 64;
}

/* False: the kernel complained, or is stuck. */
static bool reach(const struct program *p, struct reached *r,
		  enum outcome (*run)(const struct program *p))
{
	static struct reached once;
	unsigned int i, again;
	enum outcome out;

	for (again = 0; again < 2; again++) {
		edges_forget();
		out = run(p);
		if (out == OUT_SPLAT || out == OUT_STUCK)
			return false;
		edges_take(again ? &once : r);
	}
	for (i = 0; i < WORDS; i++)
		r->edge[i] &= once.edge[i];
	return true;
}

/* How many edges of r are not in *seen. */
static unsigned int adds(const struct reached *r, const struct reached *seen)
{
	unsigned int i, n = 0;

	for (i = 0; i < WORDS; i++)
		n += __builtin_popcountll(r->edge[i] & ~seen->edge[i]);
	return n;
}

static void merge(struct reached *seen, const struct reached *r)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		seen->edge[i] |= r->edge[i];
}

/* Takes calls away as long as p still adds to *seen what it added. False as above. */
static bool shorten(struct program *p, const struct reached *seen, const struct reached *was,
		    double until, enum outcome (*run)(const struct program *p))
{
	static struct reached now, need;
	unsigned int c, i;

	for (i = 0; i < WORDS; i++)
		need.edge[i] = was->edge[i] & ~seen->edge[i];
	for (c = p->ncalls; c-- && p->ncalls > 1 && now_s() < until;) {
		struct program q = *p;
		enum outcome out;

		memmove(&q.call[c], &q.call[c + 1], (q.ncalls - c - 1) * sizeof(q.call[0]));
		q.ncalls--;
		edges_forget();
		out = run(&q);
		if (out == OUT_SPLAT || out == OUT_STUCK)
			return false;
		edges_take(&now);
		if (!adds(&need, &now))
			*p = q;
	}
	return true;
}

bool minimise(struct program *const *corpus, unsigned int n, unsigned int base, double seconds,
	      enum outcome (*run)(const struct program *p), void (*take)(const struct program *p))
{
	struct reached *each = calloc(n, sizeof(*each)), *seen = calloc(1, sizeof(*seen));
	unsigned int kept = 0, i, best;
	bool good = true;
	double until;

	if (!each || !seen)
		exit(2);
	for (i = 0; i < n; i++) {
		good = reach(corpus[i], &each[i], run);
		if (!good)
			goto out;
		if (i < base)
			merge(seen, &each[i]);
	}
	printf("the base reaches %u edges each time\n", adds(seen, &(struct reached){}));
	until = now_s() + seconds;
	for (;;) {
		unsigned int most = 0;
		struct program p;

		for (i = base; i < n; i++)
			if (adds(&each[i], seen) > most) {
				most = adds(&each[i], seen);
				best = i;
			}
		if (!most)
			break;
		p = *corpus[best];
		good = shorten(&p, seen, &each[best], until, run);
		if (!good)
			goto out;
		merge(seen, &each[best]);
		take(&p);
		kept++;
	}
	printf("%u of %u programs are needed for %u edges\n", kept, n - base,
	       adds(seen, &(struct reached){}));
out:
	free(each);
	free(seen);
	return good;
}
