// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Parses the fabric's commands (command.h). */
#include "fabric/command.h"
#include "rules/word.h"
#include "uapi/glass-cable.h"

#define VERB(n, w) #w,
static const char *const verbs[] = { GLASS_FABRIC_VERBS(VERB) };

#define ERROR_WORD(n, w, e, s) [GLASS_FE_##n] = #w,
#define ERROR_ERRNO(n, w, e, s) [GLASS_FE_##n] = -(e),
#define ERROR_TEXT(n, w, e, s) [GLASS_FE_##n] = (s),
static const char *const error_words[] = { [GLASS_FE_NONE] = "none",
					   GLASS_FABRIC_ERRORS(ERROR_WORD) };
static const int error_errnos[] = { GLASS_FABRIC_ERRORS(ERROR_ERRNO) };
static const char *const error_texts[] = { [GLASS_FE_NONE] = "",
					   GLASS_FABRIC_ERRORS(ERROR_TEXT) };

#define ERRNO_MOST 4095 /* MAX_ERRNO of the kernel */

/* The keys of the commands. parser.given has a bit for each key that was given. */
enum fabric_key {
	KEY_ports,
	KEY_guid,
	KEY_sysguid,
	KEY_portguids,
	KEY_vendor,
	KEY_devid,
	KEY_desc,
	KEY_port0,
	KEY_enforcement,
	KEY_width,
	KEY_speed,
	KEY_mtu,
	KEY_pulled,
	KEY_netdev,
	KEY_silence,
	KEY_vcrc,
	KEY_COUNT
};

#define SWITCH_KEYS (BIT(KEY_port0) | BIT(KEY_enforcement))
#define NODE_KEYS ((BIT(KEY_mtu) - 1) & ~SWITCH_KEYS)
#define CABLE_KEYS (BIT(KEY_COUNT) - BIT(KEY_width))
#define HCA_KEYS (NODE_KEYS | BIT(KEY_netdev))
/* keys that only a netdev cable has, besides netdev= itself */
#define NETDEV_KEYS (BIT(KEY_silence) | BIT(KEY_vcrc))

static const char *const keys[KEY_COUNT] = {
	[KEY_ports] = "ports",	   [KEY_guid] = "guid",	    [KEY_sysguid] = "sysguid",
	[KEY_portguids] = "portguids", [KEY_vendor] = "vendor", [KEY_devid] = "devid",
	[KEY_port0] = "port0",	   [KEY_enforcement] = "enforcement",
	[KEY_desc] = "desc",	   [KEY_width] = "width",   [KEY_speed] = "speed",
	[KEY_mtu] = "mtu",	   [KEY_pulled] = "pulled", [KEY_netdev] = "netdev",
	[KEY_silence] = "silence", [KEY_vcrc] = "vcrc",
};

/* Each width and speed includes the lower ones: a cable of 4 lanes also carries a link of one. */
static const struct glass_word widths[] = {
	{ "1", GLASS_WIDTH_1X },
	{ "2", GLASS_WIDTH_1X | GLASS_WIDTH_2X },
	{ "4", GLASS_WIDTH_1X | GLASS_WIDTH_2X | GLASS_WIDTH_4X },
	{ "8", GLASS_WIDTH_1X | GLASS_WIDTH_2X | GLASS_WIDTH_4X | GLASS_WIDTH_8X },
	{ "12", GLASS_WIDTH_1X | GLASS_WIDTH_2X | GLASS_WIDTH_4X | GLASS_WIDTH_8X | GLASS_WIDTH_12X },
	{ NULL, 0 }
};

/* The low byte is the mask of speeds. The second byte is the mask of extended speeds. */
#define SPEEDS(speed, ext) ((speed) | (ext) << 8)
static const struct glass_word speeds[] = {
	{ "sdr", SPEEDS(1, 0) },  { "ddr", SPEEDS(3, 0) },  { "qdr", SPEEDS(7, 0) },
	{ "fdr", SPEEDS(7, 1) },  { "edr", SPEEDS(7, 3) },  { "hdr", SPEEDS(7, 7) },
	{ "ndr", SPEEDS(7, 15) }, { NULL, 0 }
};

static const struct glass_word mtus[] = {
	{ "256", GLASS_MTU_256 },   { "512", GLASS_MTU_512 },	{ "1024", GLASS_MTU_1024 },
	{ "2048", GLASS_MTU_2048 }, { "4096", GLASS_MTU_4096 }, { NULL, 0 }
};

