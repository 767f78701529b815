// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "driver.h"
#include "lib/debugfs/file.h"
#include "lib/debugfs/text.h"
#include "lib/printable.h"
#include "netns.h"

#define CONFIGFS_MAGIC 0x62656570
#define PROGRESS_LINES 2000 /* fewer are written at once */

const char *configfs_root = "/sys/kernel/config/glass";
const char *module_root = "/sys/module/glass";

/* "ip netns exec" mounts a /sys in which configfs is missing. */
static void tell_other_namespace(void)
{
	struct stat first, own;

	if (!stat("/proc/1/ns/net", &first) && !stat("/proc/self/ns/net", &own) &&
	    first.st_ino != own.st_ino)
		cli_error("\"ip netns exec\" hides configfs: run ibfabric without it, and give the "
			  "command the key netns=");
}

static void tell_absent(void)
{
	char *folder = format_text("%s", configfs_root), *slash = strrchr(folder, '/');
	struct statfs fs;

	if (slash && slash > folder)
		*slash = 0;
	if (access(module_root, F_OK)) {
		cli_error("the module glass is not loaded; run \"modprobe glass\"");
	} else if (access(configfs_root, F_OK) &&
		   (statfs(folder, &fs) || fs.f_type != CONFIGFS_MAGIC)) {
		cli_error("configfs is not mounted; run \"mount -t configfs none %s\"", folder);
		tell_other_namespace();
	} else {
		cli_error(
			"%s/commands: this module has no fabric that can be changed; it is older than "
			"this tool",
			configfs_root);
	}
	free(folder);
}

/* Returns -1 after cli_error(). */
static int open_commands(void)
{
	char *path = format_text("%s/commands", configfs_root);
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = errno;

	if (fd < 0 && (err == EACCES || err == EPERM) && geteuid())
		cli_error("only root may change the fabric; run this program as root");
	else if (fd < 0 && (err == ENOENT || err == ENOTDIR))
		tell_absent();
	else if (fd < 0)
		cli_error("%s: %s", path, strerror(err));
	free(path);
	return fd;
}

enum status driver_ready(void)
{
	int fd = open_commands();

	if (fd < 0)
		return ST_NO_FABRIC;
	close(fd);
	return ST_OK;
}

/* The line of the driver's file `error`: "LINE AT LEN KIND: TEXT" */
struct refusal {
	uint64_t line, at, len;
	char *text; /* NULL: it cannot be read */
};

static void read_refusal(struct refusal *to)
{
	char *path = format_text("%s/error", configfs_root), *line, *word, *end;
	struct debugfs_file f = { 0 };
	uint64_t *number[] = { &to->line, &to->at, &to->len };
	int i;

	memset(to, 0, sizeof(*to));
	if (debugfs_read_path(&f, "error", path) || !(line = debugfs_line(&f)))
		goto out;
	for (i = 0, word = line; i < 3; i++, word = end + 1) {
		end = strchr(word, ' ');
		if (!end || !debugfs_number(word, end - word, number[i]))
			goto out;
	}
	to->text = format_text("%s", word);
out:
	debugfs_free(&f);
	free(path);
}

/* Prints the line with the wrong word marked. */
static void quote(const char *line, size_t len, const struct refusal *r)
{
	size_t from = 0, at = r->at, shown = len;

	/* of a long line, the part around the word */
	if (len > 100 && at > 60)
		from = at - 40;
	if (shown - from > 100)
		shown = from + 100;
	fprintf(stderr, "  %.*s\n", (int)(shown - from), line + from);
	if (at > len || !r->len)
		return;
	fprintf(stderr, "  %*s", (int)(at - from), "");
	for (at = 0; at < r->len && r->at + at < shown; at++)
		putc('^', stderr);
	putc('\n', stderr);
}

