// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds what this kernel offers of the things that BPF programs need: trace events and their
 * fields, functions, and the provider's probes. Attaches the programs.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"

#define MAX_LINKS 256

static struct bpf_link *links[MAX_LINKS];
static size_t num_links;
static char provider[256]; /* path of the library with the probes; "": not found */

/* ---- tracefs */

static const char *tracing(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[80];
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, X_OK))
			return places[i];
	}
	cli_die(CLI_FAILED, "there is no tracefs: mount -t tracefs tracefs /sys/kernel/tracing");
}

/* Does this trace event exist? */
static bool attach_event_exists(const char *system, const char *event)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracing(), system, event);
	return !access(path, R_OK);
}

/* Returns offset | size << AT_SIZE_SHIFT of the field in the record, or 0 if the event lacks it. */
static uint32_t field_at(const char *system, const char *event, const char *field)
{
	char path[256], line[512], name[80];
	uint32_t at = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracing(), system, event);
	f = fopen(path, "r");
	if (!f)
		return 0;
	snprintf(name, sizeof(name), " %s", field);
	while (!at && fgets(line, sizeof(line), f)) {
		unsigned int offset, size;
		char *end = strchr(line, ';'), *bracket;

		if (!end || !strstr(line, "field:") ||
		    sscanf(end, "; offset:%u; size:%u;", &offset, &size) != 2)
			continue;
		*end = 0;
		bracket = strchr(line, '[');
		if (bracket && bracket[-1] != ' ' && !strstr(line, "__data_loc"))
			*bracket = 0;
		if (strlen(line) > strlen(name) &&
		    !strcmp(line + strlen(line) - strlen(name), name))
			at = offset | size << AT_SIZE_SHIFT;
	}
	fclose(f);
	return at;
}

/* ---- variables of the BPF object */

/* Calls fn for each variable in the object's data sections, until fn returns true. */
static bool each_variable(struct bpf_object *obj,
			  bool (*fn)(const char *name, void *at, size_t size, void *arg), void *arg)
{
	const struct btf *btf = bpf_object__btf(obj);
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) {
		const struct btf_type *section;
		const struct btf_var_secinfo *v;
		const char *suffix = strchr(bpf_map__name(map), '.');
		size_t size;
		char *data;
		int id, i;

		if (!suffix)
			continue;
		data = (void *)bpf_map__initial_value(map, &size);
		id = btf__find_by_name_kind(btf, suffix, BTF_KIND_DATASEC);
		if (!data || id < 0)
			continue;
		section = btf__type_by_id(btf, id);
		v = btf_var_secinfos(section);
		for (i = 0; i < btf_vlen(section); i++) {
			const struct btf_type *t = btf__type_by_id(btf, v[i].type);

			if (v[i].offset + v[i].size <= size &&
			    fn(btf__name_by_offset(btf, t->name_off), data + v[i].offset, v[i].size,
			       arg))
				return true;
		}
	}
	return false;
}

struct sought {
	const char *name;
	void *at;
	size_t size;
};

static bool is_sought(const char *name, void *at, size_t size, void *arg)
{
	struct sought *s = arg;

	if (strcmp(name, s->name))
		return false;
	s->at = at;
	s->size = size;
	return true;
}

void *tool_variable(struct bpf_object *obj, const char *name, size_t *size)
{
	struct sought s = { .name = name };

	each_variable(obj, is_sought, &s);
	if (size)
		*size = s.size;
	return s.at;
}

/* Fills the variable at_SYSTEM__EVENT__FIELD. */
static bool fill_field(const char *name, void *at, size_t size, void *arg)
{
	char system[64], event[80], *p;
	uint32_t where;

	(void)arg;
	if (strncmp(name, "at_", 3) || size != sizeof(where))
		return false;
	snprintf(system, sizeof(system), "%s", name + 3);
	p = strstr(system, "__");
	if (!p)
		return false;
	*p = 0;
	snprintf(event, sizeof(event), "%s", name + 3 + (p - system) + 2);
	p = strstr(event, "__");
	if (!p)
		return false;
	*p = 0;
	where = field_at(system, event, p + 2);
	memcpy(at, &where, sizeof(where));
	return false;
}

