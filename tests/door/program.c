// SPDX-License-Identifier: GPL-2.0-only
/* Programs: made at random, changed, read and printed. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "door.h"

uint64_t seed;
const struct row **rows;
unsigned int nrows;

/* splitmix64: the same programs for the same seed, wherever they are made */
uint64_t rnd(void)
{
	seed += 0x9e3779b97f4a7c15;
	return mix(seed);
}

uint64_t below(uint64_t n)
{
	return n ? rnd() % n : 0;
}

void rows_init(void)
{
	static const struct row *const tables[] = { rows_write,	  rows_ioctl, rows_mmap,
						    rows_ring,	  rows_umad,  rows_debugfs,
						    rows_netlink, rows_raw,   rows_fault };
	unsigned int i;
	const struct row *r;

	rows = calloc(1024, sizeof(*rows));
	for (i = 0; i < ARRAY_LEN(tables); i++)
		for (r = tables[i]; r->name; r++) {
			if (r->nargs > ARGS_MAX || nrows == 1024) {
				fprintf(stderr, "door_fuzz: %s: too many arguments or rows\n",
					r->name);
				exit(2);
			}
			rows[nrows++] = r;
		}
}

const struct row *row_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < nrows; i++)
		if (strlen(rows[i]->name) == len && !memcmp(rows[i]->name, name, len))
			return rows[i];
	return NULL;
}

static uint16_t row_number(const struct row *r)
{
	uint16_t i = 0;

	while (rows[i] != r)
		i++;
	return i;
}

/* ---- values */

static uint64_t interesting(void)
{
	static const uint64_t some[] = {
		0,
		1,
		2,
		3,
		4,
		7,
		8,
		15,
		16,
		31,
		32,
		63,
		64,
		127,
		128,
		255,
		256,
		1023,
		4095,
		4096,
		4097,
		8192,
		65535,
		65536,
		0xffffff,
		0x1000000,
		MEMORY_BYTES - 1,
		MEMORY_BYTES - 4096,
		0x7ffffffe,
		0x7fffffff,
		0x80000000,
		0xfffffffe,
		0xffffffff,
		0x100000000,
		0x7fffffffffff,
		0x7ffffffff000,
		0x800000000000,
		0xffff800000000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		-4096ull,
		-2ull,
		-1ull,
	};

	return some[below(ARRAY_LEN(some))];
}

static uint64_t value_make(const struct arg *a)
{
	switch (a->kind) {
	case K_CONTEXT:
		return below(8) ? 0 : 1;
	case K_HANDLE:
		if (a->value && below(8))
			return a->value;
		/* fall through */
	case K_LKEY:
	case K_RKEY:
	case K_QPN:
	case K_SRQN:
	case K_AHN:
		if (below(8))
			return a->kind == K_RKEY && a->value ? a->value : below(2) ? 0 : below(4);
		switch (below(3)) {
		case 0:
			return THINGS_MAX + below(THINGS_MAX);
		case 1:
			return NEIGHBOURS + below(NEIGHBOURS_MAX);
		default:
			return interesting();
		}
	case K_LID:
		if (!below(8))
			return below(2) ? below(65536) : interesting();
		return below(4) ? below(4) : 16 + below(8);
	case K_MLID:
		return below(16) ? below(8) : below(65536);
	case K_GID:
		return below(16) ? a->value : below(256);
	case K_ENUM:
		return below(2) ? a->value : below(8) ? below(a->limit) : interesting();
	case K_FLAGS:
		if (below(2))
			return a->value;
		return below(4) ? (a->value ^ 1ull << below(32)) : below(2) ? rnd() : interesting();
	case K_ADDR:
		return below(8)	  ? (below(2) ? a->value : below(MEMORY_BYTES / 4096) * 4096)
		       : below(2) ? below(MEMORY_BYTES)
				  : interesting();
	case K_LEN:
		return below(2) ? a->value : below(2) ? below(65536) : interesting();
	case K_INTO:
		return below(32) ? 0 : interesting();
	case K_NUM:
		break;
	}
	return below(4) ? a->value : below(2) ? below(32) : interesting();
}

static void value_change(const struct arg *a, uint64_t *v)
{
	switch (below(6)) {
	case 0:
		*v ^= 1ull << below(a->bytes && a->bytes < 8 ? a->bytes * 8 : 64);
		break;
	case 1:
		*v += below(2) ? 1 : -1ull;
		break;
	case 2:
		*v = interesting();
		break;
	default:
		*v = value_make(a);
	}
}

static void call_make(struct call *c)
{
	const struct row *r;
	unsigned int i;

	c->row = below(nrows);
	r = rows[c->row];
	memset(c->value, 0, sizeof(c->value));
	for (i = 0; i < r->nargs; i++)
		c->value[i] =
			r->nargs > 12 && below(4) ? r->args[i].value : value_make(&r->args[i]);
}

void program_generate(struct program *p)
{
	unsigned int i;

	p->ncalls = 1 + below(CALLS_MAX / 2);
	for (i = 0; i < p->ncalls; i++)
		call_make(&p->call[i]);
}

