// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

extension AppState {
  /// Whether the system moves an app from this state to `next` in one step.
  ///
  /// Every state can be lost sight of, and found again; every process can end.
  public func canBecome(_ next: AppState) -> Bool {
    switch (self, next) {
    case (.unknown, _), (_, .unknown): true
    case (_, .notRunning): self != .notRunning
    case (.notRunning, .inactive), (.notRunning, .background): true
    case (.inactive, .active), (.active, .inactive): true
    case (.inactive, .background), (.background, .inactive): true
    case (.background, .suspended), (.suspended, .background): true
    case (.notRunning, .active), (.notRunning, .suspended): false
    case (.inactive, .suspended): false
    case (.active, .background), (.active, .suspended): false
    case (.background, .active): false
    case (.suspended, .active), (.suspended, .inactive): false
    case (.inactive, .inactive), (.active, .active), (.background, .background),
      (.suspended, .suspended):
      false
    }
  }

  /// The states between this one and `next` that a log did not show, none for a legal edge.
  ///
  /// A log that shows only suspended and then inactive has skipped the background: no violation.
  public func expanded(to next: AppState) -> [AppState] {
    self == .suspended && next == .inactive ? [.background] : []
  }

  /// Whether code of the app runs in this state; nil where that is unknown.
  public var executes: Bool? {
    switch self {
    case .unknown: nil
    case .notRunning, .suspended: false
    case .inactive, .active, .background: true
    }
  }

  /// The word for it in stories and tables.
  public var word: String {
    switch self {
    case .unknown: "unknown"
    case .notRunning: "not-running"
    case .inactive: "inactive"
    case .active: "active"
    case .background: "background"
    case .suspended: "suspended"
    }
  }

  /// Two letters, as in the tables of the life cycle.
  public var abbreviation: String {
    switch self {
    case .unknown: "UN"
    case .notRunning: "NR"
    case .inactive: "IN"
    case .active: "AC"
    case .background: "BG"
    case .suspended: "SU"
    }
  }

  /// The state of that word or abbreviation, in any case, or nil.
  public init?(word: some StringProtocol) {
    let lower = word.lowercased()
    guard
      let state = Self.allCases.first(where: {
        $0.word == lower || $0.abbreviation.lowercased() == lower
      })
    else { return nil }
    self = state
  }
}
