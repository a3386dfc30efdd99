# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The misfortunes of test_flowshop_cluster.sh.
has_misfortunes=yes
# shellcheck source=/dev/null
. "$(dirname "$script")/test_flowshop_cluster.sh"
