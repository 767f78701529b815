# SPDX-License-Identifier: GPL-2.0-only
# How the tree is compiled. Runs in the Debian root (vm/vm make TARGET), where the tree is /glass, which is also where
# the guest has it: debuggers find their sources. Everything made lies in build/; build/dest is laid out like the
# guest's root and is copied over it at boot.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

KVER   ?= $(notdir $(wildcard /lib/modules/*))
# The Debian architecture that is compiled for, if it is not that of the Debian root; TRIPLET and KROOT then come with it. Programs have
# a place apart.
FOREIGN ?=
B      := build$(FOREIGN:%=/%)
DEST   := $B/dest
# With KROOT the module is for a kernel that lies there (build/, lib/modules/) instead of the Debian root's own, and has
# a place apart, so that neither is compiled anew when the other was.
KROOT  ?=
K      := $B$(if $(KROOT),/kernel-$(KVER))
KDEST  := $K/dest
KBUILD := $(if $(KROOT),$(KROOT)/build,/lib/modules/$(KVER)/build)
UPDATES := /usr/lib/modules/$(KVER)/updates
KUPDATES := $(if $(KROOT),$(KROOT)/lib/modules/$(KVER)/updates,$(UPDATES))
TRIPLET ?= $(shell dpkg-architecture -qDEB_HOST_MULTIARCH)
LIBDIR := /usr/lib/$(TRIPLET)
ifneq ($(FOREIGN),)
CC      := $(TRIPLET)-gcc
AR      := $(TRIPLET)-ar
STRIP   := $(TRIPLET)-strip
CMAKE_FLAGS := -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$(firstword $(subst -, ,$(TRIPLET))) -DCMAKE_C_COMPILER=$(CC)
export PKG_CONFIG_LIBDIR := $(LIBDIR)/pkgconfig:/usr/share/pkgconfig
else
STRIP   := strip
CMAKE_FLAGS :=
endif
# Where tools, manual pages, completions and lessons are installed. What libibverbs, Wireshark, trace-cmd or the kernel look for has
# its place in /usr/lib all the same.
PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/bin
MANDIR := $(PREFIX)/share/man/man8
COMPLETIONS_DIR := $(PREFIX)/share/bash-completion/completions
SYNC   := rsync --recursive --links --perms --times --delete
Q      := $(if $V,,@)

# Copied only when different, so that times tell what is new.
INSTALL := install -C -D

VERSION := $(shell vm/version)
VERSION_H := driver/uapi/glass-version.h
# Manual pages name the version.
MAN = mkdir -p $(@D) && sed -e 's/^\(\.TH .*\)@VERSION@/\1$(VERSION)/'

.PHONY: all products module provider rdma-programs lib tools plugin system dkms glass-vm programs unit check-unit check-simulate modindex manindex

# A tree without tests (packages of vm/: packaging/glass-vm) has no test programs.
all: module provider lib tools plugin $(if $(wildcard tests/programs),programs) modindex manindex

# What is installed (vm/install), apart from the module: debian/rules and glass.spec have it from here, too.
products: provider tools plugin system

# ---- glass.ko
# The sources are copied to build/module (or build/kernel-*/module; times kept, so that kbuild compiles only what changed) and that copy is mounted
# over driver/ while kbuild runs: objects stay out of the source tree, and messages name files as they are called in it.
KBUILD_KEEP := --filter='P *.o' --filter='P *.ko' --filter='P *.mod' --filter='P *.mod.c' --filter='P .*.cmd' \
	--filter='P .module-common.o' --filter='P Module.symvers' --filter='P modules.order' \
	--filter='P *.have' --filter='P /compat/have.h'

# NO_HOOKS=1: without trace events, recorder, captures, injection, lint and strict mode, to measure what they cost when
# they are off (docs/performance.md).
NO_HOOKS ?=
NO_HOOKS_FLAGS := -DNOTRACE -DCONFIG_GLASS_NO_HOOKS=1

module:
	$Qmkdir -p $K/module
	$Q$(SYNC) $(KBUILD_KEEP) driver/ $K/module/
	$Qunshare --mount sh -c 'mount --bind $K/module driver && \
		exec $(MAKE) $(KFLAGS) -C $(KBUILD) M=$(CURDIR)/driver $(if $(NO_HOOKS),KCFLAGS="$(NO_HOOKS_FLAGS)") modules'
	$Qmkdir -p $K/strip
	$Q$(STRIP) --strip-debug -o $K/strip/glass.ko $K/module/glass.ko
	$Q$(INSTALL) -m 644 $K/strip/glass.ko $(KDEST)$(UPDATES)/glass.ko

# The index of modules with glass.ko in it: made here, because under emulation depmod takes its time.
modindex: module
	$Qif [[ ! $K/depmod -nt $(KDEST)$(UPDATES)/glass.ko ]]; then \
		rm -rf $K/depmod; \
		mkdir -p $K/depmod $(KDEST)$(dir $(UPDATES)); \
		unshare --mount sh -c 'mount --bind $(KDEST)$(UPDATES) $(KUPDATES) && \
			depmod $(if $(KROOT),-b $(KROOT)) -o $(CURDIR)/$K/depmod $(KVER)'; \
		find $K/depmod \( -name '*.bin' -o -name modules.softdep \) -exec cp -t $(KDEST)$(dir $(UPDATES)) {} + ; \
		touch $K/depmod; \
	fi

# ---- the provider
# driver.h, which a provider needs, is private to rdma-core: compile inside the source of the installed libibverbs. Without
# CMAKE_SKIP_RPATH the provider would name this build's directory as a place where libibverbs may be.
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
	$Qif [[ ! -e $(RDMA)/build/build.ninja ]] || ! grep -q '^CMAKE_SKIP_RPATH:.*=1$$' $(RDMA)/build/CMakeCache.txt; then \
		cmake -S $(RDMA)/src -B $(RDMA)/build -GNinja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_SKIP_RPATH=1 \
			-Wno-dev -DNO_PYVERBS=1 -DNO_MAN_PAGES=1 -DENABLE_STATIC=0 $(CMAKE_FLAGS) >$(RDMA)/cmake.log || { tail -n 20 $(RDMA)/cmake.log; exit 1; }; \
	fi
	$Qninja --quiet -C $(RDMA)/build lib/libglass-rdmav$(PABI).so
	$Q$(INSTALL) -m 644 $(RDMA)/build/lib/libglass-rdmav$(PABI).so $(DEST)$(LIBDIR)/libibverbs/libglass-rdmav$(PABI).so
	$Qmkdir -p $(DEST)/etc/libibverbs.d
	$Qecho 'driver glass' | cmp -s - $(DEST)/etc/libibverbs.d/glass.driver || \
		echo 'driver glass' >$(DEST)/etc/libibverbs.d/glass.driver

# For a libibverbs that the root does not have: itself, and two programs that use it.
rdma-programs: provider
	$Qninja --quiet -C $(RDMA)/build bin/ibv_devinfo bin/ibv_rc_pingpong

# ---- the plug-in of trace-cmd and perf (libtraceevent)
PLUGIN := $(DEST)$(LIBDIR)/traceevent/plugins/plugin_glass.so

plugin: $(PLUGIN)

$(PLUGIN): $(wildcard tracepoints/plugin/*.[ch]) driver/proto/timing.c $(wildcard driver/uapi/*.h driver/observe/words.h driver/proto/*.h driver/wire/*.h)
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      tracepoints/plugin";) $(CC) -std=gnu11 -shared -fPIC $(CFLAGS) $(WARNINGS) -Idriver \
		$(shell pkg-config --cflags libtraceevent) -o $@ $(filter %.c,$^)

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Werror

# ---- what the tools share: a program links $(TOOLS_LIB) and includes "lib/..." and "uapi/..." with $(TOOLS_FLAGS)
TOOLS_LIB   := $B/lib/libglass-tools.a
TOOLS_FLAGS := -I. -Idriver
LIB_OBJS    := $(patsubst %.c,$B/lib/%.o,$(wildcard lib/*.c lib/*/*.c driver/wire/*.c))

lib: $(TOOLS_LIB)

$(LIB_OBJS): $B/lib/%.o: %.c
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      $*";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) $(TOOLS_FLAGS) -MMD -MP -c -o $@ $<

# made anew: a member whose source is gone must not stay
$(TOOLS_LIB): $(LIB_OBJS)
	$Qrm -f $@
	$Q$(AR) rcs $@ $^

-include $(LIB_OBJS:.o=.d)

# ---- the tools: each is made of the sources of its own folder and of what tools share
TOOLS_BIN := $(DEST)$(SBINDIR)

# Each source is compiled to its own object: there are many sources, and usually one changes.
TOOL_OBJS  = $(patsubst %.c,$B/tools/%.o,$(wildcard $(1)))
TOOLS_OBJS := $(call TOOL_OBJS,ibcap/*.c ibfabric/*.c ibfabric/*/*.c ibinject/*.c iblint/*.c ibtop/*.c ibtop/*/*.c ibwhy/*.c driver/rules/*.c)

$(TOOLS_OBJS): $B/tools/%.o: %.c
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      $*";) $(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(TOOLS_FLAGS) -MMD -MP -c -o $@ $<

-include $(TOOLS_OBJS:.o=.d)

EXTCAP    := $(DEST)$(LIBDIR)/wireshark/extcap/ibcap

tools: $(TOOLS_BIN)/ibcap $(EXTCAP) $(TOOLS_BIN)/ibfabric $(TOOLS_BIN)/ibinject $(TOOLS_BIN)/iblint $(TOOLS_BIN)/ibtop $(TOOLS_BIN)/ibwhy \
	$(DEST)$(dir $(MANDIR))man7/glass.7 $(addprefix $(DEST)$(MANDIR)/,ibcap.8 ibfabric.8 ibinject.8 iblint.8 ibtop.8 ibwhy.8) \
	$(addprefix $(DEST)$(COMPLETIONS_DIR)/,ibfabric iblint ibtop ibwhy)

$(TOOLS_BIN)/ibcap: $(call TOOL_OBJS,ibcap/*.c) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljson-c

# Wireshark asks every program in this directory which interfaces it has.
$(EXTCAP): $(TOOLS_BIN)/ibcap
	@mkdir -p $(@D)
	$Qln -sf $(SBINDIR)/ibcap $@

$(DEST)$(dir $(MANDIR))man7/glass.7: docs/glass.7 $(VERSION_H)
	$Q$(MAN) $< >$@

$(DEST)$(MANDIR)/ibcap.8: ibcap/ibcap.8 $(VERSION_H)
	$Q$(MAN) $< >$@

$(TOOLS_BIN)/ibfabric: $(call TOOL_OBJS,ibfabric/*.c ibfabric/*/*.c) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljson-c -lm

$(DEST)$(MANDIR)/ibfabric.8: ibfabric/ibfabric.8 $(VERSION_H)
	$Q$(MAN) $< >$@

$(DEST)$(COMPLETIONS_DIR)/ibfabric: ibfabric/completion.bash
	$Q$(INSTALL) -m 644 $< $@

# With the driver's own parser of rules.
$(TOOLS_BIN)/ibinject: $(call TOOL_OBJS,ibinject/*.c driver/rules/*.c) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljson-c -lyaml

$(DEST)$(MANDIR)/ibinject.8: ibinject/ibinject.8 $(VERSION_H)
	$Q$(MAN) $< >$@

# What a code means is read by iblint --explain from the lessons that are installed with it.
LESSONS_DIR := $(PREFIX)/share/glass/pitfalls
LESSONS     := $(patsubst docs/pitfalls/%,$(DEST)$(LESSONS_DIR)/%,$(wildcard docs/pitfalls/GL*.md))

tools: $(LESSONS)

# With the driver's own patterns of names.
$(TOOLS_BIN)/iblint: $(call TOOL_OBJS,iblint/*.c driver/rules/word.c) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljson-c -ldw -lelf

$B/tools/iblint/explain.o: TOOLS_FLAGS += -DIBLINT_LESSONS='"$(LESSONS_DIR)"'
$B/tools/iblint/explain.o: $B/tools/.lessons

# Another PREFIX compiles it anew.
$B/tools/.lessons: FORCE
	@mkdir -p $(@D)
	@echo '$(LESSONS_DIR)' | cmp -s - $@ || echo '$(LESSONS_DIR)' >$@

FORCE:

$(LESSONS): $(DEST)$(LESSONS_DIR)/%: docs/pitfalls/%
	$Q$(INSTALL) -m 644 $< $@

$(DEST)$(MANDIR)/iblint.8: iblint/iblint.8 $(VERSION_H)
	$Q$(MAN) $< >$@

$(DEST)$(COMPLETIONS_DIR)/iblint: iblint/completion.bash
	$Q$(INSTALL) -m 644 $< $@

$(TOOLS_BIN)/ibtop: $(call TOOL_OBJS,ibtop/*.c ibtop/*/*.c) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lmnl -lncursesw -ltinfo -lm

$(DEST)$(MANDIR)/ibtop.8: ibtop/ibtop.8 $(VERSION_H)
	$Q$(MAN) $< >$@

$(DEST)$(COMPLETIONS_DIR)/ibtop: ibtop/completion.bash
	$Q$(INSTALL) -m 644 $< $@

$(TOOLS_BIN)/ibwhy: $(call TOOL_OBJS,ibwhy/*.c) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljson-c -lmnl -ldw -lelf

$(DEST)$(MANDIR)/ibwhy.8: ibwhy/ibwhy.8 $(VERSION_H)
	$Q$(MAN) $< >$@

$(DEST)$(COMPLETIONS_DIR)/ibwhy: ibwhy/completion.bash
	$Q$(INSTALL) -m 644 $< $@

# ---- the BPF tools: bpf/NAME.bpf.c is compiled to a skeleton, which bpf/NAME.c loads; bpf/common/ is theirs in common
BPF_TOOLS := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
BPF       := $B/bpf
BPF_ARCH  := $(or $(FOREIGN),$(shell dpkg-architecture -qDEB_HOST_ARCH_CPU | sed 's/amd64/x86/'))
BPF_OBJS  := $(patsubst bpf/common/%.c,$(BPF)/common/%.o,$(wildcard bpf/common/*.c))
BPF_FLAGS := $(TOOLS_FLAGS) -Ibpf -I$(BPF)
# usdt.bpf.h wants <linux/errno.h>, which Debian has below the architecture's name
BPF_INCLUDE := -idirafter /usr/include/$(shell $(CC) -print-multiarch)

tools: $(BPF_TOOLS:%=$(TOOLS_BIN)/%) $(BPF_TOOLS:%=$(DEST)$(MANDIR)/%.8)

# The types of the kernel, from its own type information. What is compiled runs on others, too: with KROOT it is the Debian
# root's own all the same.
BPF_KVER := $(if $(KROOT),$(notdir $(firstword $(wildcard /lib/modules/*))),$(KVER))

$(BPF)/vmlinux.h: bpf/kernel-btf
	@mkdir -p $(@D)
	$(if $V,,@echo "  BTF     $@";) $(if $(FOREIGN),cp $(KBUILD)/vmlinux,bpf/kernel-btf $(BPF_KVER)) $(BPF)/vmlinux.btf
	$Qbpftool btf dump file $(BPF)/vmlinux.btf format c >$@

$(BPF)/%.bpf.o: bpf/%.bpf.c $(BPF)/vmlinux.h
	$(if $V,,@echo "  BPF     $*";) clang -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -O2 -g -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter \
		-Wno-missing-declarations $(BPF_FLAGS) $(BPF_INCLUDE) -MMD -MP -c -o $(BPF)/$*.full.o $<
	$Qsed -i 's|^[^ ]*\.full\.o:|$@:|' $(BPF)/$*.full.d
	$Qbpftool gen object $@ $(BPF)/$*.full.o

$(BPF)/%.skel.h: $(BPF)/%.bpf.o
	$Qbpftool gen skeleton $< name $(*F)_bpf >$@

$(BPF_OBJS): $(BPF)/common/%.o: bpf/common/%.c
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      bpf/common/$*";) $(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(BPF_FLAGS) -MMD -MP -c -o $@ $<

$(BPF)/%.o: bpf/%.c $(BPF)/%.skel.h
	$(if $V,,@echo "  CC      bpf/$*";) $(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(BPF_FLAGS) -MMD -MP -c -o $@ $<

$(BPF_TOOLS:%=$(TOOLS_BIN)/%): $(TOOLS_BIN)/%: $(BPF)/%.o $(BPF_OBJS) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lbpf -lelf -lz -ljson-c -lmnl

.SECONDARY: $(BPF_TOOLS:%=$(BPF)/%.bpf.o) $(BPF_TOOLS:%=$(BPF)/%.skel.h) $(BPF_TOOLS:%=$(BPF)/%.o)

-include $(BPF_OBJS:.o=.d) $(BPF_TOOLS:%=$(BPF)/%.d) $(BPF_TOOLS:%=$(BPF)/%.full.d)

# What they have in common stands in one place.
$(BPF_TOOLS:%=$(DEST)$(MANDIR)/%.8): $(DEST)$(MANDIR)/%.8: bpf/%.8 bpf/common/options.8 $(VERSION_H)
	$Q$(MAN) -e '/^\.\\" OPTIONS OF ALL$$/{r bpf/common/options.8' -e 'd}' $< >$@

# The index of the manual pages, for apropos: made here as that of the modules. /usr/local/man is the same folder by another name
# (oldlocal), by which man-db looks for it first.
MAN_INDEX := $(DEST)/var/cache/man/oldlocal/index.db

manindex: $(MAN_INDEX)

$(MAN_INDEX): tools
	$Qif [[ ! -e $@ || -n $$(find $(DEST)/usr/local/share/man -newer $@ -print -quit) ]]; then \
		mkdir -p $(@D) $(DEST)/var/cache/man/local; \
		unshare --mount sh -c 'mount --bind $(DEST)/usr/local/share/man /usr/local/share/man && \
			mount -t tmpfs -o mode=755 man /var/cache/man && mandb --quiet --create /usr/local/share/man && \
			cp /var/cache/man/local/index.db $@'; \
		ln -sf ../oldlocal/index.db $(DEST)/var/cache/man/local/index.db; \
	fi

# ---- the rest of an installation
# A tool that has no completion of its own has the common one.
COMMON_COMPLETIONS := $(addprefix $(DEST)$(COMPLETIONS_DIR)/,ibcap ibinject $(BPF_TOOLS))
PROFILES := $(patsubst tracepoints/%,$(DEST)$(PREFIX)/share/glass/%,$(wildcard tracepoints/profiles/*))
UNIT     := $(DEST)/usr/lib/systemd/system/glass.service
LIMITS   := $(DEST)/etc/security/limits.d/glass.conf

system: $(COMMON_COMPLETIONS) $(PROFILES) $(UNIT) $(LIMITS)

$(COMMON_COMPLETIONS): packaging/completion/tools.bash
	$Q$(INSTALL) -m 644 $< $@

$(PROFILES): $(DEST)$(PREFIX)/share/glass/profiles/%: tracepoints/profiles/%
	$Q$(INSTALL) -m 755 $< $@

$(UNIT): packaging/system/glass.service
	$Q$(INSTALL) -m 644 $< $@

$(LIMITS): packaging/system/limits.conf
	$Q$(INSTALL) -m 644 $< $@

# The module's source, for DKMS.
DKMS := $(DEST)/usr/src/glass-$(VERSION)

dkms:
	$Qmkdir -p $(DKMS)
	$Q$(SYNC) --delete-excluded --chmod=D755,F644 --include='*/' --include='*.[ch]' --include=Kbuild --exclude='*' driver/ $(DKMS)/
	$Qsed 's/#MODULE_VERSION#/$(VERSION)/' packaging/dkms.conf >$(DKMS)/dkms.conf

# A tree without tests, for glass-vm: what vm/vm builds and boots a guest from.
VM_TREE  := $(PREFIX)/share/glass/tree
VM_PARTS := COPYING LICENSES bpf ci docs/glass.7 docs/pitfalls driver ibcap ibfabric ibinject iblint ibtop ibwhy lib provider tracepoints/plugin tracepoints/profiles vm

glass-vm:
	$Qmkdir -p $(DEST)$(VM_TREE)/build $(DEST)$(PREFIX)/bin $(DEST)$(PREFIX)/share/man/man1
	$Q$(SYNC) --relative --chmod=Du=rwx,go=rX --exclude=/bpf/bpftrace $(VM_PARTS) $(DEST)$(VM_TREE)/
	$Qsed 's|@TREE@|$(VM_TREE)|; s|@VERSION@|$(VERSION)|' packaging/vm/glass-vm >$(DEST)$(PREFIX)/bin/glass-vm
	$Qchmod 755 $(DEST)$(PREFIX)/bin/glass-vm
	$Q$(MAN) packaging/vm/glass-vm.1 >$(DEST)$(PREFIX)/share/man/man1/glass-vm.1

# ---- test programs for the guest: each tests/programs/NAME.c is one program
PROGRAMS := $(patsubst tests/programs/%.c,%,$(wildcard tests/programs/*.c))

programs: $(PROGRAMS:%=$(DEST)/usr/local/bin/%)

$(DEST)/usr/local/bin/%: tests/programs/%.c $(wildcard tests/programs/*.h driver/uapi/*.h)
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      tests/programs/$*";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -Itests/programs -Idriver \
		-o $@ $< $(filter %.a,$^) -libverbs -lrdmacm -lpthread

# They build packets.
$(DEST)/usr/local/bin/datagrams $(DEST)/usr/local/bin/frames: $(TOOLS_LIB)

# ---- kernel consumers for the guest: each tests/modules/NAME.c is one module, which a test loads by its path
TEST_MODULES := $(patsubst tests/modules/%.c,$(KDEST)/usr/local/lib/glass/%.ko,$(wildcard tests/modules/*.c))

programs: $(TEST_MODULES)

$(TEST_MODULES) &: $(wildcard tests/modules/*)
	$Qmkdir -p $K/test-modules
	$Q$(SYNC) $(KBUILD_KEEP) tests/modules/ $K/test-modules/
	$Q$(MAKE) $(KFLAGS) -C $(KBUILD) M=$(CURDIR)/$K/test-modules modules
	$Qfor name in $(notdir $(TEST_MODULES)); do install -D -m 644 "$K/test-modules/$$name" "$(KDEST)/usr/local/lib/glass/$$name"; done

# The lessons of docs/pitfalls: each tests/pitfalls/GL0xx_bad.c and GL0xx_good.c is a program.
PITFALLS := $(patsubst tests/pitfalls/%.c,%,$(wildcard tests/pitfalls/*.c))

programs: $(PITFALLS:%=$(DEST)/usr/local/bin/%)

$(PITFALLS:%=$(DEST)/usr/local/bin/%): $(DEST)/usr/local/bin/%: tests/pitfalls/%.c tests/pitfalls/pitfall.h
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      tests/pitfalls/$*";) $(CC) -std=gnu11 -O1 -s $(WARNINGS) -o $@ $< -libverbs

# The bad ones again, as users compile them: for suite where, which asks for the lines of their mistakes
WHERE_PITFALLS := $(patsubst tests/pitfalls/%.c,$(DEST)/usr/local/lib/glass/where/%,$(wildcard tests/pitfalls/*_bad.c))

programs: $(WHERE_PITFALLS)

$(WHERE_PITFALLS): $(DEST)/usr/local/lib/glass/where/%: tests/pitfalls/%.c tests/pitfalls/pitfall.h
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      where/$*";) $(CC) -std=gnu11 -O2 -g $(WARNINGS) -o $@ $< -libverbs

# Pairs of programs, a server and a client, for the same suite
PAIRS := $(patsubst tests/pairs/%.c,$(DEST)/usr/local/lib/glass/pairs/%,$(wildcard tests/pairs/*.c))

programs: $(PAIRS)

$(PAIRS): $(DEST)/usr/local/lib/glass/pairs/%: tests/pairs/%.c tests/pairs/pair.h tests/pitfalls/pitfall.h
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      pairs/$*";) $(CC) -std=gnu11 -O2 -g $(WARNINGS) -Itests/pitfalls -o $@ $< -libverbs

# The fuzzer of the kernel's door
DOOR := $(DEST)/usr/local/bin/door_fuzz

programs: $(DOOR)

$(DOOR): $(wildcard tests/door/*.[ch] driver/uapi/*.h) $(TOOLS_LIB)
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      tests/door";) $(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(TOOLS_FLAGS) \
		-o $@ $(filter %.c %.a,$^) -lpthread

# What bench/run compares with: bench/NAME.c is the program bench_NAME.
BENCHES := $(patsubst bench/%.c,bench_%,$(wildcard bench/*.c))

programs: $(BENCHES:%=$(DEST)/usr/local/bin/%)

$(DEST)/usr/local/bin/bench_%: bench/%.c
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      bench/$*";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -o $@ $<

# What bench/instructions preloads into the programs that it measures. Its marks are instructions of x86-64.
ifeq ($(FOREIGN),)
MARKS := $(DEST)/usr/local/lib/glass/bench_marks.so

programs: $(MARKS)

$(MARKS): bench/marks/marks.c vm/plugin/marks.h
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      bench/marks";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -shared -fPIC -fvisibility=hidden -Ivm/plugin -o $@ $<

# What only bench/setup needs: a device that does nothing, and the program that sets up objects of such a device and of Glass.
.PHONY: empty
empty: $(DEST)/usr/local/bin/bench_set_up $(KDEST)/usr/local/lib/glass/empty.ko

$(DEST)/usr/local/bin/bench_set_up: bench/empty/set_up.c vm/plugin/marks.h tests/programs/vt.h
	@mkdir -p $(@D)
	$(if $V,,@echo "  CC      bench/empty/set_up";) $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -Ivm/plugin -Itests/programs -o $@ $< -libverbs

$(KDEST)/usr/local/lib/glass/empty.ko: bench/empty/empty.c bench/empty/Kbuild $(KBUILD)/Module.symvers
	$Qmkdir -p $K/empty
	$Q$(SYNC) $(KBUILD_KEEP) --exclude=set_up.c bench/empty/ $K/empty/
	$Q$(MAKE) $(KFLAGS) -C $(KBUILD) M=$(CURDIR)/$K/empty modules
	$Qinstall -D -m 644 $K/empty/empty.ko $@
endif

# ---- unit tests of the pure core, in user space
unit:
	$Q$(MAKE) -C tests/unit BUILD=$(CURDIR)/$B/unit

check-unit:
	$Q$(MAKE) -C tests/unit BUILD=$(CURDIR)/$B/unit check

# ---- the simulation of the pure core
check-simulate:
	$Q$(MAKE) -C tests/simulate BUILD=$(CURDIR)/$B/simulate check
