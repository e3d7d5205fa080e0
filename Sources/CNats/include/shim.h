// SPDX-License-Identifier: Apache-2.0
// The client of NATS (libnats-dev 3.4.1 in Debian 12), behind the trait NATS.
#include <nats/nats.h>
// What it encrypts with, to say how that ends.
#include <openssl/crypto.h>
