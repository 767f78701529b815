// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of the fabric, as configfs hands them to the driver: lines of any bytes. What is taken
 * keeps the bounds of docs/fabric-abi.md, and written as a command again it is the same command.
 * What is refused has a place in its line, and bounds that hold. Commands that ibfabric writes of
 * the same text are taken.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/command.h"
#include "fuzz.h"
#include "ibfabric/model/command.h"
#include "ibfabric/parse/parse.h"
#include "uapi/glass-cable.h"

#define LINES 200
#define LINE 4096

static struct glass_fabric_command c, again;
static struct glass_fabric_error e;

/* Parses a copy of the exact size: ASan sees a read beyond. */
static int parse_exact(struct glass_fabric_command *to, struct glass_fabric_error *error,
		       const char *line, size_t len)
{
	char *copy = malloc(len ? len : 1);
	int result;

	FUZZ_CHECK(copy, "no memory");
	memcpy(copy, line, len);
	memset(to, 0x5a, sizeof(*to));
	memset(error, 0x5a, sizeof(*error));
	result = glass_fabric_parse(to, error, copy, len);
	FUZZ_CHECK(!memcmp(copy, line, len), "the line changed");
	free(copy);
	return result;
}

static bool is_name(const char *name)
{
	size_t len = strnlen(name, GLASS_FABRIC_NAME_MAX + 1);

	return len && len <= GLASS_FABRIC_NAME_MAX && strcmp(name, "fabric") &&
	       !strchr("._-", name[0]) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len;
}

/* The words of masks, from the one for the fewest bits on; each has all bits of those before. */
static const struct {
	const char *word;
	u8 mask;
} widths[] = { { "1", 1 }, { "2", 17 }, { "4", 19 }, { "8", 23 }, { "12", 31 } };

static const struct {
	const char *word;
	u8 speed, ext;
} speeds[] = { { "sdr", 1, 0 }, { "ddr", 3, 0 }, { "qdr", 7, 0 }, { "fdr", 7, 1 },
	       { "edr", 7, 3 }, { "hdr", 7, 7 }, { "ndr", 7, 15 } };

/* ` width=` and ` speed=`, but for `none`, which is what stands for no word */
static void write_rates(FILE *to, u8 width, u8 speed, u8 ext, u8 none)
{
	size_t i;

	for (i = 0; width != none && i < ARRAY_SIZE(widths); i++)
		if (widths[i].mask == width)
			break;
	FUZZ_CHECK(i < ARRAY_SIZE(widths), "width 0x%x", width);
	if (width != none)
		fprintf(to, " width=%s", widths[i].word);
	for (i = 0; (speed != none || ext != none) && i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].speed == speed && speeds[i].ext == ext)
			break;
	FUZZ_CHECK(i < ARRAY_SIZE(speeds), "speed 0x%x, 0x%x", speed, ext);
	if (speed != none)
		fprintf(to, " speed=%s", speeds[i].word);
}

static void write_desc(FILE *to, const char *desc)
{
	fputs(*desc ? " desc=" : " desc=%", to);
	for (; *desc; desc++)
		fprintf(to, "%%%02x", (u8)*desc);
}

static void write_node(FILE *to, const struct glass_fabric_command *from)
{
	static const char *const kinds[] = { [GLASS_FABRIC_HCA] = "hca", [GLASS_FABRIC_CA] = "ca",
					     [GLASS_FABRIC_SWITCH] = "switch" };
	const struct glass_node_spec *s = &from->node;
	u32 i;

	fprintf(to, "%s %s ports=%u", kinds[from->verb], s->name, s->ports);
	if (from->guid_len)
		fprintf(to, " guid=0x%llx", (unsigned long long)s->guid);
	if (s->has_sys_guid)
		fprintf(to, " sysguid=%llu", (unsigned long long)s->sys_guid);
	for (i = 0; i < s->num_port_guids; i++)
		fprintf(to, "%s%llu", i ? "," : " portguids=", (unsigned long long)s->port_guid[i]);
	fprintf(to, " vendor=%u devid=0x%x", s->vendor_id, s->device_id);
	if (s->has_desc)
		write_desc(to, s->desc);
	write_rates(to, s->width, s->speed, s->speed_ext, 0);
	if (s->enhanced)
		fputs(" port0=enhanced", to);
	if (s->no_enforcement)
		fputs(" enforcement=no", to);
	if (*from->cable.netdev)
		fprintf(to, " netdev=%s", from->cable.netdev);
}

