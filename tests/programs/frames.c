// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host on the wire of a netdev cable (driver/wire/frame.h): trains the cable as a peer, and
 * sends frames that keep the rules, that break one rule, or that are random.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <signal.h>

#include "frames.h"
#include "frames_break.h"
#include "frames_random.h"

#define HELLO_EVERY_MS 100
#define BATCH 32
/*
 * Of so many frames, `fuzz` says one good hello. Once in FUZZ_LOOK frames it looks at the cable's
 * hellos. A bad hello of the peer may take the cable down; so in every second FUZZ_PHASE frames there
 * are none of these, and packets pass.
 */
#define FUZZ_HELLO 512
#define FUZZ_LOOK 64
#define FUZZ_PHASE 4096

static volatile sig_atomic_t stop;

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: frames [OPTION]... COMMAND\n"
		"Plays a hostile host on the wire of a netdev cable. Run it in the network namespace of the\n"
		"other end of the wire.\n"
		"  -i, --interface NAME  the interface that leads to the cable (wire)\n"
		"  -m, --mac MAC         our address; `cable`: that of the cable (02:67:6c:00:00:01)\n"
		"  -s, --session N       our session; `cable`: that of the cable (0x0badf00d)\n"
		"  -g, --guid N          our node GUID (0x02676cfffe000001)\n"
		"  -n, --node NAME       name of our node (mallory)\n"
		"  -H, --host NAME       name of our host (elsewhere)\n"
		"  -p, --port N          number of our port (1)\n"
		"  -M, --mtu CODE        MTU in our hellos: 1 256 bytes, to 5 4096 bytes (4)\n"
		"  -V, --version N       version of the frames that `hello` sends (1)\n"
		"  -r, --real            take all of this from a real peer that uses the interface\n"
		"Commands:\n"
		"  peer          train the cable, and say hello until SIGTERM; prints `up` each time when\n"
		"                the cable has answered\n"
		"  hello         say hello once\n"
		"  good N        N frames with a valid packet each: SMPs, and data to a LID that nobody has\n"
		"  rule NAME     frames that break this rule, one for each way to break it\n"
		"  rules         print the names of the rules that `rule` knows\n"
		"  fuzz N SEED   N random frames, and good hellos among them\n"
		"All but `peer` listen first for a hello of the cable, and send as the peer that it hears.\n"
		"Prints `sent=N lost=N`: frames, and how many of them the kernel has dropped; `rule` also\n"
		"good=N, the valid packets in them, and errors=N, the packets that break the rule.\n"
		"Exit status 0: all was sent; 1: it was not; 2: wrong arguments.\n");
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* Waits for the cable's next hello. */
static void hear_hello(void)
{
	cable.known = false;
	learn();
}

static int do_rule(const char *name)
{
	static struct frame f;
	unsigned int way, r;

	for (r = 0; r < ARRAY_SIZE(rules) && strcmp(rules[r].name, name);)
		r++;
	if (r == ARRAY_SIZE(rules)) {
		fprintf(stderr, "frames: %s: no such rule; `frames rules` lists them\n", name);
		return 2;
	}
	learn();
	for (way = 0; rules[r].make(&f, way); way++) {
		send_frame(&f);
		/* a cable takes 16 hellos before it says one */
		if (rules[r].make == break_hello && way % 4 == 3)
			hear_hello();
	}
	printf("sent=%lu lost=%lu good=%lu errors=%lu\n", sent, lost, good, errors);
	return 0;
}

/* ---- the other commands */

static int do_peer(void)
{
	bool hello, up = false, hears;
	u64 next = 0;

	/* one that says hello before it knows the cable's session would end a session that is up */
	learn();
	while (!stop) {
		if (now_ms() >= next) {
			say_hello();
			next = now_ms() + HELLO_EVERY_MS;
		}
		if (!listen_once(HELLO_EVERY_MS, &hello) || !hello)
			continue;
		hears = cable.echo == self.hello.session;
		if (!hears || !up)
			next = 0;
		if (hears != up) {
			printf(hears ? "up\n" : "down\n");
			fflush(stdout);
		}
		up = hears;
	}
	return 0;
}

static int do_good(unsigned long n)
{
	static struct frame f;
	struct glass_pkt p;
	unsigned long i;

	learn();
	for (i = 0; i < n; i++) {
		p = i % 2 ? data_packet(1 + i % 256) : smp_packet();
		one_packet(&f, &p);
		send_frame(&f);
	}
	printf("sent=%lu lost=%lu\n", sent, lost);
	return 0;
}

/* ---- random frames */

