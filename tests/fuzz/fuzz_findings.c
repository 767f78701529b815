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

static void findings(const char *text, size_t len)
{
	static struct debugfs_file file;
	struct finding_layout layout;
	struct mutes mutes = { 0 };
	struct debugfs_table table;

	FUZZ_CHECK(!debugfs_copy(&file, "fuzzed", text, len), "no memory");
	if (!finding_layout(&table, &file, &layout)) {
		FUZZ_CHECK(file.bad, "a bad header that is not counted");
		return;
	}
	mutes_add(&mutes, "all comm=a*", "here");
	while (debugfs_table_next(&table)) {
		unsigned long bad = file.bad;
		struct finding f;

		if (finding_parse(&table, &layout, &f)) {
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
			finding_free(&f);
		} else {
			FUZZ_CHECK(file.bad == bad + 1, "a bad line that is not counted");
		}
	}
	check_printable(debugfs_error(&file));
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
	if (!size)
		return 0;
	size--;
	if (*data & 1) {
		mutes((const char *)data + 1, size);
		return 0;
	}
	findings((const char *)data + 1, size);
	return 0;
}