static void write_command(FILE *to, const struct glass_fabric_command *from)
{
	static const char *const others[] = { [GLASS_FABRIC_UNCABLE] = "uncable",
					      [GLASS_FABRIC_PULL] = "pull",
					      [GLASS_FABRIC_PLUG] = "plug" };
	const struct glass_cable_spec *s = &from->cable;

	switch (from->verb) {
	case GLASS_FABRIC_HCA:
	case GLASS_FABRIC_CA:
	case GLASS_FABRIC_SWITCH:
		write_node(to, from);
		break;
	case GLASS_FABRIC_CABLE:
		fprintf(to, "cable %s:%u ", from->a.node, from->a.port);
		if (*s->netdev)
			fprintf(to, "netdev=%s silence=%u vcrc=%s", s->netdev, s->silence_ms,
				s->vcrc ? "yes" : "no");
		else
			fprintf(to, "%s:%u", from->b.node, from->b.port);
		fprintf(to, " mtu=%u", 128u << s->mtu);
		write_rates(to, s->width, s->speed, s->speed_ext, 0xff);
		fputs(s->pulled ? " pulled=yes" : " pulled=no", to);
		break;
	case GLASS_FABRIC_REMOVE:
		fprintf(to, "remove %s", from->node.name);
		break;
	case GLASS_FABRIC_CLEAR:
		fputs("clear", to);
		break;
	default:
		fprintf(to, "%s %s:%u", others[from->verb], from->a.node, from->a.port);
	}
}

static void check_place(const char *line, size_t len, u32 at, u32 word_len, const char *begins)
{
	FUZZ_CHECK(at < len && word_len && word_len <= len - at, "a place %u + %u of %zu", at,
		   word_len, len);
	FUZZ_CHECK(word_len >= strlen(begins) && !memcmp(line + at, begins, strlen(begins)),
		   "%s is not at %u", begins, at);
}

/* The place of a network interface's name, and its bytes */
static void check_netdev(const char *line, size_t len)
{
	const struct glass_cable_spec *s = &c.cable;

	FUZZ_CHECK(s->netdev_len == strnlen(s->netdev, sizeof(s->netdev)) &&
		   s->netdev_len <= GLASS_FABRIC_NETDEV_MAX && !strpbrk(s->netdev, "/: \t"),
		   "interface %s", s->netdev);
	check_place(line, len, s->netdev_at, s->netdev_len, s->netdev);
}

/* Only an HCA may have an Ethernet port, which is then its only one, and has its rates from the interface. */
static void check_ether(const char *line, size_t len)
{
	const struct glass_node_spec *s = &c.node;

	if (!*c.cable.netdev) {
		FUZZ_CHECK(!c.cable.netdev_len, "the length of no interface");
		return;
	}
	FUZZ_CHECK(c.verb == GLASS_FABRIC_HCA, "verb %u with an interface", c.verb);
	FUZZ_CHECK(s->ports == 1 && !s->width && !s->speed && !s->speed_ext,
		   "%u ports, width 0x%x, speed 0x%x, 0x%x", s->ports, s->width, s->speed, s->speed_ext);
	check_netdev(line, len);
}

static void check_spec(const char *line, size_t len)
{
	const struct glass_node_spec *s = &c.node;
	bool sw = c.verb == GLASS_FABRIC_SWITCH;
	u32 i;

	FUZZ_CHECK(s->ports >= 1u + sw && s->ports <= (c.verb == GLASS_FABRIC_HCA ? 8 : 254),
		   "%u ports", s->ports);
	FUZZ_CHECK(s->num_port_guids <= (sw ? 1 : s->ports), "%u GUIDs of %u ports",
		   s->num_port_guids, s->ports);
	for (i = 0; i < s->num_port_guids; i++)
		FUZZ_CHECK(s->port_guid[i], "port GUID %u is 0", i);
	FUZZ_CHECK(!c.guid_len == !s->guid, "a GUID without a place");
	if (c.guid_len) {
		check_place(line, len, c.guid_at, c.guid_len, "");
		FUZZ_CHECK(c.guid_at >= 5 && !memcmp(line + c.guid_at - 5, "guid=", 5),
			   "the GUID is not at %u", c.guid_at);
	}
	FUZZ_CHECK(s->vendor_id <= 0xffffff && s->device_id <= 0xffff, "vendor 0x%x, device 0x%x",
		   s->vendor_id, s->device_id);
	FUZZ_CHECK(strnlen(s->desc, sizeof(s->desc)) <= GLASS_NODE_DESC_BYTES, "a long description");
	FUZZ_CHECK(s->has_desc || !*s->desc, "a description that was not given");
	FUZZ_CHECK(s->has_sys_guid || !s->sys_guid, "a system image GUID that was not given");
	FUZZ_CHECK(sw || (!s->enhanced && !s->no_enforcement), "keys of a switch");
	check_ether(line, len);
}

