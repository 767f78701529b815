// SPDX-License-Identifier: GPL-2.0-only
/* Scenarios of ibinject: YAML of anybody. What is taken has steps that mean something. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ibinject/scenario.h"

static void check(const struct scenario *s)
{
	uint64_t at = 0;
	size_t i;

	FUZZ_CHECK(s->steps, "no steps, and taken");
	for (i = 0; i < s->steps; i++) {
		const struct step *step = &s->step[i];

		FUZZ_CHECK(step->deed < DEED_COUNT, "step %zu does %u", i, step->deed);
		FUZZ_CHECK(!step->timed || step->at >= at, "step %zu is before the one above it", i);
		at = step->timed ? step->at : at;
		FUZZ_CHECK(!step->after || step->after_times, "step %zu: after no times", i);
		FUZZ_CHECK(step->deed != DEED_ADD || (step->text && *step->text), "step %zu: no rule", i);
		FUZZ_CHECK(step->deed != DEED_EXPECT || (step->text && step->low <= step->high),
			   "step %zu expects %llu..%llu", i, (unsigned long long)step->low,
			   (unsigned long long)step->high);
		FUZZ_CHECK(step->deed != DEED_STEP || step->low, "step %zu: no packets", i);
		FUZZ_CHECK(step->deed != DEED_BOOKMARK || (step->text && *step->text &&
							   strlen(step->text) <= 200),
			   "step %zu: a bookmark", i);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *errors = NULL;
	struct scenario s;
	size_t len = 0;
	FILE *to = open_memstream(&errors, &len);
	bool taken;

	memset(&s, 0, sizeof(s));
	fuzz_begin(data, size);
	taken = scenario_read(&s, fuzz_file(data, size), to);
	fclose(to);
	/* what is refused is told */
	FUZZ_CHECK(taken == !len, "%s, and told: %s", taken ? "taken" : "refused", errors);
	if (taken)
		check(&s);
	scenario_free(&s);
	free(errors);
	return 0;
}
