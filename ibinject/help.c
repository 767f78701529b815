// SPDX-License-Identifier: GPL-2.0-only
/* help: prints the contents of the tables. */
#include <string.h>

#include "ibinject.h"
#include "lib/nearest.h"
#include "table.h"

static const char examples[] =
	"Drop the third WRITE packet that QP 0x11 of glass0 sends:\n"
	"  ibinject drop 'qpn==0x11 && op==write' --nth 3\n"
	"The same as a rule:\n"
	"  ibinject add glass0 qpn=0x11 op=write nth=3 act=drop\n"
	"Put the QP of a running program into ERR:\n"
	"  ibinject qp glass0:0x11 fatal\n"
	"Delay one packet in ten by 1.5 to 2.5 ms; the same seed delays the same packets:\n"
	"  ibinject delay glass0 --dir rx --prob 10% --time 2ms --jitter 500us --seed 7\n"
	"Report a remote access error in the third completion:\n"
	"  ibinject wc glass0 'qpn==0x11' --nth 3 --status rem_access_err\n"
	"Let the next memory registration of a program fail:\n"
	"  ibinject fail glass0 'comm==my_program' --verb reg_mr --err ENOMEM --count 1\n"
	"Run a command with a rule that ends with it:\n"
	"  ibinject run -r 'glass0: op=ack dir=tx prob=5% seed=1 act=drop' -- my_program\n"
	"Hold packets, and release them one by one:\n"
	"  ibinject hold glass0:0x11; ibinject step glass0; ibinject clear glass0\n"
	"Record faults, and inject them again:\n"
	"  ibinject record faults -- my_program; ibinject replay faults -- my_program\n";

static const char statuses[] =
	"  0  done\n"
	"  1  the driver refused a request, or reading or writing failed\n"
	"  2  the command line, a rule, a filter or a file is wrong\n"
	"  3  there is no such device or object, the user is not root, or the "
	"kernel is locked down\n"
	"  4  a scenario did not meet an expectation; journals differ; a run of a sweep crashed, "
	"hung, leaked or had wrong data\n"
	"Commands that run a program, except sweep and shrink, end with its exit status (128 + N "
	"when signal N ended it).\n"
	"Their own 1, 2, 3 and 4 become 121, 122, 123 and 124; 126: the program cannot be run; "
	"127: it does not exist.\n"
	"130: a signal stopped a sweep or shrink.\n";

static const char values[] = "  name    letters, digits and . _ -, at most 31\n"
			     "  num     a number, decimal or 0x\n"
			     "  range   a number or LOW..HIGH, both included\n"
			     "  words   words joined by commas: one of them must match\n"
			     "  word    one word\n"
			     "  text    a process name; * is any text, ? any byte, %XX a byte\n"
			     "  time    a number with the unit ns us ms s min or h; without a "
			     "unit: ns\n"
			     "  times   TIME..TIME, or TIME: from there on\n"
			     "  prob    0 to 1, or 0% to 100%\n"
			     "  probs   several of them joined by commas\n"
			     "  rule    NAME, or NAME:N\n"
			     "  tie     fd, or a process id\n"
			     "  yesno   yes or no\n";

static void print_commands(void)
{
	const struct command *c;

	puts("Usage: ibinject COMMAND [ARGUMENT]...\n"
	     "Injects faults into Glass adapters, on purpose.\n");
	for (c = commands; c->name; c++)
		printf("  %-12s %-32s %s\n", c->name, c->args, c->meaning);
	puts("\n"
	     "ibinject COMMAND --help lists the options. Topics of help: keys, actions, values, "
	     "examples, status,\n"
	     "and each key and action by its name. See also ibinject(8) and docs/ibinject.md.");
}

static void print_key(int k, bool meaning)
{
	printf("  %-10s %-6s %-6s %s\n", keys[k].word, keys[k].value, keys[k].sites,
	       meaning ? keys[k].meaning : "");
}

static void print_keys(void)
{
	static const char *const heads[] = {
		[IN_RULE] = "The rule",
		[IN_SELECT] = "Which: all that are given must hold",
		[IN_TRIGGER] = "When: counted for each stream by itself",
		[IN_LIFE] = "How long",
		[IN_PARAM] = "What: parameters of actions",
		[IN_TOLD] = "Read back",
	};
	int k;

	puts("Sites: P packets, C completions, O objects, V verbs, N ports, D the device.");
	for (k = 0; k < GLASS_RK_KEYS; k++) {
		if (!k || keys[k].group != keys[k - 1].group)
			printf("\n%s:\n", heads[keys[k].group]);
		print_key(k, true);
	}
}

static void print_act(int i)
{
	printf("  %-13s %c  %-30s %s\n", glass_rule_action_word(i), acts[i].site, acts[i].params,
	       acts[i].meaning);
}

static void print_acts(void)
{
	int i;

	puts("Sites: P packets, C completions, O objects, V verbs, N ports, D the device.\n"
	     "Parameters with a ! are required. A driver refuses an action that it does not have.\n");
	for (i = 0; i < GLASS_ACT_COUNT; i++)
		print_act(i);
}

static void print_words(int k, char site)
{
	const char *w;
	size_t i;

	for (i = 0; (w = key_word(k, site, i)); i++)
		printf("%s%s", i ? " " : "  words: ", w);
	if (i)
		putchar('\n');
}

static void print_one_key(int k)
{
	print_key(k, true);
	if (k == GLASS_RK_OP) {
		puts("of packets:");
		print_words(k, 'P');
		puts("of completions:");
		print_words(k, 'C');
	} else if (k != GLASS_RK_ACT) {
		print_words(k, keys[k].sites[0]);
	}
}

static void print_one_act(int i)
{
	int k;

	print_act(i);
	puts("\nKeys that it takes:");
	for (k = 0; k < GLASS_RK_KEYS; k++)
		if (keys[k].group != IN_TOLD && takes(&acts[i], k))
			print_key(k, true);
}

static bool print_topic(const char *topic)
{
	int k = find_key(topic, strlen(topic)), a = find_act(topic, strlen(topic));

	if (!strcmp(topic, "keys"))
		print_keys();
	else if (!strcmp(topic, "actions"))
		print_acts();
	else if (!strcmp(topic, "values"))
		fputs(values, stdout);
	else if (!strcmp(topic, "examples"))
		fputs(examples, stdout);
	/* also a key: its explanation covers this word */
	else if (!strcmp(topic, "status") || !strcmp(topic, "exit"))
		fputs(statuses, stdout);
	else if (k < 0 && a < 0)
		return false;
	if (k >= 0)
		print_one_key(k);
	if (a >= 0)
		print_one_act(a);
	return true;
}

int cmd_help(int argc, char **argv)
{
	static const char *const topics[] = { "keys", "actions", "values", "examples", "status" };
	struct glass_nearest near;
	int i;

	if (argc < 2) {
		print_commands();
		return ST_OK;
	}
	if (print_topic(argv[1]) || !help_of_command(argv[1]))
		return ST_OK;
	near = glass_nearest_to(argv[1]);
	for (i = 0; i < 5; i++)
		glass_nearest_consider(&near, topics[i]);
	for (i = 0; i < GLASS_RK_KEYS; i++)
		glass_nearest_consider(&near, keys[i].word);
	for (i = 0; i < GLASS_ACT_COUNT; i++)
		glass_nearest_consider(&near, glass_rule_action_word(i));
	if (near.found)
		cli_error("help: there is no topic %s; did you mean %s?", argv[1], near.found);
	else
		cli_error(
			"help: there is no topic %s; there are keys, actions, values, examples, "
			"status",
			argv[1]);
	return ST_USAGE;
}
