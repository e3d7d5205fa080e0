// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

extension ProcessRole {
  /// What a process is, as people say it.
  package var word: String { self == .harness ? "device" : "\(self)" }
}
