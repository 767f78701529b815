# SPDX-License-Identifier: GPL-2.0-only
# Glass. `make help` lists what there is. Everything but `make install` and `make uninstall` happens in a Debian root and
# a throw-away guest that vm/vm prepares: this machine needs apt and make, and nothing is installed on it but
# mmdebstrap.

.DEFAULT_GOAL := all
PAGES = inject-doc debugfs-doc lint-doc opcode-doc pitfalls doc-files
.PHONY: all demo pages check check-all check-static check-unit check-models simulate fuzz check-guest check-debug check-kernels check-matrix check-install check-arm64 check-long soak sweeps fuzz-kernel bench bench-overhead bench-instructions bench-setup bench-all scale shell deb guest-image oci-image install uninstall clean help
# For vm/install.
export PREFIX SBINDIR DESTDIR KVER
# What these do in parallel is up to vm/tree.mk.
.NOTPARALLEL:

all: ## build module, provider and test programs (into build/)
	@vm/vm make all

demo: ## watch a message cross Glass, and break it; leaves the report of a failure in build/demo
	@vm/vm run --timeout 600 --out build/demo -- demo/tour build/demo

pages: all ## make anew the parts of docs that are made from tables
	@for page in $(PAGES); do tests/checks/$$page --write || exit 1; done
	@vm/vm chroot -- tests/checks/calls --write
	@for test in filter_docs ibtop_docs; do vm/vm chroot -- env GLASS_UPDATE=1 make -s -C tests/unit check T=$$test BUILD=/glass/build/unit >/dev/null || exit 1; done
	@vm/vm run --out build/pages -- sh -c 'tracepoints/generate >"$$OUT/README.md"'
	@cmp -s build/pages/README.md tracepoints/README.md || cp build/pages/README.md tracepoints/README.md

check: ## the tests, about 25 minutes on two cores without KVM; the last line is "N passed, N failed, N skipped"
	@tests/run $(TESTS)

check-all: ## check's tests, a quarter of the core suites on the debug kernel and, by turns, the long ones, Linux 6.1, the packages, the guest's contract (TESTS='-j 1': in one guest at a time)
	@tests/run $(TESTS) static unit fuzz models instructions guest turn debug

check-static: ## the checks of the sources and of the object code alone
	@tests/run static

check-unit: ## the protocol core's unit tests alone (ASan, UBSan)
	@tests/run unit

simulate: ## the core with many nodes, switches and faults, in virtual time (SEEDS=100000, SEED=N for one); 2000 are in check-unit
	@tests/simulate/run $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),2000))

fuzz: ## coverage-guided fuzzing of the core and of what tools read (TARGET=mad, SECONDS=10 of each); prints line coverage
	@tests/fuzz/run $(if $(SECONDS),--seconds $(SECONDS)) $(TARGET)

check-models: ## the models of memory order alone (herd7; fetches it the first time)
	@tests/run models

check-guest: ## the tests in the guest alone, the long ones, too
	@tests/run guest long

check-debug: ## the tests in a guest with the debug kernel (KASAN, lockdep, kmemleak; builds it the first time)
	@tests/run --kernel debug guest long

check-kernels: ## the core suites with preempt=none and preempt=full, on Debian's real-time kernel and with KCSAN (builds one kernel)
	@tests/run $(TESTS) kernels

check-matrix: ## module and core suites on the kernels 6.1, 6.12 and the newest of Debian
	@tests/run $(TESTS) matrix

check-arm64: ## the core suites in an emulated guest of arm64, with pages of 4 KiB and of 16 KiB (makes its root the first time: 20 minutes or more)
	@tests/run $(TESTS) arm64

check-install: ## the packages of each Debian, installed, used, upgraded and purged on a clean guest of it
	@tests/run $(TESTS) install

check-long: check-kernels check-matrix check-install check-arm64 ## what check-all has no time for or takes by turns: other kernels, all long tests, and whether planted bugs of the core are found; by hand
	@tests/run $(TESTS) vm packages long debug-whole
	@tests/simulate/run --planted
	@tests/fuzz/planted/run

