// SPDX-License-Identifier: GPL-2.0-only
/* Scenarios as text: a line an element, "KIND key=value ..."; what is 0 is left out. */
#include "sim.h"

struct field {
	const char *name;
	u16 at;
	u8 size; /* 0: text */
};

#define F(type, name)                                                                \
	{                                                                            \
#name, offsetof(struct type, name), sizeof(((struct type *)0)->name) \
	}

static const struct field top_fields[] = {
	F(scenario, seed),     F(scenario, bytes),
	F(scenario, latency),  F(scenario, sm_step),
	F(scenario, sm_light), F(scenario, sm_loss),
	F(scenario, mkey),     F(scenario, loss),
	F(scenario, dup),      F(scenario, delay),
	F(scenario, damage),   F(scenario, delay_ns),
	F(scenario, switches), { 0 },
};
static const struct field node_fields[] = { F(sc_node, sw), F(sc_node, lmc), { 0 } };
static const struct field trunk_fields[] = { F(sc_trunk, a), F(sc_trunk, b), { 0 } };
static const struct field conn_fields[] = {
	F(sc_conn, type),
	F(sc_conn, node0),
	F(sc_conn, node1),
	F(sc_conn, mtu),
	F(sc_conn, timeout),
	F(sc_conn, retry_cnt),
	F(sc_conn, rnr_retry),
	F(sc_conn, min_rnr),
	F(sc_conn, rd_atomic),
	F(sc_conn, psn0),
	F(sc_conn, psn1),
	F(sc_conn, bits0),
	F(sc_conn, bits1),
	F(sc_conn, srq),
	F(sc_conn, grh),
	F(sc_conn, sq_log),
	F(sc_conn, held),
	F(sc_conn, held_ns),
	F(sc_conn, trains),
	F(sc_conn, later),
	F(sc_conn, recv_first),
	F(sc_conn, recv_gap),
	F(sc_conn, recv_short),
	F(sc_conn, groups),
	F(sc_conn, alt),
	F(sc_conn, dead_at),
	{ 0 },
};
static const struct field msg_fields[] = {
	F(sc_msg, conn),      F(sc_msg, side),
	F(sc_msg, to),
	F(sc_msg, op),	      F(sc_msg, bad),
	F(sc_msg, nsge),      F(sc_msg, signaled),
	F(sc_msg, solicited), F(sc_msg, fence),
	F(sc_msg, inl),	      F(sc_msg, word),
	F(sc_msg, len),	      F(sc_msg, imm),
	F(sc_msg, at),	      { 0 },
};
static const struct field fault_fields[] = {
	F(sc_fault, conn), F(sc_fault, side), F(sc_fault, resp), F(sc_fault, kind),
	F(sc_fault, nth),  F(sc_fault, rpsn), F(sc_fault, arg),	 { 0 },
};
static const struct field act_fields[] = { F(sc_act, at), F(sc_act, kind), F(sc_act, what), { 0 } };
static const struct field rule_fields[] = {
	F(sc_rule, node),
	{ "text", offsetof(struct sc_rule, text), 0 },
	{ 0 },
};

static u64 get(const void *at, u8 size)
{
	u64 v = 0;

	memcpy(&v, at, size);
	return v;
}

static void line(FILE *f, const char *kind, int id, const void *element, const struct field *fields)
{
	fprintf(f, "%s", kind);
	if (id >= 0)
		fprintf(f, " id=%d", id);
	for (; fields->name; fields++) {
		const char *at = (const char *)element + fields->at;

		if (fields->size && get(at, fields->size))
			fprintf(f, " %s=%llu", fields->name,
				(unsigned long long)get(at, fields->size));
		else if (!fields->size) {
			fprintf(f, " %s=", fields->name);
			for (; *at; at++)
				fputc(*at == ' ' ? ';' : *at, f);
		}
	}
	fputc('\n', f);
}

