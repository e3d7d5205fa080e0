// SPDX-License-Identifier: Apache-2.0
// The client of NATS (libnats-dev 3.4.1 in Debian 12), behind the trait NATS.
#include <nats/nats.h>
