// SPDX-License-Identifier: Apache-2.0
package import LifetraceAppProtocol
package import LifetraceLifecycle
package import LifetraceTrace

/// What the director plays in: real processes, or simulated apps in virtual time.
///
/// Every method returns at once, except ``start(_:_:limit:)``, ``prewarm(_:_:limit:)`` and
/// ``pump(until:)``. The apps' deeds come out of `pump`, in the order in which it happened.
package protocol World: AnyObject {
  /// Nanoseconds on the world's clock.
  var now: Int64 { get }
  /// Starts an app, or takes the process that was started ahead, and waits until it has said hello;
  /// nil when it did not in time, or ended.
  func start(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> AppConfiguration?
  /// Starts an app ahead of its launch, and waits until it has said hello; false when it did not in time.
  ///
  /// It waits for the answer, which ``start(_:_:limit:)`` gives it.
  func prewarm(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> Bool
  /// How the app called itself when it said hello last; nil where it is called as the scenario does.
  func nameSaid(by app: Int) -> String?
  /// Hands the app an event, which it answers under `number`.
  ///
  /// One that is not through with a transition by `due` is ended then; with anything else it hangs.
  func send(_ event: SystemEvent, number: UInt64, to app: Int, due: Int64)
  /// Waits until something happens or it is `time`.
  func pump(until time: Int64) -> [WorldEvent]
  /// Stops the app; it is stopped when this returns true.
  func suspend(_ app: Int) -> Bool
  /// Lets the app run again, recording that first; `news` is what it finds changed, before all else.
  func resume(_ app: Int, reason: String, finding news: SystemEvent?)
  /// Names the cause of an exit that the app is about to be asked for.
  func expectExit(_ app: Int, cause: String)
  /// Ends the app and waits until it is gone.
  func kill(_ app: Int, _ death: Death)
  /// Puts an event into the stream of the app, or of the device (nil).
  func record(_ event: RecordedEvent, about app: Int?)
  /// What becomes of writes that were not synced, where the scenario gives the device a disk.
  var disk: String? { get }
  /// The power goes: apps stop where they are, and unsynced writes are gone.
  func cutPower()
  /// The device has restarted: what starts from now on runs in its next boot.
  func rebooted() throws(HostError)
  /// Reports events of these kinds as they are recorded, and counts the others.
  func watch(_ kinds: Set<EventKind>)
  /// An event is waited for: it is reported without delay.
  var isListening: Bool { get set }
  /// Why an app that was started did not greet the host, in a sentence.
  func whyNoGreeting(from app: Int, within limit: Int64) -> String
  /// Whether all is seen that the app does: else its tasks may end, and its wakes be answered, unseen.
  func isFollowed(_ app: Int) -> Bool
  /// Whether the app's last process has ended right behind the event that its launch plan named.
  func hasEndedAsPlanned(_ app: Int) -> Bool
  /// The files in the folder that the app has for its data; nil where it has none.
  func filesLeft(by app: Int) -> LeftFiles?
  /// Whether the app has crashed and its runtime prints the stack: it ends by itself.
  func isCrashing(_ app: Int) -> Bool
  /// A lock that the app holds in the container of its group, and that the system kills for.
  func sharedLock(of app: Int) -> SharedLock?
  /// The sockets on which the app listens.
  func listeningSockets(of app: Int) -> [ListeningSocket]
  /// Bytes of memory that the app holds; 0 where that is not known.
  func footprint(of app: Int) -> UInt64
  /// Whether a thread of the app is ready to run, and has hardly run since this was asked last.
  func waitsForProcessor(_ app: Int) -> Bool
  /// Nanoseconds of processor time that the app has used; 0 where that is not known.
  func processorTime(of app: Int) -> Int64
}

/// How an app is to be started.
package struct LaunchPlan: Sendable {
  package var reason: String
  package var background: Bool
  package var deviceBoot: UInt32
  /// Behind which event of its own the process ends; nil for none.
  package var end: ScriptedEnd?
}

/// Something that happened while the director waited.
package enum WorldEvent: Sendable {
  case said(app: Int, AppMessage)
  /// A line that is no message, and why; kept for the trace.
  case garbage(app: Int, String, fault: String?)
  /// The process is gone.
  case ended(app: Int)
  /// Something was recorded in the app's stream.
  case seen(app: Int, Sighting)
  /// So many events of the app's stream came too fast to be looked at.
  case missed(app: Int, WriterID, count: Int)
}

/// Why a scenario cannot go on.
public struct HostError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What happened, for a person.
  public var description: String

  package init(_ description: String) { self.description = description }
}
