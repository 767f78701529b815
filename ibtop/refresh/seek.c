// SPDX-License-Identifier: GPL-2.0-only
/* Parses places in a record: SECONDS, -SECONDS, #REFRESH, HH:MM:SS. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/record/record.h"
#include "ibtop/refresh/refresh.h"

/* Finds the last snapshot that is not later than the next occurrence of a local time of day. */
static bool time_of_day(const struct model *m, const char *text, unsigned int *frame)
{
	unsigned int hour, minute, second, n = model_frames(m);
	uint64_t first, last, want;
	time_t t;
	struct tm tm;
	int used = 0;

	if (sscanf(text, "%2u:%2u:%2u%n", &hour, &minute, &second, &used) != 3 || text[used] ||
	    hour > 23 || minute > 59 || second > 60)
		return false;
	model_frame_times(m, &first, &last);
	t = first / NS_PER_SEC;
	localtime_r(&t, &tm);
	tm.tm_hour = hour;
	tm.tm_min = minute;
	tm.tm_sec = second;
	tm.tm_isdst = -1;
	t = mktime(&tm);
	/* a time before the start is on the next day; compare whole seconds */
	if ((uint64_t)t < first / NS_PER_SEC)
		t += 24 * 3600;
	want = (uint64_t)t * NS_PER_SEC + NS_PER_SEC - 1;
	while (n > 1 && replay_real(m->replay, n - 1) > want)
		n--;
	*frame = n - 1;
	return true;
}

bool seek_parse(const struct model *m, const char *text, unsigned int *frame, char *error,
		size_t error_size)
{
	unsigned int frames = model_frames(m);
	uint64_t n, length;
	char *end;
	double s;

	if (*text == '#') {
		if (debugfs_number(text + 1, strlen(text + 1), &n) && n < frames) {
			*frame = n;
			return true;
		}
		snprintf(error, error_size, "%.40s: the record has #0 to #%u", text, frames - 1);
		return false;
	}
	if (strchr(text, ':')) {
		if (time_of_day(m, text, frame))
			return true;
	} else {
		s = strtod(text, &end);
		if (end != text && !*end && s >= -1e9 && s <= 1e9) {
			length = replay_mono(m->replay, frames - 1) - replay_mono(m->replay, 0);
			if (*text == '-')
				n = -s * NS_PER_SEC < length ? length + s * NS_PER_SEC : 0;
			else
				n = s * NS_PER_SEC;
			*frame = model_frame_at(m, n);
			return true;
		}
	}
	snprintf(error, error_size, "%.40s is not SECONDS, -SECONDS, #REFRESH or HH:MM:SS", text);
	return false;
}