fuzz-kernel: ## fuzz what programs can ask of the kernel, on the debug kernel with KCOV (SECONDS=300; findings in build/door)
	@tests/door/run $(SECONDS)

soak: ## chaos under traffic of all sorts, in rounds of five minutes, longer ones on slow kernels (MINUTES=5 of faults, SEED=N, KERNEL=stable|debug|race)
	@tests/run -j 1 $(if $(KERNEL),--kernel $(KERNEL)) --timeout $$((3000 + 600 * $(or $(MINUTES),5))) --append "soak=$(or $(MINUTES),5)$(if $(SEED), soak_seed=$(SEED))" soak

sweeps: ## each fault in programs of others, hours; results in build/sweeps (PROGRAMS="rping ucx_rc" LIMIT=60 ACTIONS=drop,qp_fatal)
	@LIMIT=$(LIMIT) ACTIONS=$(ACTIONS) tests/sweeps/start $(PROGRAMS)

bench: ## Glass beside rxe, under 15 minutes; values in build/bench/bench.json (BENCH=--quick: 2 minutes)
	@mkdir -p build/bench
	@vm/vm run --timeout 1800 --out build/bench -- bench/run $(BENCH)

bench-overhead: ## what observers cost in instructions, in pairs; about 10 minutes (build/bench/overhead.json)
	@mkdir -p build/bench
	@vm/vm run --icount --timeout 3000 --out build/bench -- bench/overhead --pairs 6 $(BENCH)

bench-instructions: ## instructions a message, by whose code; about a minute (build/bench/instructions.json)
	@mkdir -p build/bench
	@rm -f build/bench/instructions.tsv
	@vm/vm run --icount --counts --timeout 900 --out build/bench -- bench/instructions $(BENCH)
	@[ ! -e build/bench/instructions.tsv ] || mv build/bench/instructions.tsv bench/

# What stands idle beside the counted messages of `make scale`.
IDLE = --beside 'many_pairs -n 5000 --wait' --beside 'many_qps --cqs -n 10000 -s 1 --wait' --beside 'many_regions -n 10000 -m 10000 --wait' --beside 'many_groups -n 2000 --wait'

scale: ## what as many objects as there may be take: time, memory, looking at them, and instructions of messages beside them (build/bench/scale*.json)
	@mkdir -p build/bench
	@vm/vm run --mem 12G --timeout 7200 --out build/bench -- bench/scale $(BENCH)
	@vm/vm run --icount --counts --timeout 1800 --out build/bench -- sh -c 'exec bench/instructions --json "$$OUT/scale-instructions.json" "$$@"' - --row write_bw/64 $(IDLE)

bench-setup: ## what it takes to set up QPs and a region, beside a driver that does nothing; about 3 minutes (build/bench/setup.json)
	@mkdir -p build/bench
	@vm/vm make -s empty
	@vm/vm run --icount --counts --mem 4G --timeout 1200 --out build/bench -- bench/setup $(BENCH)

bench-all: bench bench-overhead bench-instructions bench-setup ## all four

shell: ## an interactive guest with Glass loaded
	@vm/vm shell

deb: ## Debian packages, in build/deb (SUITE=bookworm: for Debian 12, in build/deb-bookworm)
	@vm/vm deb $(SUITE)

guest-image: ## the guest as one file for any machine, in build/guest (KERNEL=oldstable: with another kernel; docs/ci.md)
	@vm/vm image $(if $(KERNEL),--kernel "$(KERNEL)")

oci-image: ## that guest in a container image for podman and docker, in build/guest (vm/vm oci; docs/ci.md)
	@vm/vm oci

install: ## build and install module, provider and tools on this running Debian machine (as root; PREFIX=/usr/local, DESTDIR=)
	@vm/install

uninstall: ## take them off again (as root)
	@vm/install --uninstall

clean: ## remove what was built in this tree (vm/vm clean --all: the cached guest, too)
	@vm/vm clean

help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22
	@echo
	@echo 'One guest, one command:  vm/vm run -- COMMAND...   (vm/vm help)'
	@echo 'Some of the tests:       tests/run [-k PATTERN] [SUITE]...   (tests/run --help)'
