// SPDX-License-Identifier: GPL-2.0-only
/* Prints packets and MADs in words. */
#include "say.h"

static const char *const transports[8] = GLASS_WORDS(GLASS_TRANSPORTS);
static const char *const operations[32] = GLASS_WORDS(GLASS_BTH_OPS);
static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
static const char *const classes[256] = GLASS_WORDS(GLASS_MAD_CLASSES);
static const char *const methods[256] = GLASS_WORDS(GLASS_MAD_METHODS);

number say_num(struct say *y, const char *field)
{
	number value = 0;

	if (tep_get_field_val(NULL, y->event, field, y->record, &value, 0))
		y->bad = true;
	return value;
}

/* Returns 0 for a field that traces of older drivers lack. */
static number say_newer(struct say *y, const char *field)
{
	return tep_find_field(y->event, field) ? say_num(y, field) : 0;
}

const char *say_text(struct say *y, const char *field)
{
	int len = 0;
	const char *text = tep_get_field_raw(NULL, y->event, field, y->record, &len, 0);

	/* the kernel ends a text in its record with a NUL, but a trace file may hold anything */
	if (!text || len <= 0 || text + len > (char *)y->record->data + y->record->size ||
	    !memchr(text, 0, len)) {
		y->bad = true;
		return "";
	}
	return text;
}

int say_flow(struct say *y)
{
	number flow = say_num(y, "flow");

	if (flow)
		trace_seq_printf(y->s, " #%llu-%llx-%llu", (flow >> 56) - 1,
				 flow >> 32 & GLASS_QPN_MASK, flow & 0xffffffff);
	return 0;
}

void say_syndrome(struct say *y, number syndrome)
{
	static const char *const naks[32] = {
		[GLASS_NAK_PSN_SEQ] = "packets are missing before it",
		[GLASS_NAK_INV_REQ] = "invalid request",
		[GLASS_NAK_REM_ACCESS] = "remote access error",
		[GLASS_NAK_REM_OP] = "remote operational error",
		[GLASS_NAK_INV_RD_REQ] = "invalid RD request",
	};
	u8 value = syndrome & GLASS_AETH_VALUE;

	if ((syndrome & GLASS_AETH_KIND) == GLASS_AETH_RNR)
		trace_seq_printf(y->s, ", RNR NAK: wait %llu us",
				 (number)glass_rnr_timer_ns(value) / 1000);
	else if ((syndrome & GLASS_AETH_KIND) == GLASS_AETH_NAK)
		trace_seq_printf(y->s, ", NAK: %s", WORD(naks, value));
}

static void operation(struct say *y, u8 opcode)
{
	const char *word = WORD(operations, opcode & GLASS_BOP_MASK);
	const char *tr = WORD(transports, opcode >> 5);

	for (; *tr; tr++)
		trace_seq_putc(y->s, toupper((unsigned char)*tr));
	trace_seq_putc(y->s, ' ');
	for (; *word; word++)
		trace_seq_putc(y->s, *word == '_' ? ' ' : toupper((unsigned char)*word));
}

/* Prints "global and persistent for the region". */
static void flush(struct say *y, number feth)
{
	bool global = feth & GLASS_FETH_GLOBAL, persistent = feth & GLASS_FETH_PERSISTENT;

	trace_seq_printf(y->s, ", %s%s%s for the %s", global ? "global" : "",
			 global && persistent ? " and " : "", persistent ? "persistent" : "",
			 (feth & GLASS_FETH_LEVEL) == GLASS_FETH_MR ? "region" : "range");
}

/* Prints headers that few packets have. The opcode selects them: 0 is valid immediate data. */
static void rare_headers(struct say *y, u8 opcode)
{
	u8 bop = opcode & GLASS_BOP_MASK;
	uint32_t op = 1u << bop;
	bool answer = op & GLASS_BTHS_DO(ANSWER);

	if ((opcode & GLASS_TR_MASK) == GLASS_TR_XRC && !answer)
		trace_seq_printf(y->s, ", for SRQ %llu", say_newer(y, "xrc_srqn"));
	if (op & GLASS_BTHS_WITH(GLASS_HDR_IMM))
		trace_seq_printf(y->s, ", immediate 0x%llx", say_newer(y, "imm"));
	if (op & GLASS_BTHS_WITH(GLASS_HDR_IETH))
		trace_seq_printf(y->s, ", invalidates rkey 0x%llx", say_newer(y, "inv_key"));
	if (op & GLASS_BTHS_WITH(GLASS_HDR_FETH))
		flush(y, say_newer(y, "feth"));
}