static void check_end(const char *line, size_t len, const struct glass_port_name *end)
{
	FUZZ_CHECK(is_name(end->node) && end->port >= 1 && end->port <= 254, "port %s:%u", end->node,
		   end->port);
	check_place(line, len, end->at, end->len, end->node);
}

/* Forgets the places: they belong to the line, not to the command. */
static void forget_places(struct glass_fabric_command *of)
{
	of->name_at = of->name_len = of->guid_at = 0;
	of->guid_len = !!of->guid_len;
	of->a.at = of->a.len = of->b.at = of->b.len = 0;
	of->cable.netdev_at = 0;
}

static void check_again(void)
{
	static char text[16384];
	struct glass_fabric_error error;
	FILE *to = fmemopen(text, sizeof(text), "w");

	FUZZ_CHECK(to, "no stream");
	write_command(to, &c);
	fclose(to);
	if (parse_exact(&again, &error, text, strlen(text)) != 1)
		fuzz_failed(__FILE__, __LINE__, "taken again", "%s: %s", text,
			    glass_fabric_error_word(error.kind));
	forget_places(&c);
	forget_places(&again);
	FUZZ_CHECK(!memcmp(&c, &again, sizeof(c)), "another command: %s", text);
}

/* A cable ends at a port, or at a network interface. */
static void check_cable(const char *line, size_t len)
{
	const struct glass_cable_spec *s = &c.cable;

	FUZZ_CHECK(s->mtu >= GLASS_MTU_256 && s->mtu <= GLASS_MTU_4096, "MTU code %u", s->mtu);
	FUZZ_CHECK(s->silence_ms >= GLASS_CABLE_SILENCE_MIN_MS &&
		   s->silence_ms <= GLASS_CABLE_SILENCE_MAX_MS, "%u ms", s->silence_ms);
	if (!*s->netdev) {
		FUZZ_CHECK(!s->netdev_len && !s->vcrc && s->silence_ms == GLASS_CABLE_SILENCE_MS,
			   "keys of an interface");
		check_end(line, len, &c.b);
		return;
	}
	FUZZ_CHECK(!*c.b.node && !c.b.port, "an interface and a port");
	check_netdev(line, len);
}

static void check_taken(const char *line, size_t len)
{
	FUZZ_CHECK(c.verb < GLASS_FABRIC_VERB_COUNT && e.kind == GLASS_FE_NONE, "verb %u, error %u",
		   c.verb, e.kind);
	switch (c.verb) {
	case GLASS_FABRIC_HCA:
	case GLASS_FABRIC_CA:
	case GLASS_FABRIC_SWITCH:
		check_spec(line, len);
		fallthrough;
	case GLASS_FABRIC_REMOVE:
		FUZZ_CHECK(is_name(c.node.name), "a bad name");
		check_place(line, len, c.name_at, c.name_len, c.node.name);
		FUZZ_CHECK(c.name_len == strlen(c.node.name), "half of the name %s", c.node.name);
		break;
	case GLASS_FABRIC_CLEAR:
		break;
	case GLASS_FABRIC_CABLE:
		check_cable(line, len);
		fallthrough;
	default:
		check_end(line, len, &c.a);
	}
	check_again();
}

/* Is a number refused in the same way, if it stands in place of the wrong one? */
static bool is_refused(const char *line, size_t len, u64 v)
{
	struct glass_fabric_error error;
	char other[LINE + 32];
	int n;

	n = snprintf(other, sizeof(other), "%.*s%llu", (int)e.at, line, (unsigned long long)v);
	memcpy(other + n, line + e.at + e.len, len - e.at - e.len);
	return parse_exact(&again, &error, other, n + len - e.at - e.len) == -EINVAL &&
	       error.kind == e.kind && error.at == e.at;
}

