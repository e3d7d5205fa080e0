// SPDX-License-Identifier: Apache-2.0
// libyaml reads scenarios and profiles: it gives line and column for every node.
#include <yaml.h>