void scenario_write(FILE *f, const struct scenario *sc)
{
	line(f, "scenario", -1, sc, top_fields);
	for (u32 i = 0; i < S_NODES; i++)
		if (sc->node[i].used)
			line(f, "node", i, &sc->node[i], node_fields);
	for (u32 i = 0; i < S_TRUNKS; i++)
		if (sc->trunk[i].used)
			line(f, "trunk", i, &sc->trunk[i], trunk_fields);
	for (u32 i = 0; i < S_CONNS; i++)
		if (sc->conn[i].used)
			line(f, "conn", i, &sc->conn[i], conn_fields);
	for (u32 i = 0; i < sc->nmsg; i++)
		line(f, "msg", -1, &sc->msg[i], msg_fields);
	for (u32 i = 0; i < sc->nfault; i++)
		line(f, "fault", -1, &sc->fault[i], fault_fields);
	for (u32 i = 0; i < sc->nact; i++)
		line(f, "act", -1, &sc->act[i], act_fields);
	for (u32 i = 0; i < sc->nrule; i++)
		line(f, "rule", -1, &sc->rule[i], rule_fields);
}

/* Where the element of a line goes */
static void *place(struct scenario *sc, const char *kind, u32 id, const struct field **fields)
{
#define ONE(word, array, max)            \
	if (!strcmp(kind, #word)) {      \
		*fields = word##_fields; \
		if (id >= (max))         \
			return NULL;     \
		(array)[id].used = 1;    \
		return &(array)[id];     \
	}
#define LIST(word, array, n, max)                            \
	if (!strcmp(kind, #word)) {                          \
		*fields = word##_fields;                     \
		return (n) < (max) ? &(array)[(n)++] : NULL; \
	}
	if (!strcmp(kind, "scenario")) {
		*fields = top_fields;
		return sc;
	}
	ONE(node, sc->node, S_NODES)
	ONE(trunk, sc->trunk, S_TRUNKS)
	ONE(conn, sc->conn, S_CONNS)
	LIST(msg, sc->msg, sc->nmsg, S_MSGS)
	LIST(fault, sc->fault, sc->nfault, S_FAULTS)
	LIST(act, sc->act, sc->nact, S_ACTS)
	LIST(rule, sc->rule, sc->nrule, S_RULES)
	return NULL;
}

const char *scenario_read(FILE *f, struct scenario *sc)
{
	static char text[1024];
	static char wrong[1100];

	memset(sc, 0, sizeof(*sc));
	while (fgets(text, sizeof(text), f)) {
		const struct field *fields = NULL;
		char *save = NULL, *word, *kind;
		void *element;
		u32 id = 0;

		kind = strtok_r(text, " \n", &save);
		if (!kind || *kind == '#')
			continue;
		word = strtok_r(NULL, " \n", &save);
		if (word && !strncmp(word, "id=", 3)) {
			id = strtoul(word + 3, NULL, 0);
			word = strtok_r(NULL, " \n", &save);
		}
		element = place(sc, kind, id, &fields);
		if (!element) {
			snprintf(wrong, sizeof(wrong), "%s: unknown, or too many", kind);
			return wrong;
		}
		for (; word; word = strtok_r(NULL, " \n", &save)) {
			char *value = strchr(word, '=');
			const struct field *g = fields;
			u64 v;

			if (value)
				*value++ = 0;
			while (g->name && strcmp(g->name, word))
				g++;
			if (!value || !g->name) {
				snprintf(wrong, sizeof(wrong), "%s %s: unknown, or without a value",
					 kind, word);
				return wrong;
			}
			if (g->size) {
				v = strtoull(value, NULL, 0);
				memcpy((char *)element + g->at, &v, g->size);
			} else {
				snprintf((char *)element + g->at, S_RULE_TEXT, "%s", value);
				for (char *p = (char *)element + g->at; *p; p++)
					if (*p == ';')
						*p = ' ';
			}
		}
	}
	scenario_tidy(sc);
	return sc->switches ? NULL : "no switch";
}
