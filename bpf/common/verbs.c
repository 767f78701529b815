// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: functions of drivers, and the text of their arguments. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/verbs_attach.h"
#include "uapi/glass-enums.h"

/*
 * Drivers name their functions after the verb, with a prefix. tried: a test runs the tools on this
 * driver.
 */
static const struct driver {
	const char *module, *prefix;
	bool tried;
} drivers[] = {
	{ "rdma_rxe", "rxe_", true },
	{ "siw", "siw_", false },
	{ "mlx5_ib", "mlx5_ib_", false },
	{ "mlx4_ib", "mlx4_ib_", false },
	{ "irdma", "irdma_", false },
	{ "bnxt_re", "bnxt_re_", false },
	{ "hns_roce_hw_v2", "hns_roce_", false },
	{ "efa", "efa_", false },
	{ "erdma", "erdma_", false },
	{ "ocrdma", "ocrdma_", false },
	{ "qedr", "qedr_", false },
	{ "iw_cxgb4", "c4iw_", false },
	{ "mana_ib", "mana_ib_", false },
	{ "rdmavt", "rvt_", false },
};
#define NUM_DRIVERS (sizeof(drivers) / sizeof(*drivers))

static const char *const verbs[] = GLASS_WORDS(GLASS_VERBS);

const char *verb_word(unsigned int verb)
{
	switch (verb) {
	case PROBE_POST_SEND:
		return "post_send";
	case PROBE_POST_RECV:
		return "post_recv";
	case PROBE_POLL:
		return "poll";
	default:
		return WORD(verbs, verb);
	}
}

static bool loaded(const struct driver *d)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/module/%s", d->module);
	return !access(path, F_OK);
}

void verbs_say_drivers(void)
{
	size_t i;

	for (i = 0; i < NUM_DRIVERS; i++)
		if (loaded(&drivers[i]) && !drivers[i].tried)
			cli_error("note: this tool is not tested with %s", drivers[i].module);
}

/* Returns the verb's name in struct ib_device_ops, which may differ from the name here. */
static const char *function_of(unsigned int verb)
{
	switch (verb) {
	case GLASS_VERB_REG_MR:
		return "reg_user_mr";
	case GLASS_VERB_REREG_MR:
		return "rereg_user_mr";
	default:
		return verbs[verb];
	}
}

static int attach_one(struct bpf_program *p, bool at_return, const char *name, unsigned int verb)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = verb, .retprobe = at_return);

	return attach_keep(bpf_program__attach_kprobe_opts(p, name, &opts)) ? 0 : -errno;
}

static int no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int verbs_attach(struct bpf_object *obj, bool (*wanted)(unsigned int verb))
{
	struct bpf_program *in = bpf_object__find_program_by_name(obj, "driver_entered");
	struct bpf_program *out = bpf_object__find_program_by_name(obj, "driver_exited");
	/* be silent: it is normal that most functions do not exist */
	libbpf_print_fn_t print = libbpf_set_print(no_print);
	unsigned int verb;
	char name[80];
	int n = 0;
	size_t i;

	for (i = 0; i < NUM_DRIVERS; i++) {
		if (!loaded(&drivers[i]))
			continue;
		for (verb = 0; verb < GLASS_VERB_COUNT; verb++) {
			if (!verbs[verb] || !wanted(verb))
				continue;
			snprintf(name, sizeof(name), "%s%s", drivers[i].prefix, function_of(verb));
			/* the return probe first: without it, entries would never be removed */
			if (!attach_one(out, true, name, verb) &&
			    !attach_one(in, false, name, verb))
				n++;
		}
	}
	libbpf_set_print(print);
	return n;
}

/* ---- arguments */

static void driver_args(const struct verb_event *e, char *to, size_t size)
{
	static const char *const states[] = GLASS_WORDS(GLASS_QP_STATES);
	static const char *const types[] = GLASS_WORDS(GLASS_QP_TYPES);

	*to = 0;
	switch (e->verb) {
	case GLASS_VERB_REG_MR:
		snprintf(to, size, "start=0x%llx len=%llu virt=0x%llx access=0x%llx", e->arg[1],
			 e->arg[2], e->arg[3], e->arg[4] & 0xffffffff);
		break;
	case GLASS_VERB_ALLOC_MR:
		snprintf(to, size, "type=%u max_sg=%u", (__u32)e->arg[1], (__u32)e->arg[2]);
		break;
	case GLASS_VERB_CREATE_CQ:
		snprintf(to, size, "cqe=%u", (__u32)e->arg[1]);
		break;
	case GLASS_VERB_CREATE_QP:
		snprintf(to, size, "type=%s send_wr=%u recv_wr=%u", WORD(types, (__u32)e->arg[1]),
			 (__u32)e->arg[2], (__u32)e->arg[3]);
		break;
	case GLASS_VERB_MODIFY_QP:
		if (e->arg[2] & 1)
			snprintf(to, size, "state=%s mask=0x%x", WORD(states, (__u32)e->arg[1]),
				 (__u32)e->arg[2]);
		else
			snprintf(to, size, "mask=0x%x", (__u32)e->arg[2]);
		break;
	case GLASS_VERB_QUERY_PORT:
	case GLASS_VERB_QUERY_PKEY:
	case GLASS_VERB_QUERY_GID:
		snprintf(to, size, "port=%u", (__u32)e->arg[1]);
		break;
	case GLASS_VERB_POLL_CQ:
		snprintf(to, size, "max=%u", (__u32)e->arg[1]);
		break;
	default:
		break;
	}
}

static void probe_args(const struct verb_event *e, char *to, size_t size)
{
	static const char *const ops[] = GLASS_WORDS(GLASS_WR_OPS);
	static const char *const wc_ops[] = GLASS_WORDS(GLASS_WC_OPS);
	static const char *const statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);

	if (e->verb == PROBE_POST_SEND)
		snprintf(to, size, "wr_id=0x%llx op=%s num_sge=%llu flow=0x%llx", e->arg[0],
			 WORD(ops, (__u32)e->arg[1]), e->arg[3], e->arg[2]);
	else if (e->verb == PROBE_POST_RECV)
		snprintf(to, size, "wr_id=0x%llx num_sge=%llu", e->arg[0], e->arg[1]);
	else
		snprintf(to, size, "cqn=%llu wr_id=0x%llx status=%s op=%s flow=0x%llx", e->arg[0],
			 e->arg[1], WORD(statuses, (__u32)e->arg[2]),
			 WORD(wc_ops, (__u32)e->arg[3]), e->arg[4]);
}

const char *verb_args(const struct verb_event *e)
{
	static char text[VERB_ARGS_LEN + 80];

	if (e->source == BY_GLASS)
		snprintf(text, sizeof(text), "%.*s", VERB_ARGS_LEN - 1, e->args);
	else if (e->source == BY_DRIVER)
		driver_args(e, text, sizeof(text));
	else
		probe_args(e, text, sizeof(text));
	return text;
}