/*
 * Prints "LID 1 -> LID 3", or, of an Ethernet port, which has no LIDs, "10.9.0.1 -> 10.9.0.2". Traces
 * of older drivers have no GIDs.
 */
static void addresses(struct say *y)
{
	static const uint8_t v4[12] = { [10] = 0xff, 0xff };
	const char *name[] = { "sgid", "dgid" };
	number slid = say_num(y, "slid"), dlid = say_num(y, "dlid");
	char text[2][INET6_ADDRSTRLEN];
	const uint8_t *gid;
	bool is_v4;
	int i, len;

	for (i = 0; !slid && say_num(y, "grh") && i < 2; i++) {
		gid = tep_get_field_raw(NULL, y->event, name[i], y->record, &len, 0);
		if (!gid || len != 16)
			break;
		is_v4 = !memcmp(gid, v4, sizeof(v4));
		inet_ntop(is_v4 ? AF_INET : AF_INET6, gid + (is_v4 ? 12 : 0), text[i], sizeof(text[i]));
	}
	if (i == 2)
		trace_seq_printf(y->s, "%s -> %s", text[0], text[1]);
	else
		trace_seq_printf(y->s, "LID %llu -> LID %llu", slid, dlid);
}

/* Prints "RC SEND FIRST PSN 5, LID 1 -> LID 3 QP 0x14, 1024 bytes" and the other headers. */
static void packet(struct say *y)
{
	u8 opcode = say_num(y, "opcode"), bop = opcode & GLASS_BOP_MASK;
	number len = say_num(y, "len"), va = say_num(y, "va");

	operation(y, opcode);
	trace_seq_printf(y->s, " PSN %llu, ", say_num(y, "psn"));
	addresses(y);
	trace_seq_printf(y->s, " QP 0x%llx", say_num(y, "dqpn"));
	if (len)
		trace_seq_printf(y->s, ", %llu bytes", len);
	if (bop == GLASS_BOP_READ_REQ)
		trace_seq_printf(y->s, ", asks for %llu bytes at 0x%llx rkey 0x%llx",
				 say_num(y, "dma_len"), va, say_num(y, "rkey"));
	else if (va)
		trace_seq_printf(y->s, ", at 0x%llx rkey 0x%llx", va, say_num(y, "rkey"));
	rare_headers(y, opcode);
	if (bop == GLASS_BOP_ACK || bop == GLASS_BOP_ATOMIC_ACK)
		trace_seq_printf(y->s, ", MSN %llu", say_num(y, "msn"));
	say_syndrome(y, say_num(y, "syndrome"));
	if ((opcode & GLASS_TR_MASK) == GLASS_TR_UD)
		trace_seq_printf(y->s, ", from QP 0x%llx", say_num(y, "sqpn"));
	if (say_num(y, "ackreq") && 1u << bop & (GLASS_BTHS_DO(SEND) | GLASS_BTHS_DO(WRITE)))
		trace_seq_puts(y->s, ", asks for an ACK");
	if (say_num(y, "se"))
		trace_seq_puts(y->s, ", solicited");
	say_flow(y);
}

int say_pkt_tx(struct say *y)
{
	trace_seq_printf(y->s, "%s/%llu sends ", say_text(y, "dev"), say_num(y, "port"));
	packet(y);
	return 0;
}

int say_pkt_rx(struct say *y)
{
	trace_seq_printf(y->s, "%s/%llu gets ", say_text(y, "dev"), say_num(y, "port"));
	packet(y);
	return 0;
}

