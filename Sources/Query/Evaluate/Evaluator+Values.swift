// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension Evaluator {
  func value(_ index: Int32, _ event: borrowing Event, _ state: borrowing LifeState) -> Scalar {
    let node = nodes[Int(index)]
    switch node.operation {
    case .literal: return Scalar(node.bits)
    case .literalName: return Scalar(literals[Int(node.bits)])
    case .field:
      return field(places[Int(node.bits) << 8 | Int(event.kind.rawValue)], event, state)
    case .fact where isBlind, .lookup where isBlind, .countRows where isBlind: return .unknown
    case .fact: return StateFact.all[Int(node.bits)].read(state)
    case .rowField: return read(Int(node.bits), event, state)
    case .lookup: return lookUp(node, event, state)
    case .countRows: return count(index, node, event, state)
    case .earlierValue: return earlier[Int(node.bits)]
    case .elsewhereValue: return elsewhere[Int(node.bits)]
    case .given: return given
    case .sum, .difference:
      let left = value(node.left, event, state)
      let right = value(node.right, event, state)
      guard left.standing == .known, right.standing == .known else {
        return left.standing == .absent || right.standing == .absent ? .absent : .unknown
      }
      var result = Scalar(
        node.operation == .sum
          ? left.signed.addingSaturated(right.signed)
          : left.signed.subtractingSaturated(right.signed)
      )
      result.slope = node.operation == .sum ? left.slope &+ right.slope : left.slope &- right.slope
      return result
    case .minus:
      let value = value(node.left, event, state)
      guard value.standing == .known else { return value }
      var result = Scalar((0 as Int64).subtractingSaturated(value.signed))
      result.slope = 0 &- value.slope
      return result
    default:
      switch truth(index, event, state) {
      case .no: return Scalar(false)
      case .yes: return Scalar(true)
      case .unknown: return .unknown
      }
    }
  }

  private func field(
    _ place: FieldPlace,
    _ event: borrowing Event,
    _ state: borrowing LifeState
  ) -> Scalar {
    switch place {
    case .none: return .absent
    case .identity: return Scalar(event.identity)
    case .first, .second, .third, .fourth:
      let index = Int(place.rawValue - FieldPlace.first.rawValue)
      return index < Int(event.argumentCount) ? Scalar(event[index]) : .absent
    case .siteName: return siteName(event.site)
    case .file:
      let file = event.site.rawValue < siteFiles.count ? siteFiles[Int(event.site.rawValue)] : 0
      return file == 0 ? .absent : Scalar(UInt64(file))
    case .line:
      let line = event.site.rawValue < siteLines.count ? siteLines[Int(event.site.rawValue)] : 0
      return line == 0 ? .absent : Scalar(UInt64(line))
    case .thread: return Scalar(UInt64(event.thread.rawValue))
    case .late: return Scalar(event.flags.contains(.late))
    case .inferred: return Scalar(event.flags.contains(.inferred))
    case .sampled: return Scalar(event.flags.contains(.sampled))
    case .beginName:
      let own = siteName(event.site)
      return own.standing == .known ? own : begin(of: event, in: state).name
    case .callback: return siteCallback(event.site)
    case .beginCallback:
      let own = siteCallback(event.site)
      guard own.standing == .absent else { return own }
      if let span = state.openSpan(event.identity, .callbackBegin) {
        return siteCallback(span.site)
      }
      return state.completeness[.callback].isWhole ? .absent : .unknown
    case .took:
      let begin = begin(of: event, in: state).time
      guard begin.standing == .known else { return begin }
      return Scalar(max(0, event.time - HostTime(rawValue: begin.signed)))
    }
  }

  func siteName(_ site: SiteID) -> Scalar {
    let name = site.rawValue < siteNames.count ? siteNames[Int(site.rawValue)] : 0
    return name == 0 ? .absent : Scalar(UInt64(name))
  }

  private func siteCallback(_ site: SiteID) -> Scalar {
    let callback = site.rawValue < siteCallbacks.count ? siteCallbacks[Int(site.rawValue)] : -1
    return callback < 0 ? .absent : Scalar(UInt64(callback))
  }

  /// When that began which the event ends, and what it is called; `state` is the one before it.
  private func begin(of event: borrowing Event, in state: borrowing LifeState)
    -> (time: Scalar, name: Scalar)
  {
    guard let kind = event.kind.beginning else { return (.absent, .absent) }
    func found(_ time: HostTime, _ name: Scalar) -> (Scalar, Scalar) {
      (Scalar(time.rawValue), name)
    }
    switch kind {
    case .taskBegin:
      if let task = state.tasks[event.identity] { return found(task.time, Scalar(task.name.word)) }
    case .deadlineOpen:
      if let deadline = state.deadlines[event.identity] {
        return found(deadline.time, Scalar(deadline.what.word))
      }
    case .resourceAcquire:
      let released = Payload.ResourceRelease(event)
      let code = UInt8(clamping: released.class.rawValue)
      let key = ResourceKey(released.name, code, released.id ?? 0)
      if let held = state.hold(of: key, endedOn: event.thread) {
        return found(held.time, Scalar(held.name.word))
      }
    default:
      if let span = state.openSpan(event.identity, kind) {
        return found(span.time, siteName(span.site))
      }
    }
    // It began before the recording did, or its begin was lost.
    let isWhole = state.completeness[kind.family].isWhole
    return isWhole ? (.absent, .absent) : (.unknown, .unknown)
  }
}
