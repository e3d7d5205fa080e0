// SPDX-License-Identifier: Apache-2.0

/// How many processors are online; at least one.
package func availableCores() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