/* ---- targets that exist */

const char *tool_provider(void)
{
	static const char *const patterns[] = { "/usr/lib/*/libibverbs/libglass-rdmav*.so",
						"/usr/lib64/libibverbs/libglass-rdmav*.so",
						"/usr/lib/libibverbs/libglass-rdmav*.so" };
	size_t i;
	glob_t g;

	for (i = 0; i < sizeof(patterns) / sizeof(*patterns) && !*provider; i++) {
		if (!glob(patterns[i], 0, NULL, &g))
			snprintf(provider, sizeof(provider), "%s", g.gl_pathv[0]);
		globfree(&g);
	}
	return *provider ? provider : NULL;
}

/*
 * Does the target in the section's name exist? The tool itself attaches programs whose section
 * names no target.
 */
static bool target_exists(const char *section)
{
	char system[64], event[80];

	if (sscanf(section, "tp/%63[^/]/%79s", system, event) == 2)
		return attach_event_exists(system, event);
	if (!strncmp(section, "usdt", 4))
		return *provider;
	/*
	 * attaching reveals whether a function exists: the list of all functions takes long to read
	 */
	return true;
}

int attach_prepare(struct bpf_object *obj)
{
	struct bpf_program *p;
	int n = 0;

	tool_provider();
	each_variable(obj, fill_field, NULL);
	bpf_object__for_each_program(p, obj) {
		if (bpf_program__autoload(p) && !target_exists(bpf_program__section_name(p)))
			bpf_program__set_autoload(p, false);
		n += bpf_program__autoload(p);
	}
	return n;
}

bool attach_has(struct bpf_object *obj, const char *program)
{
	struct bpf_program *p = bpf_object__find_program_by_name(obj, program);

	return p && bpf_program__autoload(p);
}

bool attach_keep(struct bpf_link *link)
{
	if (!link)
		return false;
	if (num_links == MAX_LINKS) {
		bpf_link__destroy(link);
		errno = ENOSPC;
		return false;
	}
	links[num_links++] = link;
	return true;
}

/* Attaches the program usdt_PROBE. */
static struct bpf_link *attach_probe(struct bpf_program *p)
{
	return bpf_program__attach_usdt(p, -1, provider, "glass",
					bpf_program__name(p) + strlen("usdt_"), NULL);
}

static bool is_function(const char *section)
{
	return !strncmp(section, "kprobe/", 7) || !strncmp(section, "kretprobe/", 10);
}

static int no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* Attaches to a function of a module that may not be loaded. Returns 1 if it is there. */
static int attach_function(struct bpf_program *p)
{
	libbpf_print_fn_t print = libbpf_set_print(no_print);
	bool there = attach_keep(bpf_program__attach(p));

	libbpf_set_print(print);
	return there;
}

int attach_all(struct bpf_object *obj)
{
	struct bpf_program *p;
	int n = 0;

	bpf_object__for_each_program(p, obj) {
		const char *section = bpf_program__section_name(p);
		struct bpf_link *link;

		/* no target in the section's name: the tool attaches this program itself */
		if (!bpf_program__autoload(p) || (!strchr(section, '/') && strcmp(section, "usdt")))
			continue;
		if (is_function(section)) {
			n += attach_function(p);
			continue;
		}
		link = !strncmp(section, "usdt", 4) ? attach_probe(p) : bpf_program__attach(p);
		if (!attach_keep(link)) {
			int err = errno;

			cli_error("%s cannot be attached: %s", section, strerror(err));
			return -err;
		}
		n++;
	}
	return n;
}

void attach_end(void)
{
	while (num_links)
		bpf_link__destroy(links[--num_links]);
}
