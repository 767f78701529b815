# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The verbs one by one, and programs that write nonsense into what they share with the driver (tests/programs/).

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# checks PROGRAM OPTION...: every check of the program must pass, and none be skipped.
checks()
{
	"$@" | tee checks.log
	assert_no_match "$(<checks.log)" '(^|'$'\n'')(skip|not ok) ' "a check"
	assert_match "$(<checks.log)" '(^|'$'\n'')[1-9][0-9]* passed, 0 failed'
}

LIMIT=300
test_verbs() { checks verbs_check; }
test_verbs_within_one_adapter() { checks verbs_check --a glass0 --b glass0; }
test_verbs_between_second_ports() { checks verbs_check --a-port 2 --b-port 2; }

test_abused_rings()
{
	local seed
	for seed in 1 2 3; do
		checks ring_abuse --seed "$seed"
	done
}

test_abused_rings_within_one_adapter() { checks ring_abuse --a glass0 --b glass0; }
