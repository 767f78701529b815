// SPDX-License-Identifier: GPL-2.0-only
/*
 * What iblint reads: the table of findings of a device, and files of mutes. The first byte tells
 * which.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "iblint/mute.h"

static void check_printable(const char *text)
{
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= ' ' && *text != 0x7f, "byte 0x%02x",
			   (unsigned char)*text);
}

static void findings(char *text)
{
	struct finding_layout layout;
	struct mutes mutes = { 0 };
	char *line = text, *next;

	findings_lost(text);
	next = strchr(line, '\n');
	if (next)
		*next++ = 0;
	if (!finding_layout(line, &layout))
		return;
	mutes_add(&mutes, "all comm=a*", "here");
	for (line = next; line; line = next) {
		struct finding f;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (finding_parse(&layout, line, &f)) {
			char *object;

			f.dev = "glass0";
			check_printable(f.text);
			check_printable(f.comm);
			check_printable(f.peer_comm);
			FUZZ_CHECK(finding_code(&f) && finding_severity(&f), "no code");
			object = finding_object(&f);
			check_printable(object);
			free(object);
			mutes_find(&mutes, &f);
		}
		finding_free(&f);
	}
	mutes_free(&mutes);
}

static void mutes(const char *text, size_t len)
{
	struct mutes m = { 0 };

	mutes_read(&m, fuzz_file(text, len));
	mutes_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	size--;
	if (*data & 1) {
		mutes((const char *)data + 1, size);
		return 0;
	}
	/* of the exact size */
	text = malloc(size + 1);
	FUZZ_CHECK(text, "no memory");
	memcpy(text, data + 1, size);
	text[size] = 0;
	findings(text);
	free(text);
	return 0;
}