/* One write to the driver */
struct chunk {
	const char *text; /* as the driver gets it */
	size_t len;
	uint32_t first, lines; /* of the commands */
	char *netns;	       /* value of netns=; NULL: the program's own namespace */
	char *interfaces;      /* those that are there, for the error of an unknown one */
	uint64_t netns_number; /* 0: the program's own */
};

static bool is_kind(const struct refusal *r, const char *kind)
{
	size_t len = strlen(kind);

	return !strncmp(r->text, kind, len) && r->text[len] == ':';
}

/* Returns the port of the cable that has the interface, or NULL. The caller frees it. */
static char *find_taker(const char *netdev, uint64_t netns)
{
	struct topo t = { 0 };
	char *port = NULL;
	uint32_t i;

	if (!driver_read(&t))
		for (i = 0; i < t.netcables && !port; i++)
			if (!strcmp(t.netcable[i].netdev, netdev) &&
			    t.netcable[i].netns_number == netns)
				port = format_text("%s:%u", t.node[t.netcable[i].end.node].name,
						   t.netcable[i].end.port);
	topo_free(&t);
	return port;
}

/* Returns the HCA whose Ethernet port is that of the interface, or NULL. The caller frees it. */
static char *find_ether(const char *netdev, uint64_t netns)
{
	struct topo t = { 0 };
	const struct topo_node *n;
	char *name = NULL;
	uint32_t i;

	if (!driver_read(&t))
		for (i = 0; i < t.nodes && !name; i++) {
			n = &t.node[i];
			if (n->ether && !strcmp(n->ether->netdev, netdev) &&
			    n->ether->netns_number == netns)
				name = format_text("%s", n->name);
		}
	topo_free(&t);
	return name;
}

/* Puts the interface and its namespace into the driver's words about an interface. */
static void name_netdev(struct refusal *r, const char *line, const struct chunk *c)
{
	char *netdev, *where, *taker = NULL, *others, *text = NULL;

	if (r->at + r->len > strcspn(line, "\n"))
		return;
	netdev = format_text("%.*s", (int)r->len, line + r->at);
	where = c->netns ? format_text("network namespace %s", c->netns)
			 : format_text("this network namespace");
	if (is_kind(r, "no_netdev")) {
		others = c->netns ? NULL : netns_interfaces(netdev);
		text = format_text("no_netdev: %s has no network interface %s; %s%s", where, netdev,
				   others	   ? others
				   : c->interfaces ? c->interfaces
						   : "\"ip link\" lists them",
				   c->netns ? "" : " (netns= names another namespace)");
		free(others);
	} else if (is_kind(r, "not_ethernet")) {
		text = format_text("not_ethernet: %s is no Ethernet interface", netdev);
	} else if (is_kind(r, "netdev_taken")) {
		taker = find_taker(netdev, c->netns_number);
		text = taker ? format_text("netdev_taken: the cable at %s uses %s; \"ibfabric remove "
					   "%s\" removes it", taker, netdev, taker)
			     : format_text("netdev_taken: another cable uses %s", netdev);
	} else if (is_kind(r, "ether_taken")) {
		taker = find_ether(netdev, c->netns_number);
		text = taker ? format_text("ether_taken: %s is the Ethernet port of %s; \"ibfabric remove "
					   "%s\" removes it", taker, netdev, taker)
			     : format_text("ether_taken: %s has an Ethernet port already", netdev);
	} else if (is_kind(r, "vlan")) {
		text = format_text("vlan: %s is a VLAN; use the interface below it, whose Ethernet port has its "
				   "GIDs", netdev);
	} else if (is_kind(r, "udp_port_taken")) {
		text = format_text("udp_port_taken: %s: somebody else has UDP port 4791 in %s (\"ss -ulnp\" lists "
				   "the ports of programs); rdma_rxe takes it in the first one", netdev, where);
	}
	if (text) {
		free(r->text);
		r->text = text;
	}
	free(taker);
	free(where);
	free(netdev);
}