static void send_batch(const struct frame *frames, u32 n)
{
	struct mmsghdr msgs[BATCH] = {};
	struct iovec at[BATCH];
	u32 i, done = 0;
	int some;

	for (i = 0; i < n; i++) {
		at[i] = (struct iovec){ .iov_base = (void *)frames[i].b, .iov_len = frames[i].len };
		msgs[i].msg_hdr.msg_iov = &at[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	while (done < n) {
		some = sendmmsg(sock, msgs + done, n - done, 0);
		if (some <= 0) {
			account(-1);
			done++;
			continue;
		}
		sent += some;
		done += some;
	}
}

static int do_fuzz(unsigned long n, u64 seed)
{
	static struct frame frames[BATCH];
	u32 in_batch = 0;
	bool hello, answer = false;
	unsigned long i;

	printf("seed=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	random_state = seed;
	learn();
	for (i = 0; i < n && !stop; i++) {
		if (i % FUZZ_LOOK == 0)
			while (listen_once(0, &hello))
				answer |= hello && cable.echo != self.hello.session;
		if (answer || i % FUZZ_HELLO == 0)
			make_hello(&frames[in_batch++]);
		else
			random_frame(&frames[in_batch++], i / FUZZ_PHASE % 2);
		answer = false;
		if (in_batch == BATCH) {
			send_batch(frames, in_batch);
			in_batch = 0;
		}
	}
	send_batch(frames, in_batch);
	printf("sent=%lu lost=%lu\n", sent, lost);
	return 0;
}

static void parse_mac(const char *text)
{
	unsigned int b[ETH_ALEN], i;

	cable_mac = !strcmp(text, "cable");
	if (cable_mac)
		return;
	if (sscanf(text, "%x:%x:%x:%x:%x:%x", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]) != ETH_ALEN) {
		fprintf(stderr, "frames: %s: not a MAC address, nor `cable`\n", text);
		exit(2);
	}
	for (i = 0; i < ETH_ALEN; i++)
		self.mac[i] = b[i];
}

static u64 number(const char *text)
{
	char *end;
	u64 n = strtoull(text, &end, 0);

	if (!*text || *end) {
		fprintf(stderr, "frames: %s: not a number\n", text);
		exit(2);
	}
	return n;
}

static void list_rules(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		puts(rules[i].name);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "interface", required_argument, NULL, 'i' }, { "mac", required_argument, NULL, 'm' },
		{ "session", required_argument, NULL, 's' },   { "guid", required_argument, NULL, 'g' },
		{ "node", required_argument, NULL, 'n' },      { "host", required_argument, NULL, 'H' },
		{ "port", required_argument, NULL, 'p' },      { "mtu", required_argument, NULL, 'M' },
		{ "version", required_argument, NULL, 'V' },   { "real", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },	       {},
	};
	const char *interface = "wire", *command;
	int c, args;

	while ((c = getopt_long(argc, argv, "i:m:s:g:n:H:p:M:V:rh", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			interface = optarg;
			break;
		case 'm':
			parse_mac(optarg);
			break;
		case 's':
			cable_session = !strcmp(optarg, "cable");
			if (!cable_session)
				self.hello.session = number(optarg);
			break;
		case 'g':
			self.hello.guid = number(optarg);
			break;
		case 'n':
			snprintf(self.hello.node, sizeof(self.hello.node), "%s", optarg);
			break;
		case 'H':
			snprintf(self.hello.host, sizeof(self.hello.host), "%s", optarg);
			break;
		case 'p':
			self.hello.port = number(optarg);
			break;
		case 'M':
			self.hello.mtu = number(optarg);
			break;
		case 'V':
			version = number(optarg);
			break;
		case 'r':
			real = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	args = argc - optind;
	command = args ? argv[optind] : "";
	if (args == 1 && !strcmp(command, "rules")) {
		list_rules();
		return 0;
	}
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	if (args == 1 && !strcmp(command, "peer")) {
		open_wire(interface);
		return do_peer();
	}
	if (args == 1 && !strcmp(command, "hello")) {
		open_wire(interface);
		learn();
		say_hello();
		printf("sent=%lu lost=%lu\n", sent, lost);
		return 0;
	}
	if (args == 2 && !strcmp(command, "good")) {
		open_wire(interface);
		return do_good(number(argv[optind + 1]));
	}
	if (args == 2 && !strcmp(command, "rule")) {
		open_wire(interface);
		return do_rule(argv[optind + 1]);
	}
	if (args == 3 && !strcmp(command, "fuzz")) {
		open_wire(interface);
		return do_fuzz(number(argv[optind + 1]), number(argv[optind + 2]));
	}
	usage(stderr);
	return 2;
}
