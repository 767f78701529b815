// SPDX-License-Identifier: GPL-2.0-only
/* ibcap: captures InfiniBand packets of Glass ports. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibcap.h"
#include "lib/debugfs/node.h"
#include "source.h"
#include "uapi/glass-version.h"

const char *argp_program_version = "ibcap (Glass) " GLASS_VERSION;

enum { KEY_JSON = 0x100, KEY_FLIGHT, KEY_READ };

static const char doc[] =
	"Captures the packets of Glass ports to pcapng, which Wireshark and tshark dissect; "
	"without -w prints a line for each.\v"
	"DEV is an InfiniBand device, or a switch or passive adapter of the fabric (see ibfabric); "
	"\"fabric\" stands for all switches and passive adapters. "
	"Without PORT ibcap captures on all ports of DEV. SIGINT and SIGTERM end the capture; "
	"ibcap then completes the file. ibcap never delays packets: it counts those that come too "
	"fast as lost.\n\n"
	"Exit status: 0 done; 1 an error occurred during the capture; 2 the arguments or the "
	"filter are wrong; 3 there is no such device or port, or the user is not root.\n\n"
	"Examples:\n"
	"  ibcap -w - glass0:1 | tshark -r -\n"
	"  ibcap --read x.pcapng --html report.html";

static const struct argp_option options[] = {
	{ "write", 'w', "FILE", 0, "write pcapng to FILE; - is standard output", 0 },
	{ "read", KEY_READ, "FILE", 0,
	  "read packets from FILE (- is standard input), a pcapng file that ibcap wrote, not from "
	  "ports: prints a line for each, or draws pictures", 0 },
	{ "filter", 'f', "FILTER", 0,
	  "capture only packets that match FILTER: qpn==0x11 && op in {write,read} && reason!=none", 0 },
	{ "snap", 's', "BYTES", 0, "capture at most BYTES of each packet (all)", 0 },
	{ "count", 'c', "COUNT", 0, "stop after COUNT packets", 0 },
	{ "file-size", 'C', "MB", 0,
	  "begin another file after MB million bytes; ibcap adds a number to the names", 0 },
	{ "files", 'W', "COUNT", 0, "with -C: keep the last COUNT files", 0 },
	{ "flight", KEY_FLIGHT, NULL, 0,
	  "write the packets of the flight recorder, which is always on (after `rearm` it freezes at "
	  "the next error of a QP); then end", 0 },
	{ "ring", 'B', "KB", 0, "buffer for packets not yet written, in KB per port (4096)", 0 },
	{ "json", KEY_JSON, NULL, 0, "print a summary as JSON when it ends", 0 },
	{ "quiet", 'q', NULL, 0, "print neither a counter nor a summary", 0 },
	{ 0, 0, 0, 0, "Pictures, in place of lines (docs/pictures.md):", 1 },
	PICTURE_OPTIONS(1),
	{ 0 },
};

void ibcap_error(const char *format, ...)
{
	va_list ap;

	fputs("ibcap: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

unsigned int ibcap_device_ports(const char *dev)
{
	char path[256];
	unsigned int n = 0;
	struct dirent *e;
	DIR *dir;

	if (!*dev || strchr(dev, '/'))
		return 0;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports", dev);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((e = readdir(dir)))
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

bool ibcap_is_ethernet(const char *dev)
{
	char path[256], word[16] = "";
	FILE *from;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/link_layer", dev);
	from = fopen(path, "re");
	if (from) {
		if (!fgets(word, sizeof(word), from))
			word[0] = 0;
		fclose(from);
	}
	return !strncmp(word, "Ethernet", 8);
}

static int add(struct ibcap_options *o, const char *dev, unsigned int port, bool node)
{
	if (o->num_ports == IBCAP_PORTS) {
		ibcap_error("%s:%u: more than %d ports at a time", dev, port, IBCAP_PORTS);
		return IBCAP_USAGE;
	}
	snprintf(o->ports[o->num_ports].dev, sizeof(o->ports[0].dev), "%s", dev);
	o->ports[o->num_ports].node = node;
	o->ports[o->num_ports++].port = port;
	return IBCAP_OK;
}

int ibcap_add_ports(struct ibcap_options *o, const char *arg)
{
	char dev[sizeof(o->ports[0].dev)];
	const char *colon = strchr(arg, ':');
	size_t len = colon ? (size_t)(colon - arg) : strlen(arg);
	unsigned int ports, port = 0;
	char *end = NULL;
	int status = IBCAP_OK;
	bool node = false;

	if (!len || len >= sizeof(dev)) {
		ibcap_error("%s: not DEV[:PORT]", arg);
		return IBCAP_USAGE;
	}
	memcpy(dev, arg, len);
	dev[len] = 0;
	if (colon) {
		port = strtoul(colon + 1, &end, 10);
		if (!colon[1] || *end || !port || port > 255) {
			ibcap_error("%s: '%s' is not a port number", arg, colon + 1);
			return IBCAP_USAGE;
		}
	}
	if (!colon && !strcmp(dev, FABRIC_DIR))
		return add(o, dev, 0, true);
	ports = ibcap_device_ports(dev);
	if (!ports)
		node = fabric_has_node(dev, &ports);
	if (!ports && geteuid()) {
		ibcap_error("%s: no such device; only root can capture at switches", dev);
		return IBCAP_NO_DEVICE;
	}
	if (!ports && access(IBCAP_DEBUGFS, F_OK)) {
		ibcap_error(
			"%s: no Glass in this kernel, or debugfs is not mounted (%s is not there)",
			dev, IBCAP_DEBUGFS);
		return IBCAP_NO_DEVICE;
	}
	if (!ports) {
		ibcap_error("%s: no such device or switch; \"ibfabric show\" lists them", dev);
		return IBCAP_NO_DEVICE;
	}
	if (colon && port > ports) {
		ibcap_error("%s: %s has %u ports", arg, dev, ports);
		return IBCAP_NO_DEVICE;
	}
	if (colon || node)
		return add(o, dev, port, node);
	for (port = 1; port <= ports && !status; port++)
		status = add(o, dev, port, false);
	return status;
}

/* Parses a number in low..high. Exits on error. */
static uint64_t number(struct argp_state *state, const char *name, const char *arg, uint64_t low,
		       uint64_t high)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 0);
	if (errno || end == arg || *end || *arg == '-' || v < low || v > high)
		argp_error(state, "%s: '%s' is not a number from %llu to %llu", name, arg,
			   (unsigned long long)low, (unsigned long long)high);
	return v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ibcap_options *o = state->input;
	int status;

	switch (key) {
	case 'w':
		o->file = arg;
		break;
	case 'f':
		o->filter = arg;
		break;
	case 's':
		o->snap = number(state, "--snap", arg, 1, 65535);
		break;
	case 'c':
		o->count = number(state, "--count", arg, 1, UINT64_MAX);
		break;
	case 'C':
		o->megabytes = number(state, "--file-size", arg, 1, 1000000);
		break;
	case 'W':
		o->files = number(state, "--files", arg, 1, 99999);
		break;
	case 'B':
		o->ring = number(state, "--ring", arg, GLASS_CAP_RING_MIN / 1024,
				 GLASS_CAP_RING_MAX / 1024) * 1024;
		break;
	case 'q':
		o->quiet = true;
		break;
	case KEY_FLIGHT:
		o->flight = true;
		break;
	case KEY_READ:
		o->read = arg;
		break;
	case KEY_JSON:
		o->json = true;
		break;
	case ARGP_KEY_ARG:
		status = ibcap_add_ports(o, arg);
		if (status)
			exit(status);
		break;
	case ARGP_KEY_END:
		if (o->read && (o->num_ports || o->file || o->flight || o->json || o->snap))
			argp_error(state, "--read: ports, --write, --flight, --snap and --json are for captures");
		if (!o->num_ports && !o->read)
			argp_error(state, "no port is given; expected DEV[:PORT], for example "
				   "glass0:1");
		if (o->megabytes && (!o->file || !strcmp(o->file, "-")))
			argp_error(state, "--file-size needs --write FILE");
		if (o->files && !o->megabytes)
			argp_error(state, "--files needs --file-size");
		picture_outputs_check(&o->pictures, state, o->file && !strcmp(o->file, "-"));
		o->pictures.quiet = o->quiet;
		break;
	default:
		return picture_outputs_parse(&o->pictures, key, arg, state);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "DEV[:PORT]...", doc, NULL, NULL, NULL };
	struct ibcap_options o = { .pictures = PICTURE_OUTPUTS_INIT };
	int status;

	if (ibcap_extcap(argc, argv, &status))
		return status;
	setlocale(LC_CTYPE, "");
	argp_err_exit_status = IBCAP_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return o.read ? ibcap_read(&o) : ibcap_capture(&o);
}