/* Tells why the write failed. Returns how many of its lines are in force. */
static uint32_t tell_refusal(const struct topo_commands *commands, const struct chunk *c,
			     const struct parse *from, int err)
{
	struct topo_place place = { 0 };
	struct refusal r;
	const char *line = c->text;
	uint32_t i;

	read_refusal(&r);
	if (!r.text || !r.line || r.line > c->lines) {
		cli_error("the driver refused a command: %s (%s/error: %s)", strerror(err),
			  configfs_root, r.text ? r.text : "empty");
		free(r.text);
		return 0;
	}
	for (i = 1; i < r.line; i++)
		line = strchr(line, '\n') + 1;
	if (commands->place)
		place = commands->place[c->first + r.line - 1];
	name_netdev(&r, line, c);
	if (from && place.line)
		cli_error("%s:%u: %s", from->file[place.file], place.line, r.text);
	else
		cli_error("%s", r.text);
	quote(line, strcspn(line, "\n"), &r);
	free(r.text);
	return r.line - 1;
}

static void show_progress(uint32_t done, uint32_t all)
{
	if (all >= PROGRESS_LINES && isatty(2))
		fprintf(stderr, done < all ? "\r%u of %u commands" : "\r\e[K", done, all);
}

/* Returns 0 or an errno value. */
static int write_chunk(int fd, struct chunk *c)
{
	ssize_t n = write(fd, c->text, c->len);
	int err = n < 0 ? errno : n == (ssize_t)c->len ? 0 : EIO;
	const char *key;
	char *netdev;

	/* only in a namespace are its interfaces seen */
	key = err == ENODEV && c->netns ? strstr(c->text, " netdev=") : NULL;
	if (!key)
		return err;
	netdev = format_text("%.*s", (int)strcspn(key + 8, " \t\n"), key + 8);
	c->interfaces = netns_interfaces(netdev);
	free(netdev);
	return err;
}

/* Takes the word netns= out of the line. Returns the line without it, and the value in c->netns. */
static char *take_netns(struct chunk *c, const char *word)
{
	size_t len = strcspn(word, " \t\n"), before = word - c->text;
	size_t rest = c->len - before - len;
	char *line;

	/* with the blanks before it */
	while (before && strchr(" \t", c->text[before - 1]))
		before--;
	line = format_text("%.*s%.*s", (int)before, c->text, (int)rest, word + len);
	c->netns = format_text("%.*s", (int)(len - strlen("netns=")), word + strlen("netns="));
	if (debugfs_decode(c->netns, strlen(c->netns), c->netns) < 0)
		*c->netns = 0;
	c->text = line;
	c->len = strlen(line);
	return line;
}

/*
 * Writes a line with netns= from that namespace. Returns 0 or an errno value; or -1 after an error
 * that it has told.
 */
static int write_from_netns(int fd, struct chunk *c, const struct topo_commands *commands,
			    const struct parse *from)
{
	char *refused = NULL, *reason;
	struct topo_place place = { 0 };
	struct netns_way way;
	int err = -1, netns = -1;

	if (!strstr(c->text, " netdev="))
		refused = format_text("netns=%s: this key needs netdev=", c->netns);
	if (!refused)
		refused = netns_open(c->netns, &netns);
	if (!refused) {
		reason = netns_enter(netns, &way);
		if (reason)
			refused = format_text("netns=%s: %s", c->netns, reason);
		free(reason);
	}
	if (!refused) {
		c->netns_number = netns_of(netns);
		err = write_chunk(fd, c);
		netns_leave(&way);
		if (c->netns_number == netns_own())
			c->netns_number = 0;
	}
	if (netns >= 0)
		close(netns);
	if (refused && commands->place)
		place = commands->place[c->first];
	if (refused && from && place.line)
		cli_error("%s:%u: %s", from->file[place.file], place.line, refused);
	else if (refused)
		cli_error("%s", refused);
	free(refused);
	return err;
}