static const struct glass_word port0s[] = { { "base", 0 }, { "enhanced", 1 }, { NULL, 0 } };
static const struct glass_word yes_no[] = { { "no", 0 }, { "yes", 1 }, { NULL, 0 } };

/* The line that is being parsed, and the present word of it. */
struct parser {
	const char *line;
	u32 len;
	u32 at, end; /* the word is line[at .. end - 1] */
	u32 given; /* BIT(KEY_*) */
	u32 guids_at, guids_end; /* the value of portguids= */
	u32 alone_at, alone_end; /* the last key of NETDEV_KEYS */
	u32 ib_at, ib_end; /* the last key that an HCA with netdev= does not have */
	struct glass_fabric_command *c;
	struct glass_fabric_error *e;
};

void glass_fabric_error_set(struct glass_fabric_error *e, enum glass_fabric_error_kind kind, u32 at,
			    u32 len)
{
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->at = at;
	e->len = len;
}

void glass_fabric_error_device(struct glass_fabric_error *e, int err)
{
	e->kind = err == -ENOMEM ? GLASS_FE_NO_MEMORY : GLASS_FE_NO_DEVICE;
	e->high = -err;
}

const char *glass_fabric_error_word(u8 kind)
{
	return kind < GLASS_FE_COUNT ? error_words[kind] : "-";
}

int glass_fabric_error_errno(const struct glass_fabric_error *e)
{
	if (!e->kind || e->kind >= GLASS_FE_COUNT)
		return -EINVAL;
	if (error_errnos[e->kind])
		return error_errnos[e->kind];
	return e->high - 1 < ERRNO_MOST ? -(int)e->high : -EIO;
}

