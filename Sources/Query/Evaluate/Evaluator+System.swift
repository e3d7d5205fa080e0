// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension Evaluator {
  /// A field of the time that the system has set for what is called so; nil where none runs.
  ///
  /// Callbacks are found by any of their names: `callback` is the number of the one that a name means. Of
  /// several the one that began first counts.
  func systemBudget(
    called name: UInt64,
    _ callback: Int32,
    _ field: RowField,
    _ event: borrowing Event,
    _ state: borrowing LifeState
  ) -> Scalar? {
    guard let system else { return nil }
    var found: (budget: SystemBudget, family: EventFamily, name: UInt64)?
    system.each(
      in: state,
      at: event.time,
      reason: { reasons[$0.word] ?? "" },
      callback: callback(of:)
    ) { budget in
      let (family, own, isMeant): (EventFamily, UInt64, Bool) =
        switch budget.source {
        case .wake(let wake): (.wake, wake.reason.word, wake.reason.word == name)
        case .task(let task): (.task, task.name.word, task.name.word == name)
        case .callback(let span, let meant):
          (
            .callback, siteName(span.site).bits,
            siteName(span.site).bits == name
              || callback >= 0 && Callback.allCases[Int(callback)] == meant
          )
        }
      guard isMeant, found.map({ budget.sequence < $0.budget.sequence }) ?? true else { return }
      found = (budget, family, own)
    }
    guard let found else { return nil }
    let budget = found.budget
    // For how long it stood, missing events of the state leave open.
    guard state.completeness[found.family].covers(budget.time),
      state.completeness[.state].covers(budget.time)
    else { return .unknown }
    let limit = system.scaled(budget.nominal)
    switch field.name {
    case "left":
      var left = Scalar(limit.subtractingSaturated(budget.used))
      left.slope = budget.runs ? -1 : 0
      return left
    case "age":
      var age = Scalar(max(0, event.time - budget.time))
      age.slope = 1
      return age
    case "budget": return Scalar(limit)
    case "what": return Scalar(found.name)
    case "cpu": return Scalar(false)
    default: return .absent
    }
  }

  /// Reasons of wakes that have a time of their own, or none.
  static let reasons = ["processing", "bluetooth", "voip", "location"]

  private func callback(of site: SiteID) -> Callback? {
    let number = site.rawValue < siteCallbacks.count ? siteCallbacks[Int(site.rawValue)] : -1
    return number < 0 ? nil : Callback.allCases[Int(number)]
  }

  /// Whether nothing is missing that may have begun something with a time of the system's.
  func knowsSystemBudgets(_ state: borrowing LifeState) -> Bool {
    guard system != nil else { return true }
    for family in SystemLimits.families where !state.completeness[family].isWhole { return false }
    return true
  }
}