/* Carries out the lines of the chunk. Returns how many of them are in force. */
static uint32_t run_chunk(int fd, struct chunk *c, const struct topo_commands *commands,
			  const struct parse *from)
{
	const char *word = topo_command_netns(c->text);
	char *line = word ? take_netns(c, word) : NULL;
	int err = word ? write_from_netns(fd, c, commands, from) : write_chunk(fd, c);
	uint32_t done = c->lines;

	if (err) {
		show_progress(commands->lines, commands->lines);
		done = err > 0 ? tell_refusal(commands, c, from, err) : 0;
	}
	free(c->interfaces);
	free(c->netns);
	free(line);
	return done;
}

enum status driver_run(const struct topo_commands *commands, const struct parse *from,
		       uint32_t *done)
{
	int fd = open_commands();
	size_t at = 0, next;
	uint32_t lines, did;
	struct chunk chunk;

	*done = 0;
	if (fd < 0)
		return ST_NO_FABRIC;
	for (; at < commands->len; at = next) {
		next = topo_commands_chunk(commands, at, &lines);
		if (next == at) {
			cli_error("a command of more than %d bytes: %.60s...", TOPO_COMMAND_MAX,
				  commands->text + at);
			break;
		}
		chunk = (struct chunk){ commands->text + at, next - at, *done, lines, NULL, NULL, 0 };
		did = run_chunk(fd, &chunk, commands, from);
		*done += did;
		if (did < lines)
			break;
		show_progress(*done, commands->lines);
	}
	close(fd);
	return at < commands->len ? ST_FAILED : ST_OK;
}

enum status driver_run_line(const char *line)
{
	struct topo_commands one = { .lines = 1 };
	enum status status;
	uint32_t done;

	one.text = format_text("%s\n", line);
	one.len = strlen(one.text);
	status = driver_run(&one, NULL, &done);
	free(one.text);
	return status;
}

/* Builds the old fabric again, after the new one was refused. */
static void restore(const struct topo *old)
{
	struct topo_commands commands;
	uint32_t done;

	topo_commands(old, &commands);
	if (driver_run_line("clear") == ST_OK && driver_run(&commands, NULL, &done) == ST_OK)
		cli_error(old->nodes ? "the fabric is again the one that was there before"
				     : "the fabric is empty again");
	else
		cli_error("the fabric is incomplete; \"ibfabric clear\" removes it");
	topo_commands_free(&commands);
}

/* topo_commands() does not write Ethernet ports. */
static void tell_removed_ethers(const struct topo *old)
{
	const struct topo_node *n;
	char *netdev;
	uint32_t i;

	for (i = 0; i < old->nodes; i++) {
		n = &old->node[i];
		if (!n->ether)
			continue;
		netdev = format_text("%s", n->ether->netdev);
		printable(netdev);
		cli_error("%s, an Ethernet port of %s, was removed with the fabric; \"rdma link add %s type glass netdev "
			  "%s\" makes it again", n->name, netdev, n->device ? n->device : n->name, netdev);
		free(netdev);
	}
}

enum status driver_build(const struct topo *t, const struct parse *from, bool replace, bool quiet)
{
	struct topo_commands commands;
	struct topo old = { 0 };
	enum status status;
	char *counts;
	uint32_t done;

	status = driver_ready();
	if (!status)
		status = driver_read(&old);
	if (status)
		return status;
	if (old.nodes && !replace) {
		counts = topo_counts(&old);
		cli_error(
			"there is a fabric already: %s; --replace removes it first, and \"ibfabric "
			"save\" keeps it in a file",
			counts);
		free(counts);
		topo_free(&old);
		return ST_FAILED;
	}
	topo_commands(t, &commands);
	if (old.nodes)
		status = driver_run_line("clear");
	if (!status) {
		tell_removed_ethers(&old);
		status = driver_run(&commands, from, &done);
		if (status == ST_FAILED)
			restore(&old);
	}
	if (!status && !quiet) {
		counts = topo_counts(t);
		cli_error("%s", counts);
		free(counts);
	}
	topo_commands_free(&commands);
	topo_free(&old);
	return status;
}
