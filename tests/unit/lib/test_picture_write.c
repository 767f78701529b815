// SPDX-License-Identifier: GPL-2.0-only
/* The writers of pictures: known outputs, hostile names, as many arrows as packets, widths. */
#include <unistd.h>

#include "picture_world.h"

#define GOLDEN "lib/golden/"

static char why[400];

/* Writes a picture by one of the writers into memory, which the caller frees. */
enum format { SVG, MERMAID, UTF8, ASCII, NARROW, COLORS, HTML, FORMATS };

static const char *const suffixes[] = { "svg", "mmd", "utf8", "ascii", "narrow", "colors", "html" };

static char *written(const struct picture *p, enum format format)
{
	struct picture_terminal terminal = { .width = format == NARROW ? 46 : 100,
					     .utf8 = format != ASCII, .color = format == COLORS };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	switch (format) {
	case SVG:
		picture_write_svg(to, p);
		break;
	case MERMAID:
		picture_write_mermaid(to, p);
		break;
	case HTML:
		picture_write_html(to, p, "ibcap (Glass)", "ibcap --html x", why);
		break;
	default:
		picture_write_text(to, p, &terminal);
	}
	fclose(to);
	return text;
}

static char *read_all(const char *path)
{
	FILE *from = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(text);
	if (from) {
		assert_true(fread(text, 1, (1 << 20) - 1, from) > 0);
		fclose(from);
	}
	return text;
}

/* GLASS_UPDATE=1 writes what is expected anew; look at it before it is committed. */
static void is_golden(const struct picture *p, const char *name, enum format format)
{
	char path[100], *got = written(p, format), *want;

	snprintf(path, sizeof(path), GOLDEN "%s.%s", name, suffixes[format]);
	if (getenv("GLASS_UPDATE")) {
		FILE *to = fopen(path, "w");

		assert_non_null(to);
		fputs(got, to);
		fclose(to);
	}
	want = read_all(path);
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void test_golden(void **state)
{
	struct picture_book *book = world_book(PICTURE_ITEMS);
	struct picture *p = world_choose(book, why);

	(void)state;
	for (enum format format = SVG; format < FORMATS; format++)
		is_golden(p, "exchange", format);
	picture_book_free(book);
}

/* Long and hostile names at both ends, a switch, a rule; a pause, packets that are left out: for tests/pictures/run, too */
static void test_golden_hostile(void **state)
{
	const char *evil = "</svg><b>a%%{x;", *node = "<img src=x onerror=alert(1)>&#x41;y";
	struct picture_book *book = picture_book_new(25);
	struct picture *p;

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		struct picture_sight s = world_packet(i * MS / 50, i % 5 == 4, GLASS_TR_RC | GLASS_BOP_SEND_LAST_INV,
						      0xfffff0 + i - (i == 35), i == 30 ? 0 : FLOW(i)), hop;

		s.dev = i % 5 == 4 ? "glass1" : "glass0-with-a-name-of-more-characters-than-fit";
		s.comm = i % 5 == 4 ? "\xe2\x80\xae\xe6\x97\xa5\xe6\x9c\xac" : evil;
		picture_book_packet(book, &s);
		hop = s;
		hop.sent = false;
		hop.node = node;
		hop.reason = GLASS_DROP_MSG_TOO_LONG;
		hop.rule = "'\"><script>alert(2)</script> 123456";
		if (i % 13 == 12)
			picture_book_packet(book, &hop);
	}
	picture_book_moment(book, &(struct picture_moment){ .kind = PICTURE_COMPLETED, .at = { 1, WORLD_A },
		.ns = WORLD_START + 123456789012ULL, .bad = true, .op = "recv_write_imm",
		.what = "<rem_inv_req_err and some more text of it>" });
	p = world_choose(book, why);
	is_golden(p, "hostile", SVG);
	is_golden(p, "hostile", MERMAID);
	is_golden(p, "hostile", HTML);
	is_golden(p, "hostile", UTF8);
	picture_book_free(book);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* Names that would end a string, an element, a comment, a line, or a statement; not UTF-8; other directions */
static const char *const hostile[] = {
	"</svg><script>", "\"onload='x'", "a;b%%{init}", "x\nA->>B: y",	 "\033[31mred",	 "\xff\xfe\xc0\xaf",
	"\xe2\x80\xae" "rtl", "end",	   "#59;#35;",	  "--><!--",	 "]]>&amp;&lt;", "a\\\"b\x01",
};

static struct picture_book *hostile_book(const char *name)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(0, false, GLASS_TR_RC | GLASS_BOP_SEND_ONLY, 5, FLOW(0)), there;

	s.comm = name;
	s.rule = name;
	s.dev = name;
	there = world_arrival(world_packet(0, false, GLASS_TR_RC | GLASS_BOP_SEND_ONLY, 5, FLOW(0)), US);
	there.comm = name;
	there.reason = GLASS_DROP_ACCESS;
	there.rule = name;
	picture_book_packet(book, &s);
	picture_book_packet(book, &there);
	picture_book_moment(book, &(struct picture_moment){ .kind = PICTURE_NOTE, .ns = WORLD_START + MS,
							    .at = { 1, WORLD_A }, .what = name });
	return book;
}

