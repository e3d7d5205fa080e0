// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
import LifetraceTrace
package import LifetraceWords

extension Wording {
  /// Of what there was more than is followed, so that what is counted is the least that there is; nil
  /// where all of it is.
  ///
  ///     Wording.bounds(of: state)   // more than 32,768 data objects at once; the rest is not followed
  package static func bounds(
    of state: borrowing LifeState,
    _ tables: [BoundedTable] = BoundedTable.allCases
  ) -> String? {
    var full: [BoundedTable] = []
    for table in tables where state.isFull(table) { full.append(table) }
    guard !full.isEmpty else { return nil }
    let those = full.map { Quantity.count($0.max, $0.thing) }
    return "more than \(list(those)) at once; the rest is not followed"
  }
}
