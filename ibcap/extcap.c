// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wireshark's extcap protocol: lists interfaces and options, and captures into a named pipe.
 * Wireshark runs every program in its extcap directories with these options; doc/extcap in its
 * source describes them.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"
#include "ibcap.h"
#include "pcapng.h"
#include "uapi/glass-version.h"

enum {
	X_INTERFACES = 1,
	X_INTERFACE,
	X_DLTS,
	X_CONFIG,
	X_CAPTURE,
	X_FILTER,
	X_FIFO,
	X_VERSION,
	X_SNAP,
	X_RING,
	X_IGNORED,
};

static const struct option options[] = {
	{ "extcap-interfaces", no_argument, NULL, X_INTERFACES },
	{ "extcap-interface", required_argument, NULL, X_INTERFACE },
	{ "extcap-dlts", no_argument, NULL, X_DLTS },
	{ "extcap-config", no_argument, NULL, X_CONFIG },
	{ "capture", no_argument, NULL, X_CAPTURE },
	{ "extcap-capture-filter", required_argument, NULL, X_FILTER },
	{ "fifo", required_argument, NULL, X_FIFO },
	{ "extcap-version", optional_argument, NULL, X_VERSION },
	{ "snap", required_argument, NULL, X_SNAP },
	{ "ring", required_argument, NULL, X_RING },
	{ "extcap-reload-option", required_argument, NULL, X_IGNORED },
	{ "extcap-control-in", required_argument, NULL, X_IGNORED },
	{ "extcap-control-out", required_argument, NULL, X_IGNORED },
	{ 0 },
};

struct request {
	bool interfaces, dlts, config, capture;
	const char *interface, *filter, *fifo;
	unsigned long snap, ring;
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_device(const struct dirent *e)
{
	char path[512], driver[512];
	const char *base;
	ssize_t n;

	if (e->d_name[0] == '.')
		return 0;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/driver", e->d_name);
	n = readlink(path, driver, sizeof(driver) - 1);
	if (n < 0)
		return 0;
	driver[n] = 0;
	base = strrchr(driver, '/');
	return base && !strcmp(base, "/glass");
}

static int list_interfaces(void)
{
	struct dirent **found;
	int i, n = scandir("/sys/class/infiniband", &found, is_device, by_name);

	printf("extcap {version=" GLASS_VERSION "}{display=Glass ports}\n");
	for (i = 0; i < n; i++) {
		unsigned int port, ports = ibcap_device_ports(found[i]->d_name);

		for (port = 1; port <= ports; port++)
			printf("interface {value=%s:%u}{display=Glass %s port %u}\n",
			       found[i]->d_name, port, found[i]->d_name, port);
		free(found[i]);
	}
	if (n >= 0)
		free(found);
	return IBCAP_OK;
}

static int list_dlts(const char *interface)
{
	char dev[IBCAP_DEV_MAX];

	snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(interface, ":"), interface);
	if (ibcap_is_ethernet(dev)) {
		printf("dlt {number=%d}{name=EN10MB}{display=Ethernet (RoCEv2)}\n",
		       PCAPNG_LINKTYPE_ETHERNET);
		return IBCAP_OK;
	}
	printf("dlt {number=%d}{name=ERF}{display=InfiniBand (ERF type %d)}\n", PCAPNG_LINKTYPE_ERF,
	       ERF_TYPE_INFINIBAND);
	return IBCAP_OK;
}

static int list_config(void)
{
	printf("arg {number=0}{call=--snap}{display=Snap length}{type=unsigned}{range=0,65535}"
	       "{default=0}{tooltip=Bytes of each packet at most; 0 is all}\n");
	printf("arg {number=1}{call=--ring}{display=Ring "
	       "(KB)}{type=unsigned}{range=%d,%d}{default=%d}{tooltip=Buffer for packets not yet "
	       "read, in KB}\n",
	       GLASS_CAP_RING_MIN / 1024, GLASS_CAP_RING_MAX / 1024, GLASS_CAP_RING / 1024);
	return IBCAP_OK;
}

/* Wireshark shows what this prints; no output means that the filter is valid. */
static int check_filter(const char *text)
{
	struct glass_filter *filter = *text ? filter_parse(text, stdout) : NULL;

	glass_filter_free(filter);
	return IBCAP_OK;
}

static int capture(const struct request *r)
{
	struct ibcap_options o = {
		.file = r->fifo,
		.filter = r->filter && *r->filter ? r->filter : NULL,
		.snap = r->snap,
		.ring = r->ring * 1024,
		.quiet = true,
	};
	int status;

	if (!r->fifo) {
		ibcap_error("--capture needs --fifo");
		return IBCAP_USAGE;
	}
	status = ibcap_add_ports(&o, r->interface);
	return status ? status : ibcap_capture(&o);
}

static int answer(const struct request *r)
{
	if (r->interfaces)
		return list_interfaces();
	if (!r->interface) {
		ibcap_error("--extcap-interface is missing");
		return IBCAP_USAGE;
	}
	if (r->dlts)
		return list_dlts(r->interface);
	if (r->config)
		return list_config();
	if (r->capture)
		return capture(r);
	if (r->filter)
		return check_filter(r->filter);
	ibcap_error("%s: expected an action such as --capture", r->interface);
	return IBCAP_USAGE;
}

/* Parses a number, 0 or low..high. Returns false after an error message. */
static bool number(const char *name, const char *text, unsigned long low, unsigned long high,
		   unsigned long *to)
{
	char *end;

	errno = 0;
	*to = strtoul(text, &end, 0);
	if (!errno && end != text && !*end && *text != '-' && (!*to || (*to >= low && *to <= high)))
		return true;
	ibcap_error("%s: '%s' is neither 0 nor a number from %lu to %lu", name, text, low, high);
	return false;
}

bool ibcap_extcap(int argc, char **argv, int *status)
{
	struct request r = { 0 };
	bool asked = false, good = true;
	int i, key;

	for (i = 1; i < argc; i++)
		asked |= !strncmp(argv[i], "--extcap-", 9);
	if (!asked)
		return false;
	while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (key) {
		case X_INTERFACES:
			r.interfaces = true;
			break;
		case X_INTERFACE:
			r.interface = optarg;
			break;
		case X_DLTS:
			r.dlts = true;
			break;
		case X_CONFIG:
			r.config = true;
			break;
		case X_CAPTURE:
			r.capture = true;
			break;
		case X_FILTER:
			r.filter = optarg;
			break;
		case X_FIFO:
			r.fifo = optarg;
			break;
		case X_SNAP:
			good &= number("--snap", optarg, 1, 65535, &r.snap);
			break;
		case X_RING:
			good &= number("--ring", optarg, GLASS_CAP_RING_MIN / 1024,
				       GLASS_CAP_RING_MAX / 1024, &r.ring);
			break;
		case X_VERSION:
		case X_IGNORED:
			break;
		default:
			*status = IBCAP_USAGE;
			return true;
		}
	}
	*status = good ? answer(&r) : IBCAP_USAGE;
	return true;
}
