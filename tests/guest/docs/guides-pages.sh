# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 250
# long: each command block of the pages about interfaces and fabrics, each in a fresh state
# As guides.sh.

# shellcheck source=tests/lib/docs.sh
. "$TESTS/lib/docs.sh"

test_ibfabric() { guide docs/ibfabric.md; }
test_hosts() { guide docs/hosts.md; }
test_roce() { guide docs/roce.md; }
test_faq() { guide docs/faq.md; }
test_debugfs() { guide docs/debugfs.md; }
test_filter() { guide docs/filter.md; }
test_security() { guide docs/security.md; }
test_abi() { guide docs/abi.md; }
test_fabric_abi() { guide docs/fabric-abi.md; }
test_inject_abi() { guide docs/inject-abi.md; }
test_lint_abi() { guide docs/lint-abi.md; }
