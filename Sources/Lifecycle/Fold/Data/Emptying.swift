// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

extension Names {
  /// Whether a site is where a program empties a file to write it anew, as `record --observe` calls it.
  package borrowing func isEmptying(_ site: SiteID) -> Bool {
    self[self[site].name] == "truncation"
  }
}
