/* SPDX-License-Identifier: GPL-2.0-only */
/* ibfabric's command line on a driver that is files in a directory. */
#ifndef GLASS_TESTS_UNIT_IBFABRIC_CLI_H
#define GLASS_TESTS_UNIT_IBFABRIC_CLI_H

#include "ibfabric/driver.h"
#include "ibfabric/netns.h"
#include "lib/debugfs/file.h"
#include "uapi/glass-columns.h"

#define TOOL_NAME "ibfabric"
#define TOOL_MAIN ibfabric_main
#include "tool_cli.h"

#define NODES_HEAD                                                                           \
	"# glass 1 fnode: name kind ports guid sys_guid vendor devid desc device lid port0 " \
	"enforcement width speed netns\n"
#define CABLES_HEAD \
	"# glass 1 fcable: a b width speed mtu pulled a_state b_state active_width active_speed\n"
#define PORTS_HEAD \
	"# glass 1 fport: node port guid lid lmc state phys_state peer mtu width speed xmit_data\n"

#define NETDEVS_HEAD GLASS_HEADER("netcable", GLASS_COLUMNS_NETCABLE) "\n"

/* An empty fabric: debugfs is the root, configfs a folder in it. */
static inline int cli_empty_fabric(void **state)
{
	static char config[100], module[100], netns[100];

	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	snprintf(config, sizeof(config), "%s/config/glass", cli_root);
	snprintf(module, sizeof(module), "%s/module", cli_root);
	snprintf(netns, sizeof(netns), "%s/netns", cli_root);
	configfs_root = config;
	netns_root = netns;
	module_root = module;
	cli_file("module/version", "");
	cli_file("config/glass/commands", "");
	cli_file("config/glass/error", "");
	cli_file("fabric/nodes", NODES_HEAD);
	cli_file("fabric/cables", CABLES_HEAD);
	cli_file("fabric/netdevs", NETDEVS_HEAD);
	cli_file("fabric/ports", PORTS_HEAD);
	return 0;
}

/* Two HCAs and a passive adapter at a switch; the cable of glass1 is pulled. */
static inline int cli_small_fabric(void **state)
{
	cli_empty_fabric(state);
	cli_file("fabric/nodes",
		 NODES_HEAD "glass0 hca 1 0x10 0x10 0x2c9 0x1 my%20host glass0 1 - - - edr -\n"
			    "glass1 hca 1 0x20 0x20 0x2c9 0x1 % - 0 - - - edr -\n"
			    "host2 ca 1 0x30 0x30 0x2c9 0x1 host2 - 3 - - 12 ndr -\n"
			    "switch0 switch 4 0x40 0x0 0x2c9 0x2 switch0 - 4 enhanced no - edr -\n");
	cli_file("fabric/cables",
		 CABLES_HEAD "glass0:1 switch0:1 12 ndr 4096 no active active 4 edr\n"
			     "glass1:1 switch0:2 4 hdr 2048 yes down down - -\n"
			     "host2:1 switch0:3 12 ndr 4096 no active init 1 sdr\n");
	cli_file("fabric/ports",
		 PORTS_HEAD "glass0 1 0x11 1 0 active linkup switch0:1 4096 4 edr 0\n"
			    "glass1 1 0x21 0 0 down polling switch0:2 4096 - - 0\n"
			    "host2 1 0x31 3 0 active linkup switch0:3 4096 1 sdr 0\n"
			    "switch0 0 0x40 4 0 active linkup - 4096 1 sdr 0\n"
			    "switch0 1 0x40 0 0 active linkup glass0:1 4096 4 edr 0\n");
	return 0;
}

#define COMMANDS cli_text("config/glass/commands")

#endif
