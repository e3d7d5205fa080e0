// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// By which events a rule judges, and who reports them.
///
///     for line in RuleEvidence.lines(of: "DS03") { print(line) }
///     // shows at state.suspend: the recorder, the host, a log
///     // rests on data.flushing: the app, record --observe, a log
package enum RuleEvidence {
  /// A line for each sort of events of a rule; empty for one that is not built in.
  package static func lines(of rule: String) -> [String] {
    guard let row = rows[rule] else { return [] }
    return row.shows.map { line("shows at", $0) } + row.rests.map { line("rests on", $0) }
  }

  private static func line(_ verb: String, _ sort: String) -> String {
    let who = observers(of: sort).map(words).joined(separator: ", ")
    return who.isEmpty ? "\(verb) \(sort)" : "\(verb) \(sort): \(who)"
  }

  private static func words(_ observer: Observer) -> String {
    switch observer {
    case .own: "the app (SDK)"
    case .recorder: "the recorder"
    case .host: "the host of a scenario"
    case .observe: "record --observe"
    case .import: "a log"
    case .inferred: "inferred"
    }
  }

  /// Who may report events of a sort: its kind, and a class of resources or a kind of work where one is
  /// given, as `resource.acquire lock`.
  package static func observers(of sort: String) -> [Observer] {
    let parts = sort.split(separator: " ", maxSplits: 1)
    let (kind, detail) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    switch kind.prefix(while: { $0 != "." }) {
    case "process": return kind == "process.config" ? [.own, .host, .import] : lives
    case "state":
      return kind == "state.transition" ? [.own, .import] : [.recorder, .host, .import]
    case "callback", "task", "turn", "wait": return [.own, .import]
    case "wake": return kind == "wake.reported" ? [.own] : [.own, .import]
    case "notification": return hosted.contains(kind) ? [.host] : [.own]
    case "work": return ["", "file", "database"].contains(detail) ? seen : [.own, .import]
    case "data": return ["data.unchanged", "data.copied"].contains(kind) ? [.own, .observe] : seen
    case "resource":
      switch detail {
      case "": return kind == "resource.use" ? [.own] : [.own, .host, .observe, .import]
      case "lock": return [.own, .host, .observe, .import]
      case "socket": return [.own, .host]
      case "other": return [.own, .import]
      default: return [.own]
      }
    case "memory", "device": return [.own, .host, .import]
    case "cpu": return [.own, .host]
    case "deadline", "touch", "message": return [.own]
    case "log": return lives
    default: return []
    }
  }

  private static let lives: [Observer] = [.own, .recorder, .host, .import]
  private static let seen: [Observer] = [.own, .observe, .import]
  private static let hosted: [Substring] = [
    "notification.posted", "notification.coalesced", "notification.dropped",
  ]

  /// By id: at which events a breach shows, and on which others it rests.
  private static let rows: [String: (shows: [String], rests: [String])] = {
    var rows: [String: (shows: [String], rests: [String])] = [:]
    for line in all.split(separator: "\n") {
      let parts = line.components(separatedBy: ": ")
      let sides = parts[1].split(separator: ";", omittingEmptySubsequences: false)
      let sorts = sides.map { side in
        side.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
      }
      rows[parts[0]] = (sorts[0], sorts[1])
    }
    return rows
  }()

  /// A row a rule; the test of the stories writes them, from what their verdicts name as witnesses.
  package static let all = """
    DL01: callback.end didFinishLaunching, process.exit, state.transition; process.start
    DL02: callback.end didEnterBackground, process.exit; callback.begin didEnterBackground
    DL03: process.exit; callback.begin willTerminate
    DL04: callback.end willEnterForeground, process.exit; callback.begin willEnterForeground
    DL05: task.end; state.transition, task.begin
    DL06: task.end; task.begin
    DL07: callback.end expirationHandler; task.begin, task.expire
    DL08: callback.end expirationHandler; callback.begin expirationHandler
    DL09: process.exit; callback.begin expirationHandler, wake.begin
    DL10: wake.completion;
    DL11: process.exit, turn.end, work.end other; callback.begin willResignActive, turn.begin, work.begin compute, work.begin database, work.begin other
    DL12: process.exit, wake.completion, wake.reported; wake.begin, work.begin other
    DL13: wake.completion; wake.begin
    DL14: deadline.close, process.exit; deadline.open
    ST01: state.transition;
    ST02: callback.begin didBecomeActive;
    ST03: callback.begin didEnterBackground; callback.begin didBecomeActive, state.transition
    ST04: callback.begin didEnterBackground; callback.begin willEnterForeground
    ST05: callback.begin willEnterForeground; state.transition
    ST06: callback.begin willTerminate; state.suspend
    ST07: work.begin network; state.suspend
    ST08: callback.begin didBecomeActive, state.transition;
    ST09: callback.begin shouldRestoreState, callback.begin willFinishLaunching; callback.begin didFinishLaunching
    ST10: callback.begin openURL; callback.end didFinishLaunching
    ST11: process.exit, state.suspend; state.transition
    ST12: touch; state.transition
    ST14: callback.begin didRotate, callback.begin willRotate; callback.end shouldAutorotate
    ST15: log;
    ST16: log, state.transition;
    DS01: state.suspend; callback.begin didEnterBackground, data.dirty, data.flushing, resource.acquire pendingSave
    DS02: data.restored, process.exit, state.purge; callback.begin didEnterBackground, data.copied, data.dirty, data.durable, data.failed, data.flushing, resource.acquire delayedWork, resource.acquire pendingSave
    DS03: state.suspend; data.flushing, task.end
    DS04: the end of the recording; callback.begin didEnterBackground, data.dirty, data.durable
    DS05: data.durable; data.dirty
    DS06: data.durable, process.exit; callback.begin didEnterBackground, data.flushing
    DS07: process.exit; data.dirty
    DS08: state.suspend; data.failed
    DS09: state.suspend; data.dirty, resource.release pendingSave
    DS10: data.discarded, data.durable; data.failed
    DS11: state.suspend; resource.acquire temporaryFile
    DS12: data.discarded, data.durable, data.flushing, data.restored, state.suspend; callback.begin didReceiveMemoryWarning, data.dirty, work.begin file
    DS13: process.exit, resource.release other; data.dirty, resource.acquire other, work.begin network, work.begin other
    DS14: process.exit; data.dirty, data.discarded, data.durable, data.restored, resource.acquire alert, work.begin network, work.begin other
    DS15: data.discarded; data.dirty, touch
    MT01: work.end network; work.begin network
    MT02: work.end database, work.end file; work.begin database, work.begin file
    MT03: work.end compute; work.begin compute
    MT04: wake.completion, work.begin ui; work.begin network
    MT05: work.end compute; work.begin compute
    MT06: work.begin gl; state.transition
    MT07: state.suspend, work.begin gl; state.transition
    MT08: work.begin ui; state.transition
    MT09: callback.end didEnterBackground, wait.end; callback.begin didEnterBackground, wait.begin, work.begin network
    BT01: process.exit; callback.begin expirationHandler, task.begin
    BT02: task.end;
    BT03: process.exit; task.begin
    BT04: task.begin; callback.end didEnterBackground
    BT05: task.begin; state.suspend
    BT06: work.end network; task.end, work.begin network
    BT07: task.begin;
    BT08: state.transition; task.begin
    BT10: state.suspend; data.flushing, resource.acquire lock, task.begin, task.end, work.begin database, work.begin file, work.begin network
    BT11: state.suspend; data.flushing, work.begin file
    BT12: state.suspend, wake.begin; resource.acquire other
    BT13: task.end; task.begin, task.expire
    NQ01: notification.delivered;
    NQ02: notification.delivered; notification.posted
    NQ03: notification.delivered; notification.posted
    NQ04: state.suspend, state.transition, touch; notification.posted, state.resume
    NQ05: notification.delivered; notification.posted, touch
    NQ06: notification.delivered; state.suspend
    NQ07: notification.delivered;
    NQ08: state.transition; notification.delivered, resource.acquire cache
    NQ09: resource.use cache; notification.delivered, notification.handled, notification.posted, resource.acquire cache
    NQ10: state.transition; notification.delivered, notification.handled
    NQ11: resource.use socket; resource.acquire socket
    NQ12: resource.use cache; notification.dropped
    NQ13: callback.end willEnterForeground, notification.handled; resource.acquire other
    RS01: state.suspend, state.transition, work.begin ui; resource.acquire delayedWork, resource.acquire timer, resource.use timer
    RS02: resource.acquire timer, the end of the recording; resource.release timer, state.transition
    RS03: state.transition;
    RS04: resource.acquire media;
    RS05: resource.release file, state.suspend; device, resource.acquire file
    RS06: process.exit, state.suspend; callback.begin didEnterBackground, resource.acquire lock, task.end, wake.completion
    RS07: state.suspend; resource.acquire other
    RS08: the end of the recording; memory.sample
    RS09: state.suspend; resource.acquire socket
    RS10: callback.end didEnterBackground; resource.acquire view
    RS11: state.suspend; resource.acquire alert
    RS12: cpu.sample; state.transition
    RS13: the end of the recording; memory.sample
    RS14: state.transition; resource.acquire query
    RS15: work.begin compute; state.transition
    RS16: state.transition; resource.acquire media
    RS17: work.begin other; state.transition
    RS18: resource.acquire file; device
    RS19: state.suspend; resource.acquire other
    RS20: resource.acquire delayedWork;
    RS21: state.suspend; resource.acquire other
    RS22: state.suspend, the end of the recording; notification.delivered, resource.release media, state.transition
    RS23: state.transition; resource.acquire view
    RS24: the end of the recording; callback.begin, resource.acquire other, resource.release other
    RS25: callback.end didBecomeActive, turn.end; resource.use timer
    PR01: the end of the recording; resource.acquire view, resource.release query, state.transition
    PR02: resource.acquire socket, resource.release delayedWork, resource.release timer, resource.release view, the end of the recording; resource.acquire delayedWork, resource.acquire timer, resource.acquire view, resource.release socket
    PR03: callback.begin willEnterForeground; callback.begin didBecomeActive
    PR04: resource.acquire other; resource.release other
    PR05: resource.use other; state.purge
    PR06: process.exit; state.suspend
    PR07: resource.acquire other;
    SY01: process.exit, state.purge; work.begin database, work.begin other
    SY02: process.exit; callback.begin, log, turn.begin, work.begin compute, work.begin network
    SY03: process.exit; callback.begin
    MS01: state.suspend; message.receive, work.begin network
    MS02: message.receive, message.send; deadline.open
    MS03: message.send;
    MS04: message.receive; message.send
    """
}
