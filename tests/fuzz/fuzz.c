// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "lib/cli.h"

static struct {
	const uint8_t *at, *end;
	bool endless;
	uint64_t state; /* of the pseudo-random numbers behind the end */
} in;

void fuzz_failed(const char *file, int line, const char *condition, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "# failed: %s (%s:%d)\n# ", condition, file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

void fuzz_begin(const uint8_t *data, size_t size)
{
	/* a failed assertion of the code that is shared with the unit tests shows its stack */
	if (!in.at)
		setenv("CMOCKA_TEST_ABORT", "1", 1);
	in.at = data;
	in.end = data + size;
	in.endless = false;
}

void fuzz_endless(void)
{
	const uint8_t *b;

	in.endless = true;
	in.state = 0xcbf29ce484222325ULL;
	for (b = in.at; b < in.end; b++)
		in.state = (in.state ^ *b) * 0x100000001b3ULL;
}

size_t fuzz_left(void)
{
	return in.end - in.at;
}

/* splitmix64 */
static uint8_t beyond(void)
{
	uint64_t z;

	if (!in.endless)
		return 0;
	z = in.state += 0x9e3779b97f4a7c15ULL;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint8_t fuzz_u8(void)
{
	return in.at < in.end ? *in.at++ : beyond();
}

uint16_t fuzz_u16(void)
{
	uint16_t low = fuzz_u8();

	return low | fuzz_u8() << 8;
}

uint32_t fuzz_u32(void)
{
	uint32_t low = fuzz_u16();

	return low | (uint32_t)fuzz_u16() << 16;
}

uint64_t fuzz_u64(void)
{
	uint64_t low = fuzz_u32();

	return low | (uint64_t)fuzz_u32() << 32;
}

uint32_t fuzz_below(uint32_t n)
{
	if (n <= 1)
		return 0;
	if (n <= 0x100)
		return fuzz_u8() % n;
	if (n <= 0x10000)
		return fuzz_u16() % n;
	return fuzz_u32() % n;
}

void fuzz_bytes(void *to, size_t len)
{
	uint8_t *b = to;

	while (len--)
		*b++ = fuzz_u8();
}

const uint8_t *fuzz_take(size_t *len)
{
	const uint8_t *at = in.at;

	if (*len > fuzz_left())
		*len = fuzz_left();
	in.at += *len;
	return at;
}

const char *fuzz_file(const void *bytes, size_t len)
{
	static char path[40];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	FUZZ_CHECK(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, bytes, len, 0) == (ssize_t)len,
		   "no file for the input");
	return path;
}

FILE *fuzz_sink(void)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "w");
	FUZZ_CHECK(sink, "no /dev/null");
	return sink;
}

/* Instead of lib/cli.c's, which would write a line for each input that is refused */
void __wrap_cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

void __wrap_cli_error(const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
}

/* What tests/unit/harness.h asks for when it is compiled for a fuzz target */
uint64_t fuzz_rnd(void);
uint32_t fuzz_rnd_below(uint32_t n);
void fuzz_rnd_fill(void *buf, size_t len);

uint64_t fuzz_rnd(void)
{
	uint64_t low = fuzz_u32();

	return low | low << 32;
}

uint32_t fuzz_rnd_below(uint32_t n)
{
	return fuzz_below(n);
}

/* From two bytes: what is filled at random says little, and inputs stay short. */
void fuzz_rnd_fill(void *buf, size_t len)
{
	uint32_t x = fuzz_u16() * 2654435761u;
	uint8_t *b = buf;

	while (len--) {
		x = x * 1664525 + 1013904223;
		*b++ = x >> 24;
	}
}