static void call_insert(struct program *p, unsigned int at, const struct call *c)
{
	if (p->ncalls == CALLS_MAX)
		return;
	memmove(&p->call[at + 1], &p->call[at], (p->ncalls - at) * sizeof(*c));
	p->call[at] = *c;
	p->ncalls++;
}

void program_mutate(struct program *p, const struct program *other)
{
	unsigned int n = 1 + below(4), at, from, i;
	const struct row *r;
	struct call c;

	while (n--) {
		at = below(p->ncalls);
		switch (below(12)) {
		case 0:
		case 1:
			call_make(&c);
			call_insert(p, below(p->ncalls + 1), &c);
			break;
		case 2:
			call_make(&c);
			call_insert(p, p->ncalls, &c);
			break;
		case 3:
			if (p->ncalls > 1) {
				memmove(&p->call[at], &p->call[at + 1],
					(p->ncalls - at - 1) * sizeof(c));
				p->ncalls--;
			}
			break;
		case 4:
			c = p->call[at];
			call_insert(p, below(p->ncalls + 1), &c);
			break;
		case 5:
			from = below(other->ncalls);
			for (i = 0; from + i < other->ncalls && i < 1 + below(8); i++)
				call_insert(p, at + i < p->ncalls ? at + i : p->ncalls,
					    &other->call[from + i]);
			break;
		case 6:
			from = below(p->ncalls);
			c = p->call[at];
			p->call[at] = p->call[from];
			p->call[from] = c;
			break;
		default:
			r = rows[p->call[at].row];
			if (!r->nargs)
				break;
			for (i = 1 + below(3); i--;) {
				unsigned int a = below(r->nargs);

				value_change(&r->args[a], &p->call[at].value[a]);
			}
		}
	}
}

/* ---- text: one call a line, `name(argument=value, ...)`; what is not named has its default; #
 * begins a comment, a line "---" the next program */

void program_print(const struct program *p, FILE *to, bool all)
{
	unsigned int i, k;

	for (i = 0; i < p->ncalls; i++) {
		const struct row *r = rows[p->call[i].row];
		const char *comma = "";

		fprintf(to, "%s(", r->name);
		for (k = 0; k < r->nargs; k++) {
			uint64_t v = p->call[i].value[k];

			if (!all && v == r->args[k].value)
				continue;
			fprintf(to, v < 65536 ? "%s%s=%llu" : "%s%s=0x%llx", comma, r->args[k].name,
				(unsigned long long)v);
			comma = ", ";
		}
		fprintf(to, ")\n");
	}
}

static bool call_read(struct call *c, const char *s, char *why, size_t size)
{
	const struct row *r;
	size_t len = strcspn(s, "( \n");
	unsigned int i;

	r = row_find(s, len);
	if (!r || s[len] != '(') {
		snprintf(why, size, "no such call: %.*s", (int)len, s);
		return false;
	}
	memset(c->value, 0, sizeof(c->value));
	c->row = row_number(r);
	for (i = 0; i < r->nargs; i++)
		c->value[i] = r->args[i].value;
	for (s += len + 1; *s != ')';) {
		char *end;

		s += strspn(s, ", ");
		len = strcspn(s, "=),\n");
		for (i = 0; i < r->nargs; i++)
			if (strlen(r->args[i].name) == len && !memcmp(r->args[i].name, s, len))
				break;
		if (i == r->nargs || s[len] != '=') {
			snprintf(why, size, "%s has no argument %.*s", r->name, (int)len, s);
			return false;
		}
		c->value[i] = strtoull(s + len + 1, &end, 0);
		if (end == s + len + 1 || (*end != ',' && *end != ')')) {
			snprintf(why, size, "%s: %.*s: no number", r->name, (int)len, s);
			return false;
		}
		s = end;
	}
	return true;
}

bool programs_read(const char *path, void (*take)(const struct program *p))
{
	FILE *f = fopen(path, "r");
	struct program p = {};
	unsigned int number = 0;
	char line[8192], why[256];
	bool good = true;

	if (!f) {
		fprintf(stderr, "door_fuzz: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (good && fgets(line, sizeof(line), f)) {
		char *s = line + strspn(line, " \t");

		number++;
		if (*s == '#' || *s == '\n' || !*s)
			continue;
		if (!strcmp(s, "---\n") && p.ncalls) {
			take(&p);
			p.ncalls = 0;
			continue;
		}
		good = p.ncalls < CALLS_MAX;
		snprintf(why, sizeof(why), "more than %d calls", CALLS_MAX);
		good = good && call_read(&p.call[p.ncalls++], s, why, sizeof(why));
	}
	fclose(f);
	if (good && !p.ncalls) {
		good = false;
		snprintf(why, sizeof(why), "no call in it");
	}
	if (good)
		take(&p);
	else
		fprintf(stderr, "door_fuzz: %s:%u: %s\n", path, number, why);
	return good;
}