static void check_text(const struct glass_fabric_error *error)
{
	char text[GLASS_FABRIC_ERROR_TEXT];
	const char *at;

	memset(text, 0x5a, sizeof(text));
	glass_fabric_error_text(error, text);
	FUZZ_CHECK(memchr(text, 0, sizeof(text)), "a sentence without end");
	for (at = text; *at; at++)
		FUZZ_CHECK(*at >= ' ' && *at < 0x7f && *at != '<', "byte 0x%02x in: %s", (u8)*at, text);
	FUZZ_CHECK(!error->kind || error->kind >= GLASS_FE_COUNT || at - text > 5, "no sentence");
	FUZZ_CHECK(*glass_fabric_error_word(error->kind), "kind %u has no word", error->kind);
	FUZZ_CHECK(glass_fabric_error_errno(error) < 0, "kind %u has no errno", error->kind);
}

static void check_refused(const char *line, size_t len)
{
	FUZZ_CHECK((e.kind > GLASS_FE_NONE && e.kind <= GLASS_FE_BAD_TEXT) ||
		   e.kind == GLASS_FE_BAD_NETDEV || e.kind == GLASS_FE_ALONE ||
		   e.kind == GLASS_FE_ETHER_KEY, "kind %u", e.kind);
	FUZZ_CHECK(glass_fabric_error_errno(&e) == -EINVAL, "errno %d", glass_fabric_error_errno(&e));
	FUZZ_CHECK(e.at <= len && e.len <= len - e.at, "%u + %u of %zu", e.at, e.len, len);
	FUZZ_CHECK(!memchr(line + e.at, ' ', e.len) && !memchr(line + e.at, '\t', e.len),
		   "more than a word");
	check_text(&e);
	if (e.kind != GLASS_FE_OUT_OF_RANGE) {
		FUZZ_CHECK(!e.low, "bounds of %s", glass_fabric_error_word(e.kind));
		return;
	}
	FUZZ_CHECK(e.len && e.low < e.high, "%llu to %llu", (unsigned long long)e.low,
		   (unsigned long long)e.high);
	FUZZ_CHECK(!is_refused(line, len, e.low) && !is_refused(line, len, e.high),
		   "the bounds are out of range");
	FUZZ_CHECK(!e.low || is_refused(line, len, e.low - 1), "below the range");
	FUZZ_CHECK(!~e.high || is_refused(line, len, e.high + 1), "above the range");
}

/* Lines that are empty or a comment, and no others */
static void check_nothing(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len && (line[i] == ' ' || line[i] == '\t');)
		i++;
	FUZZ_CHECK(i == len || line[i] == '#', "nothing in: %.*s", (int)len, line);
	FUZZ_CHECK(e.kind == GLASS_FE_NONE, "error %u", e.kind);
}

static char *include(const char *name, const char *from, size_t *len, char **path)
{
	(void)name, (void)from, (void)len, (void)path;
	return NULL;
}

/* The driver takes each command that ibfabric writes of this text, but for HCAs with more ports. */
static void check_ibfabric(const char *text, size_t len)
{
	struct topo_commands commands;
	struct topo t = { 0 };
	struct parse p = { .topo = &t, .include = include, .errors = fuzz_sink(),
			   .notes = fuzz_sink() };
	const char *at, *end;
	u32 i;

	parse_text(&p, "input", text, len);
	parse_free(&p);
	for (i = 0; i < t.nodes; i++)
		if (!t.node[i].gone && t.node[i].kind == TOPO_HCA &&
		    t.node[i].ports > GLASS_FABRIC_MAX_HCA_PORTS)
			t.node[i].kind = TOPO_CA;
	topo_commands(&t, &commands);
	for (at = commands.text; *at; at = end + 1) {
		end = strchr(at, '\n');
		if (parse_exact(&c, &e, at, end - at) != 1)
			fuzz_failed(__FILE__, __LINE__, "a command of ibfabric is taken", "%.*s: %s",
				    (int)(end - at), at, glass_fabric_error_word(e.kind));
	}
	topo_commands_free(&commands);
	topo_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	struct glass_fabric_error any = { .low = ~0ULL, .high = ~0ULL };
	u32 i;

	fuzz_begin(data, size);
	any.kind = fuzz_u8();
	check_text(&any);
	for (i = 0; i < LINES && at < end; i++) {
		const char *newline = memchr(at, '\n', end - at);
		size_t len = (newline ? newline : end) - at;

		if (len > LINE)
			break;
		switch (parse_exact(&c, &e, at, len)) {
		case 1:
			check_taken(at, len);
			break;
		case 0:
			check_nothing(at, len);
			break;
		case -EINVAL:
			check_refused(at, len);
			break;
		default:
			FUZZ_CHECK(0, "another result");
		}
		at += len + 1;
	}
	check_ibfabric((const char *)data, size);
	return 0;
}
