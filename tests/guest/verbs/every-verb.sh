# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 215
# The verbs one by one, and programs that write nonsense into what they share with the driver (tests/programs/).

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# checks PROGRAM OPTION...: every check of the program must pass, and none be skipped but for what the kernel lacks.
checks()
{
	local seen check
	"$@" | tee checks.log
	seen=$(<checks.log)
	for check in rc_flush rc_atomic_write; do
		has_flush || seen=${seen/skip $check: a device has no FLUSH or no ATOMIC WRITE/}
	done
	grep -q ' udmabuf_' /proc/kallsyms || seen=${seen/skip dmabuf_mr: no \/dev\/udmabuf/}
	assert_no_match "$seen" '(^|'$'\n'')(skip|not ok) ' "a check"
	assert_match "$seen" '(^|'$'\n'')[1-9][0-9]* passed, 0 failed'
}

test_dmabuf()
{
	grep -q ' udmabuf_' /proc/kallsyms || skip "this kernel has no udmabuf"
	checks verbs_check -t dmabuf_mr
}

LIMIT=300
test_verbs() { checks verbs_check; }
test_verbs_within_one_adapter() { checks verbs_check --a glass0 --b glass0; }
test_verbs_between_second_ports() { checks verbs_check --a-port 2 --b-port 2; }

# A CQ or an SRQ gets another size while other threads poll it, sleep until it has a completion, or post to it.
test_resize_while_polled() { resize_race -n 1000 poll; }
test_resize_while_asleep() { resize_race -n 300 sleep; }
test_resize_while_posting() { resize_race -n 300 post; }
# A limit that is set while the SRQ shrinks is never beyond its size.
test_resize_while_the_limit_is_set() { resize_race -n 40 -k "$GLASS_DEBUGFS/glass0/behavior/srq_shuffle" limit; }
# A receive that strict mode exchanges while it is copied is neither lost nor used twice.
test_resize_while_receives_are_shuffled() { resize_race -n 3 -k "$GLASS_DEBUGFS/glass0/behavior/srq_shuffle" shuffle; }

# A post between any two instructions of a resize, and the other way round, is not refused and meets no unmapped ring. (A
# post while the old ring was gone and the new one not yet there got ENOMEM; one that was waiting when the new one could
# not be mapped crashed.)
test_post_at_each_step_of_resize() { resize_steps resize; }
test_resize_at_each_step_of_post() { resize_steps post; }

# raced_under_lint VERB: a QP is destroyed while another thread is in the middle of the verb, which lint looks at
raced_under_lint()
{
	local lint=$GLASS_DEBUGFS/glass0/lint status=0
	echo 'add all' >"$lint/scope"
	qp_races "$1" || status=$?
	echo clear >"$lint/scope"
	echo 1 >"$lint/clear"
	((status == 0)) || fail "status $status"
}

# (destroy_ah and reg_mr looked at QPs that were freed.)
test_destroy_ah_while_its_qp_goes() { raced_under_lint ah; }
test_reg_mr_while_a_qp_goes() { raced_under_lint mr; }

# The driver gives the number of a QP away before the provider has dropped its completions. (Those of the young QP went, too.)
test_a_number_given_again_while_its_qp_goes()
{
	local knob=$GLASS_DEBUGFS/glass0/behavior/qpn_reuse status=0
	echo 1 >"$knob"
	# a freed QP's memory is the next one's, whatever else is free
	GLIBC_TUNABLES=glibc.malloc.tcache_count=0 qp_races number "$GLASS_DEBUGFS/glass0/inject/rules" || status=$?
	echo 0 >"$knob"
	quiet
	((status == 0)) || fail "status $status"
}

# Whoever asks for more than there is takes nothing from others, not even for a moment.
test_device_memory_at_the_limit() { at_limit; }

# Rings share mappings (they had one each: 2001 here), and all memory comes back.
test_mappings_are_few()
{
	many_qps -n 1000 >many.log
	cat many.log
	(("$(awk '{ print $8 }' many.log)" < 50)) || fail "too many mappings: $(<many.log)"
}

# And the memory of large ones comes back while the program still has others. (The provider kept it mapped.)
test_large_rings_go() { large_rings; }

test_abused_rings()
{
	local seed
	for seed in 1 2 3; do
		checks ring_abuse --seed "$seed"
	done
}

test_abused_rings_within_one_adapter() { checks ring_abuse --a glass0 --b glass0; }
