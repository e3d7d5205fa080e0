// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace
package import LifetraceWords

extension Wording {
  /// Since the first event of a recording, to the millisecond: `+2.104 s`.
  package static func time(_ time: TraceTime, digits: Int = 3) -> String {
    Quantity.sinceStart(time.rawValue, digits: digits) + " s"
  }
}
