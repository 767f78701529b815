# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The tables of tests/tables/, row by row on the real devices.

TABLES=$TESTS/tables

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

test_transitions() { state_table "$TABLES/transitions.tsv"; }
test_attributes() { state_table "$TABLES/transitions.tsv" "$TABLES/attributes.tsv"; }

LIMIT_test_errors=180
test_errors() { error_table "$TABLES/errors.tsv"; }
