// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// What a field of a row is read with.
struct Moment {
  /// When it is asked, on the clock of the writer.
  var now: HostTime
  /// The name of each site, as a number of a name.
  var siteNames: UnsafeBufferPointer<UInt32>

  func name(of site: SiteID) -> Scalar {
    let index = Int(site.rawValue)
    guard index < siteNames.count, siteNames[index] != 0 else { return .absent }
    return Scalar(UInt64(siteNames[index]))
  }

  /// How long ago it was; what lies ahead counts as now.
  func age(_ time: HostTime) -> Scalar { Scalar(max(0, now - time)) }

  func text(_ id: NameID) -> Scalar { Scalar(id.word) }
}