static u32 put_number(char *to, u64 v)
{
	char digits[20];
	u32 n = 0, i;

	do
		digits[n++] = '0' + v % 10;
	while (v /= 10);
	for (i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}

void glass_fabric_error_text(const struct glass_fabric_error *e, char to[GLASS_FABRIC_ERROR_TEXT])
{
	const char *s = e->kind < GLASS_FE_COUNT ? error_texts[e->kind] : "";
	u32 n = 0;

	/* a bound has at most 20 digits */
	while (*s && n < GLASS_FABRIC_ERROR_TEXT - 21) {
		if (!strncmp(s, "<low>", 5)) {
			n += put_number(to + n, e->low);
			s += 5;
		} else if (!strncmp(s, "<high>", 6)) {
			n += put_number(to + n, e->high);
			s += 6;
		} else {
			to[n++] = *s++;
		}
	}
	to[n] = '\0';
}

static int fabric_refuse(struct parser *p, enum glass_fabric_error_kind kind, u32 at, u32 end)
{
	glass_fabric_error_set(p->e, kind, at, end - at);
	return -EINVAL;
}

static int fabric_refuse_range(struct parser *p, u32 at, u32 end, u64 low, u64 high)
{
	fabric_refuse(p, GLASS_FE_OUT_OF_RANGE, at, end);
	p->e->low = low;
	p->e->high = high;
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Goes to the next word. If there is none, returns false, with at == end == len. */
static bool next_word(struct parser *p)
{
	p->at = p->end;
	while (p->at < p->len && is_blank(p->line[p->at]))
		p->at++;
	for (p->end = p->at; p->end < p->len && !is_blank(p->line[p->end]);)
		p->end++;
	return p->at < p->end;
}

static bool word_is(const struct parser *p, u32 at, u32 end, const char *word)
{
	return strlen(word) == end - at && !memcmp(p->line + at, word, end - at);
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name(const char *text, u32 len)
{
	u32 i;

	if (!len || len > GLASS_FABRIC_NAME_MAX || !is_name_start(text[0]))
		return false;
	/* debugfs has a directory of this name for the fabric, beside those named after HCAs */
	if (len == 6 && !memcmp(text, "fabric", 6))
		return false;
	for (i = 1; i < len; i++)
		if (!is_name_start(text[i]) && text[i] != '.' && text[i] != '_' && text[i] != '-')
			return false;
	return true;
}

bool glass_fabric_name_ok(const char *name)
{
	return is_name(name, strlen(name));
}

static int take_name(struct parser *p)
{
	struct glass_fabric_command *c = p->c;

	if (!next_word(p))
		return fabric_refuse(p, GLASS_FE_NO_NAME, p->at, p->end);
	c->name_at = p->at;
	c->name_len = p->end - p->at;
	if (!is_name(p->line + p->at, c->name_len))
		return fabric_refuse(p, GLASS_FE_BAD_NAME, p->at, p->end);
	memcpy(c->node.name, p->line + p->at, c->name_len);
	return 0;
}

static int take_end(struct parser *p, struct glass_port_name *to)
{
	u32 colon;
	u64 port;

	if (!next_word(p))
		return fabric_refuse(p, GLASS_FE_NO_END, p->at, p->end);
	for (colon = p->at; colon < p->end && p->line[colon] != ':';)
		colon++;
	if (colon == p->end || !is_name(p->line + p->at, colon - p->at) ||
	    !glass_word_number(p->line + colon + 1, p->end - colon - 1, &port))
		return fabric_refuse(p, GLASS_FE_BAD_END, p->at, p->end);
	if (!port || port > GLASS_SWITCH_MAX_PORTS)
		return fabric_refuse_range(p, colon + 1, p->end, 1, GLASS_SWITCH_MAX_PORTS);
	memcpy(to->node, p->line + p->at, colon - p->at);
	to->port = port;
	to->at = p->at;
	to->len = p->end - p->at;
	return 0;
}

static int take_u64(struct parser *p, u32 at, u32 end, u64 low, u64 high, u64 *v)
{
	if (!glass_word_number(p->line + at, end - at, v)) {
		if (glass_word_is_digits(p->line + at, end - at))
			return fabric_refuse_range(p, at, end, low, high);
		return fabric_refuse(p, GLASS_FE_NO_NUMBER, at, end);
	}
	if (*v < low || *v > high)
		return fabric_refuse_range(p, at, end, low, high);
	return 0;
}

static int take_word(struct parser *p, u32 at, const struct glass_word *words, u64 *v)
{
	const struct glass_word *w = glass_word_find(words, p->line + at, p->end - at);

	if (!w)
		return fabric_refuse(p, GLASS_FE_UNKNOWN_WORD, at, p->end);
	*v = w->value;
	return 0;
}

/* Decodes a text in which %XX is the byte 0xXX. A "%" alone is the empty text. */
static int take_desc(struct parser *p, u32 at)
{
	struct glass_node_spec *s = &p->c->node;
	u32 n = 0, i;

	s->has_desc = true;
	for (i = at; i < p->end; i++) {
		char ch = p->line[i];
		int high, low;

		if (ch == '%' && p->end - at == 1)
			break;
		if (ch == '%') {
			high = i + 2 < p->end ? glass_digit(p->line[i + 1], 16) : -1;
			low = i + 2 < p->end ? glass_digit(p->line[i + 2], 16) : -1;
			ch = high < 0 || low < 0 ? 0 : high << 4 | low;
			i += 2;
		}
		if (!ch || n == GLASS_NODE_DESC_BYTES) {
			fabric_refuse(p, GLASS_FE_BAD_TEXT, at, p->end);
			p->e->high = GLASS_NODE_DESC_BYTES;
			return -EINVAL;
		}
		s->desc[n++] = ch;
	}
	return 0;
}

static int take_port_guids(struct parser *p, u32 at)
{
	struct glass_node_spec *s = &p->c->node;
	u32 end;
	int err;

	p->guids_at = at;
	p->guids_end = p->end;
	for (;; at = end + 1) {
		for (end = at; end < p->end && p->line[end] != ',';)
			end++;
		if (s->num_port_guids == ARRAY_SIZE(s->port_guid))
			break;
		err = take_u64(p, at, end, 1, ~0ULL, &s->port_guid[s->num_port_guids++]);
		if (err || end == p->end)
			return err;
	}
	fabric_refuse(p, GLASS_FE_MANY_GUIDS, at, p->end);
	p->e->high = ARRAY_SIZE(s->port_guid);
	return -EINVAL;
}

static int take_netdev(struct parser *p, u32 at)
{
	struct glass_cable_spec *s = &p->c->cable;
	u32 len = p->end - at;

	s->netdev_at = at;
	s->netdev_len = len;
	if (!len || len > GLASS_FABRIC_NETDEV_MAX || memchr(p->line + at, '/', len) ||
	    memchr(p->line + at, ':', len) || memchr(p->line + at, '\0', len)) {
		fabric_refuse(p, GLASS_FE_BAD_NETDEV, at, p->end);
		p->e->high = GLASS_FABRIC_NETDEV_MAX;
		return -EINVAL;
	}
	memcpy(s->netdev, p->line + at, len);
	return 0;
}

static u32 least_ports(const struct parser *p)
{
	return p->c->verb == GLASS_FABRIC_SWITCH ? 2 : 1;
}

static u32 most_ports(const struct parser *p)
{
	return p->c->verb == GLASS_FABRIC_HCA ? GLASS_FABRIC_MAX_HCA_PORTS : GLASS_SWITCH_MAX_PORTS;
}

static void note_ib_key(struct parser *p)
{
	p->ib_at = p->at;
	p->ib_end = p->end;
}

/* Takes the value of a key: the rest of the present word, from `at` on. */
static int take_value(struct parser *p, enum fabric_key key, u32 at)
{
	struct glass_fabric_command *c = p->c;
	u64 v = 0;
	int err;

	switch (key) {
	case KEY_ports:
		err = take_u64(p, at, p->end, least_ports(p), most_ports(p), &v);
		c->node.ports = v;
		if (v > 1)
			note_ib_key(p);
		return err;
	case KEY_guid:
		c->guid_at = at;
		c->guid_len = p->end - at;
		return take_u64(p, at, p->end, 1, ~0ULL, &c->node.guid);
	case KEY_sysguid:
		c->node.has_sys_guid = true;
		return take_u64(p, at, p->end, 0, ~0ULL, &c->node.sys_guid);
	case KEY_portguids:
		return take_port_guids(p, at);
	case KEY_vendor:
		err = take_u64(p, at, p->end, 0, 0xffffff, &v);
		c->node.vendor_id = v;
		return err;
	case KEY_devid:
		err = take_u64(p, at, p->end, 0, 0xffff, &v);
		c->node.device_id = v;
		return err;
	case KEY_desc:
		return take_desc(p, at);
	case KEY_port0:
		err = take_word(p, at, port0s, &v);
		c->node.enhanced = v;
		return err;
	case KEY_enforcement:
		err = take_word(p, at, yes_no, &v);
		c->node.no_enforcement = !v;
		return err;
	case KEY_width:
		err = take_word(p, at, widths, &v);
		c->cable.width = c->node.width = v;
		note_ib_key(p);
		return err;
	case KEY_speed:
		err = take_word(p, at, speeds, &v);
		c->cable.speed = c->node.speed = v & 0xff;
		c->cable.speed_ext = c->node.speed_ext = v >> 8;
		note_ib_key(p);
		return err;
	case KEY_mtu:
		err = take_word(p, at, mtus, &v);
		c->cable.mtu = v;
		return err;
	case KEY_pulled:
		err = take_word(p, at, yes_no, &v);
		c->cable.pulled = v;
		return err;
	case KEY_netdev:
		return take_netdev(p, at);
	case KEY_silence:
		p->alone_at = p->at;
		p->alone_end = p->end;
		err = take_u64(p, at, p->end, GLASS_CABLE_SILENCE_MIN_MS,
			       GLASS_CABLE_SILENCE_MAX_MS, &v);
		c->cable.silence_ms = v;
		return err;
	case KEY_vcrc:
		p->alone_at = p->at;
		p->alone_end = p->end;
		err = take_word(p, at, yes_no, &v);
		c->cable.vcrc = v;
		return err;
	case KEY_COUNT:
		break;
	}
	return -EINVAL;
}

/* Takes all words that are left. `allowed` is the set of keys of the command, as BIT(KEY_*). */
static int take_keys(struct parser *p, u32 allowed)
{
	u32 eq, key;
	int err;

	while (next_word(p)) {
		for (eq = p->at; eq < p->end && p->line[eq] != '=';)
			eq++;
		if (eq == p->end)
			return fabric_refuse(p, GLASS_FE_EXTRA_WORD, p->at, p->end);
		for (key = 0; key < KEY_COUNT && !word_is(p, p->at, eq, keys[key]);)
			key++;
		if (key == KEY_COUNT || !(allowed >> key & 1))
			return fabric_refuse(p, GLASS_FE_UNKNOWN_KEY, p->at, eq);
		if (p->given >> key & 1)
			return fabric_refuse(p, GLASS_FE_GIVEN_TWICE, p->at, p->end);
		p->given |= BIT(key);
		err = take_value(p, key, eq + 1);
		if (err)
			return err;
	}
	return 0;
}

static u32 node_keys(u8 verb)
{
	switch (verb) {
	case GLASS_FABRIC_HCA:
		return HCA_KEYS;
	case GLASS_FABRIC_SWITCH:
		return NODE_KEYS | SWITCH_KEYS;
	default:
		return NODE_KEYS;
	}
}

static int parse_node(struct parser *p)
{
	struct glass_node_spec *s = &p->c->node;
	int err = take_name(p);
	u32 most;

	if (!err)
		err = take_keys(p, node_keys(p->c->verb));
	if (err)
		return err;
	if (p->given & BIT(KEY_netdev)) {
		if (p->ib_end)
			return fabric_refuse(p, GLASS_FE_ETHER_KEY, p->ib_at, p->ib_end);
		s->ports = 1;
	}
	if (!s->ports)
		return fabric_refuse(p, GLASS_FE_MISSING_KEY, p->c->name_at,
			      p->c->name_at + p->c->name_len);
	most = p->c->verb == GLASS_FABRIC_SWITCH ? 1 : s->ports;
	if (s->num_port_guids <= most)
		return 0;
	fabric_refuse(p, GLASS_FE_MANY_GUIDS, p->guids_at, p->guids_end);
	p->e->high = most;
	return -EINVAL;
}

/* Is the next word a key? Does not go to it. */
static bool next_is_key(const struct parser *p)
{
	struct parser look = *p;

	return next_word(&look) && memchr(look.line + look.at, '=', look.end - look.at);
}

/* Takes the keys of a cable that has no second end: netdev= must be one of them. */
static int parse_netdev_cable(struct parser *p)
{
	int err = take_keys(p, CABLE_KEYS);

	if (err || p->given & BIT(KEY_netdev))
		return err;
	if (p->given & NETDEV_KEYS)
		return fabric_refuse(p, GLASS_FE_ALONE, p->alone_at, p->alone_end);
	return fabric_refuse(p, GLASS_FE_NO_END, p->len, p->len);
}

static int parse_cable(struct parser *p)
{
	struct glass_cable_spec *s = &p->c->cable;
	int err = take_end(p, &p->c->a);

	s->width = 0xff;
	s->speed = 0xff;
	s->speed_ext = 0xff;
	s->mtu = GLASS_MTU_4096;
	s->silence_ms = GLASS_CABLE_SILENCE_MS;
	if (err)
		return err;
	if (next_is_key(p))
		return parse_netdev_cable(p);
	err = take_end(p, &p->c->b);
	return err ? err : take_keys(p, CABLE_KEYS & ~(BIT(KEY_netdev) | NETDEV_KEYS));
}

int glass_fabric_parse(struct glass_fabric_command *c, struct glass_fabric_error *e,
		       const char *line, size_t len)
{
	struct parser p = { .line = line, .len = len, .c = c, .e = e };
	u32 verb;
	int err = 0;

	memset(e, 0, sizeof(*e));
	if (!next_word(&p) || line[p.at] == '#')
		return 0;
	memset(c, 0, sizeof(*c));
	for (verb = 0; verb < ARRAY_SIZE(verbs) && !word_is(&p, p.at, p.end, verbs[verb]);)
		verb++;
	c->verb = verb;
	switch (verb) {
	case GLASS_FABRIC_HCA:
	case GLASS_FABRIC_CA:
	case GLASS_FABRIC_SWITCH:
		err = parse_node(&p);
		break;
	case GLASS_FABRIC_CABLE:
		err = parse_cable(&p);
		break;
	case GLASS_FABRIC_UNCABLE:
	case GLASS_FABRIC_PULL:
	case GLASS_FABRIC_PLUG:
		err = take_end(&p, &c->a);
		break;
	case GLASS_FABRIC_REMOVE:
		err = take_name(&p);
		break;
	case GLASS_FABRIC_CLEAR:
		break;
	default:
		return fabric_refuse(&p, GLASS_FE_UNKNOWN_COMMAND, p.at, p.end);
	}
	if (!err)
		err = take_keys(&p, 0);
	return err ? err : 1;
}