static void is_harmless(const char *text, enum format format)
{
	assert_null(strstr(text, "<script>a"));
	assert_null(strchr(text, '\r'));
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= ' ' || *c == '\n' || (format == SVG && *c == '\t'));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strstr(text, "\xc0\xaf"));
	assert_null(strstr(text, "\xff"));
	switch (format) {
	case SVG:
	case HTML:
		assert_int_equal(count(text, "<script"), format == HTML);
		assert_int_equal(count(text, "</svg>"), 1);
		assert_null(strstr(text, "onload='"));
		assert_null(strstr(text, "<!--"));
		break;
	case MERMAID:
		assert_null(strstr(text, "%%"));
		/* a header, two ends, three lines of the arrow, the summary, the note */
		assert_true(count(text, "\n") <= 9);
		assert_int_equal(count(text, "->>") + count(text, "-x"), 1);
		break;
	default:
		break;
	}
}

static void test_hostile_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct picture_book *book = hostile_book(hostile[i]);
		struct picture *p = world_choose(book, why);

		assert_non_null(p);
		for (enum format format = SVG; format < FORMATS; format++) {
			char *text = written(p, format);

			if (format != COLORS)
				is_harmless(text, format);
			free(text);
		}
		picture_book_free(book);
	}
}

/* Columns that a line takes on a terminal: each sign of a diagram is one column wide. */
static size_t columns(const char *line, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)line[i] & 0xc0) != 0x80;
	return n;
}

static void fits(const char *text, size_t width)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (columns(text, len) > width)
			fail_msg("%zu columns, not %zu: %.*s", columns(text, len), width, (int)len, text);
		text += len + 1;
	}
}

static void test_every_width(void **state)
{
	struct picture_book *book = hostile_book("a name that is rather long for a column");
	struct picture_book *plain = world_book(PICTURE_ITEMS);
	struct picture *pictures[] = { world_choose(book, why), world_choose(plain, why) };

	(void)state;
	for (unsigned int width = 0; width < 400; width++) {
		unsigned int bounded = width < PICTURE_WIDTH_MIN ? PICTURE_WIDTH_MIN :
				       width > PICTURE_WIDTH_MAX ? PICTURE_WIDTH_MAX : width;

		for (int i = 0; i < 4; i++) {
			struct picture_terminal t = { .width = width, .utf8 = i & 1 };
			char *text = NULL;
			size_t size;
			FILE *to = open_memstream(&text, &size);

			picture_write_text(to, pictures[i / 2], &t);
			fclose(to);
			fits(text, bounded);
			free(text);
		}
	}
	picture_book_free(book);
	picture_book_free(plain);
}

/* Events in, arrows out: in every format, as many as packets that are not left out. */
static void test_arrows(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		unsigned int n = 1 + rnd_below(300), packets = 0;
		struct picture_book *book = picture_book_new(PICTURE_ITEMS);
		char left[PICTURE_LABEL], *text[FORMATS];
		uint64_t out;
		struct picture *p;

		for (unsigned int i = 0; i < n; i++)
			world_both(book, world_packet(i * rnd_below(100000), rnd_below(2),
						      GLASS_TR_RC | GLASS_BOP_SEND_ONLY, i, FLOW(i)));
		p = world_choose(book, why);
		packets = p->count;
		out = p->packets - packets;
		for (enum format format = SVG; format < FORMATS; format++)
			text[format] = written(p, format);
		assert_int_equal(packets, n < PICTURE_ITEMS ? n : PICTURE_ITEMS);
		assert_int_equal(count(text[SVG], "<g class=\"packet"), packets);
		assert_int_equal(count(text[SVG], "class=\"head\" d"), packets);
		assert_int_equal(count(text[HTML], "<g class=\"packet"), packets);
		assert_int_equal(count(text[HTML], "<tr>") + count(text[HTML], "<tr class"), packets + 1);
		assert_int_equal(count(text[MERMAID], "->>"), packets);
		assert_int_equal(count(text[ASCII], "->|") + count(text[ASCII], "|<-"), packets);
		assert_int_equal(count(text[UTF8], "▶│") + count(text[UTF8], "│◀"), packets);
		picture_left_out(out, 0, left);
		for (enum format format = SVG; format <= UTF8; format++)
			assert_true(out == 0 || count(text[format], "left out") > 0);
		for (enum format format = SVG; format < FORMATS; format++)
			free(text[format]);
		picture_book_free(book);
	}
}

static void test_numbers(void **state)
{
	static const struct { uint64_t ns; const char *text; } times[] = {
		{ 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1.0 us" }, { 12345, "12.3 us" },
		{ 268435456, "268 ms" }, { 1500000000, "1.5 s" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		picture_duration(times[i].ns, text);
		assert_string_equal(text, times[i].text);
	}
	picture_number(UINT64_MAX, text);
	assert_string_equal(text, "18,446,744,073,709,551,615");
	picture_number(999, text);
	assert_string_equal(text, "999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_golden_hostile),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_every_width),
		cmocka_unit_test_setup(test_arrows, rnd_restart),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("picture_write", tests, rnd_group, NULL);
}