int say_pkt_drop(struct say *y)
{
	static const char *const wheres[] = {
		[GLASS_AT_TX] = "at the port that was to send it",
		[GLASS_AT_LINK] = "on the cable",
		[GLASS_AT_SWITCH] = "in the switch",
		[GLASS_AT_RX] = "at the port",
		[GLASS_AT_QP] = "in the QP",
		[GLASS_AT_AGENT] = "in the management agent",
	};

	trace_seq_printf(y->s, "%s/%llu: a packet dies %s, %s: ", say_text(y, "dev"),
			 say_num(y, "port"), WORD(wheres, say_num(y, "place")),
			 WORD(reasons, say_num(y, "reason")));
	packet(y);
	return 0;
}

/* Attributes of the usual management classes (IBA 14.2.5, 15.2.5, 16.1.3, 12.6) */
static const struct {
	u8 mgmt_class; /* 0x81 is looked up as 0x01 */
	u16 attr;
	const char *name;
} attrs[] = {
	{ 0x01, 0x02, "Notice" },	{ 0x01, 0x10, "NodeDescription" },
	{ 0x01, 0x11, "NodeInfo" },	{ 0x01, 0x12, "SwitchInfo" },
	{ 0x01, 0x14, "GUIDInfo" },	{ 0x01, 0x15, "PortInfo" },
	{ 0x01, 0x16, "P_KeyTable" },	{ 0x01, 0x17, "SLtoVLMappingTable" },
	{ 0x01, 0x18, "VLArbitration" },  { 0x01, 0x19, "LinearForwardingTable" },
	{ 0x01, 0x1b, "MulticastForwardingTable" }, { 0x01, 0x20, "SMInfo" },
	{ 0x03, 0x01, "ClassPortInfo" },  { 0x03, 0x02, "Notice" },
	{ 0x03, 0x03, "InformInfo" },	{ 0x03, 0x11, "NodeRecord" },
	{ 0x03, 0x12, "PortInfoRecord" }, { 0x03, 0x31, "ServiceRecord" },
	{ 0x03, 0x35, "PathRecord" },	{ 0x03, 0x38, "MCMemberRecord" },
	{ 0x04, 0x01, "ClassPortInfo" },  { 0x04, 0x12, "PortCounters" },
	{ 0x04, 0x1d, "PortCountersExtended" }, { 0x07, 0x10, "REQ" },
	{ 0x07, 0x11, "MRA" },		{ 0x07, 0x12, "REJ" },
	{ 0x07, 0x13, "REP" },		{ 0x07, 0x14, "RTU" },
	{ 0x07, 0x15, "DREQ" },		{ 0x07, 0x16, "DREP" },
	{ 0x07, 0x17, "SIDR_REQ" },	{ 0x07, 0x18, "SIDR_REP" },
};

int say_mad(struct say *y)
{
	u8 mgmt_class = say_num(y, "mgmt_class"), method = say_num(y, "method");
	u16 attr = say_num(y, "attr"), status = say_num(y, "status") & 0x7fff;
	size_t i;

	trace_seq_printf(y->s, "%s/%llu %s ", say_text(y, "dev"), say_num(y, "port"),
			 say_num(y, "dir") == GLASS_DIR_TX ? "sends" : "gets");
	if (classes[mgmt_class])
		trace_seq_printf(y->s, "MAD %s ", classes[mgmt_class]);
	else
		trace_seq_printf(y->s, "MAD of class 0x%x ", mgmt_class);
	if (methods[method])
		trace_seq_printf(y->s, "%s ", methods[method]);
	else
		trace_seq_printf(y->s, "method 0x%x ", method);
	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (attrs[i].mgmt_class == (mgmt_class & 0x7f) && attrs[i].attr == attr)
			break;
	if (i < sizeof(attrs) / sizeof(attrs[0]))
		trace_seq_puts(y->s, attrs[i].name);
	else
		trace_seq_printf(y->s, "attribute 0x%x", attr);
	trace_seq_printf(y->s, ", modifier 0x%llx, LID %llu -> LID %llu, tid 0x%llx",
			 say_num(y, "attr_mod"), say_num(y, "slid"), say_num(y, "dlid"),
			 say_num(y, "tid"));
	if (status)
		trace_seq_printf(y->s, ", status 0x%x", status);
	return say_flow(y);
}
