// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives a target the inputs that are named, files or directories of files, once each: where there
 * is no libFuzzer, which is when coverage is measured.
 */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned long count;

static void give(const char *path)
{
	FILE *from = fopen(path, "r");
	struct stat st;
	uint8_t *data;

	if (!from || fstat(fileno(from), &st)) {
		perror(path);
		exit(2);
	}
	/* of the exact size, so that a sanitizer sees a read beyond */
	data = malloc(st.st_size ? st.st_size : 1);
	if (!data || fread(data, 1, st.st_size, from) != (size_t)st.st_size) {
		perror(path);
		exit(2);
	}
	fclose(from);
	LLVMFuzzerTestOneInput(data, st.st_size);
	free(data);
	count++;
}

static void give_all(const char *path)
{
	struct dirent *entry;
	char name[4096];
	DIR *dir = opendir(path);

	if (!dir) {
		give(path);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		give(name);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		give_all(argv[i]);
	printf("%lu inputs\n", count);
	return 0;
}
