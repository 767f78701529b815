# SPDX-License-Identifier: GPL-2.0-only
# How the tree is compiled. Runs in the Debian root (vm/vm make TARGET), where the tree is /glass, which is also where
# the guest has it: debuggers find their sources. Everything made lies in build/; build/dest is laid out like the
# guest's root and is copied over it at boot.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

KVER   ?= $(notdir $(wildcard /lib/modules/*))
B      := build
DEST   := $B/dest
LIBDIR := /usr/lib/$(shell dpkg-architecture -qDEB_HOST_MULTIARCH)
SYNC   := rsync --recursive --links --perms --times --delete
Q      := $(if $V,,@)

# Copied only when different, so that times tell what is new.
INSTALL := install -C -D

.PHONY: all module provider programs unit check-unit modindex

all: module provider programs modindex

# ---- glass.ko
# The sources are copied to build/module (times kept, so that kbuild compiles only what changed) and that copy is mounted
# over driver/ while kbuild runs: objects stay out of the source tree, and messages name files as they are called in it.
KBUILD_KEEP := --filter='P *.o' --filter='P *.ko' --filter='P *.mod' --filter='P *.mod.c' --filter='P .*.cmd' \
	--filter='P .module-common.o' --filter='P Module.symvers' --filter='P modules.order'

module:
	$Qmkdir -p $B/module
	$Q$(SYNC) $(KBUILD_KEEP) driver/ $B/module/
	$Qunshare --mount sh -c 'mount --bind $B/module driver && \
		exec $(MAKE) -C /lib/modules/$(KVER)/build M=$(CURDIR)/driver modules'
	$Qmkdir -p $B/strip
	$Qstrip --strip-debug -o $B/strip/glass.ko $B/module/glass.ko
	$Q$(INSTALL) -m 644 $B/strip/glass.ko $(DEST)/usr/lib/modules/$(KVER)/updates/glass.ko

# The index of modules with glass.ko in it: made here, because under emulation depmod takes its time.
modindex: module
	$Qif [[ ! $B/depmod -nt $(DEST)/usr/lib/modules/$(KVER)/updates/glass.ko ]]; then \
		rm -rf $B/depmod && mkdir -p $B/depmod && \
		unshare --mount sh -c 'mount --bind $(DEST)/usr/lib/modules/$(KVER)/updates /lib/modules/$(KVER)/updates && \
			depmod -o $(CURDIR)/$B/depmod $(KVER)' && \
		mkdir -p $(DEST)/usr/lib/modules/$(KVER) && \
		find $B/depmod \( -name '*.bin' -o -name modules.softdep \) -exec cp -t $(DEST)/usr/lib/modules/$(KVER) {} + ; \
		touch $B/depmod; \
	fi

# ---- the provider
# driver.h, which a provider needs, is private to rdma-core: compile inside the source of the installed libibverbs.
TARBALL  := $(firstword $(wildcard /usr/src/rdma-core_*.orig.tar.*))
RDMA     := $B/rdma-core
PROVIDER := $(RDMA)/src/providers/glass
PABI     = $(shell sed -n 's/^set(IBVERBS_PABI_VERSION "\([0-9]*\)").*/\1/p' $(RDMA)/src/CMakeLists.txt)

$(RDMA)/.unpacked-$(notdir $(TARBALL)):
	$Qrm -rf $(RDMA)
	$Qmkdir -p $(RDMA)/src
	$Qtar -xf $(TARBALL) -C $(RDMA)/src --strip-components=1
	$Qecho 'add_subdirectory(providers/glass)' >>$(RDMA)/src/CMakeLists.txt
	$Qtouch $@

provider: $(RDMA)/.unpacked-$(notdir $(TARBALL))
	$Qmkdir -p $(PROVIDER)/uapi
	$Q$(SYNC) --checksum --exclude=/uapi provider/ $(PROVIDER)/
	$Q$(SYNC) --checksum driver/uapi/ $(PROVIDER)/uapi/
	$Qif [[ ! -e $(RDMA)/build/build.ninja ]]; then \
		cmake -S $(RDMA)/src -B $(RDMA)/build -GNinja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
			-Wno-dev -DNO_PYVERBS=1 -DNO_MAN_PAGES=1 -DENABLE_STATIC=0 >$(RDMA)/cmake.log || { tail -n 20 $(RDMA)/cmake.log; exit 1; }; \
	fi
	$Qninja --quiet -C $(RDMA)/build lib/libglass-rdmav$(PABI).so
	$Q$(INSTALL) -m 644 $(RDMA)/build/lib/libglass-rdmav$(PABI).so $(DEST)$(LIBDIR)/libibverbs/libglass-rdmav$(PABI).so
	$Qmkdir -p $(DEST)/etc/libibverbs.d
	$Qecho 'driver glass' | cmp -s - $(DEST)/etc/libibverbs.d/glass.driver || \
		echo 'driver glass' >$(DEST)/etc/libibverbs.d/glass.driver

# ---- test programs for the guest: each tests/programs/NAME.c is one program
PROGRAMS := $(patsubst tests/programs/%.c,%,$(wildcard tests/programs/*.c))
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Werror

programs: $(PROGRAMS:%=$(DEST)/usr/local/bin/%)

$(DEST)/usr/local/bin/%: tests/programs/%.c $(wildcard tests/programs/*.h driver/uapi/*.h)
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      tests/programs/$*";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -Itests/programs -Idriver \
		-o $@ $< -libverbs -lrdmacm -lpthread

# What bench/run compares with: bench/NAME.c is the program bench_NAME.
BENCHES := $(patsubst bench/%.c,bench_%,$(wildcard bench/*.c))

programs: $(BENCHES:%=$(DEST)/usr/local/bin/%)

$(DEST)/usr/local/bin/bench_%: bench/%.c
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      bench/$*";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -o $@ $<

# ---- unit tests of the pure core, in user space
unit:
	$Q$(MAKE) -C tests/unit BUILD=$(CURDIR)/$B/unit

check-unit:
	$Q$(MAKE) -C tests/unit BUILD=$(CURDIR)/$B/unit check
