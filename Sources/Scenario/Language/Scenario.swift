// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
internal import LifetraceTrace
import LifetraceWords

/// A life for apps to live: which apps, under which system, and what happens to them step by step.
///
///     steps:
///       - launch
///       - tell: {edit: "Dear diary"}
///       - home
///       - purge
///       - relaunch
///
/// The same scenario is played for real processes by the host and in virtual
/// time by the simulator.
public struct Scenario: Sendable {
  /// One of the apps.
  public struct App: Sendable {
    /// The name that steps use.
    public var name: String
    /// The command that starts it; empty for the command given to `record`.
    public var command: [String]

    /// An app, started by `command`.
    public init(name: String, command: [String] = []) {
      self.name = name
      self.command = command
    }
  }

  /// One step with its arguments, checked against the table.
  public struct Step: Sendable {
    /// The kind of step.
    public var name: StepName
    /// Scalars by parameter; for `tell` the app's own words too, in order.
    public var arguments: [Argument]
    /// The steps of `repeat` and `choose`.
    public var steps: [Step]
    /// Where it stands in the file; line 0 for one that stands in none.
    public var place: ScenarioPlace
    /// Its number in a flat life, from 0; nil elsewhere.
    package var number: Int?

    package init(
      name: StepName,
      arguments: [Argument],
      steps: [Step],
      place: ScenarioPlace
    ) {
      (self.name, self.arguments, self.steps, self.place) = (name, arguments, steps, place)
    }

    /// The value of a parameter.
    public subscript(parameter: String) -> String? {
      arguments.last { $0.name == parameter }?.value
    }
  }

  /// A key and its value.
  public struct Argument: Sendable, Hashable {
    /// The key as the scenario spells it.
    public var name: String
    /// The scalar value of the parameter.
    public var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// A duration as steps take it, such as `500ms`, in nanoseconds; nil above a year, too.
  static func nanoseconds(_ text: String) -> Int64? {
    TypedQuantity.nanoseconds(text).flatMap { $0 <= 366 * 86_400_000_000_000 ? $0 : nil }
  }

  /// How the host stops an app that is suspended.
  public enum Suspension: String, Sendable, CaseIterable {
    /// SIGSTOP, to the app alone.
    case signal
    /// The freezer of a cgroup: the app with all that it has forked, and no signal wakes it.
    case freezer
  }

  /// What the apps find of earlier runs.
  public enum Data: String, Sendable, CaseIterable {
    /// Nothing: each app has an empty folder, `LIFETRACE_DATA`.
    case fresh
    /// Whatever there is, wherever they have it.
    case keep
  }

  /// The file it came from, for messages and for the source places in the trace.
  public var file: String
  /// The name of the profile; nil where the scenario leaves it to the project.
  public var profile: String?
  /// The same, or the standard one.
  package var profileName: String { profile ?? Profile.standard.name }
  /// Real time for one unit of nominal time: 0.01 plays a 5 s deadline in 50 ms; at least 0.001.
  public var timeScale = 1.0
  /// The same in the form for recordings and apps: in thousandths, never 0.
  package var timeScalePermille: UInt32 { UInt32(min(max(1, timeScale * 1000), 1e6).rounded()) }
  /// The seed of the step `choose`.
  public var seed: UInt64 = 1
  /// The directory that the apps share; an app suspended with a lock in it is killed (0xdead10cc).
  public var appGroup: String?
  /// The size of a disk of its own that the device has: at a reboot it loses what is not synced.
  public var diskBytes: Int?
  /// What the apps find of earlier runs.
  public var data = Data.fresh
  /// Whether the device can run apps in the background; the oldest could not.
  public var multitasking = true
  /// How suspended apps are stopped.
  public var suspendBy = Suspension.signal
  /// Nominal nanoseconds between an app's last need to run and its suspension.
  public var suspendAfter: Int64 = Self.suspendAfterUsual
  package static let suspendAfterUsual: Int64 = 100_000_000
  package static let suspendAfterMax: Int64 = 3_600_000_000_000
  /// The apps of the scenario, at least one.
  public var apps: [App] = []
  /// What the only app is called where the scenario names none.
  package static let unnamed = "app"
  /// The steps, in the order in which they are played.
  public var steps: [Step] = []

  /// A scenario without apps and steps.
  public init(file: String) { self.file = file }
}
