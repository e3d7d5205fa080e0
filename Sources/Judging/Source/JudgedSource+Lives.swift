// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
import LifetraceTrace

extension JudgedSource {
  /// The lives of all apps, in order of their start; what was started for different tests has
  /// nothing to do with each other, as each of them begins with files of its own.
  package var lives: [AppLife] {
    let lives = AppLife.stitch(writers)
    let tests = writers.indices.map(test)
    guard tests.contains(where: { $0 != nil }) else { return lives }
    return lives.flatMap { life -> [AppLife] in
      var order: [String?] = []
      var apart: [String?: [AppLife.Incarnation]] = [:]
      for incarnation in life.incarnations {
        let test = tests[incarnation.index]
        if apart[test] == nil { order.append(test) }
        apart[test, default: []].append(incarnation)
      }
      return order.map { test in
        var one = life
        one.incarnations = apart[test] ?? []
        for place in one.incarnations.indices { one.incarnations[place].number = place + 1 }
        return one
      }
    }
  }

  /// The test that the process of a stream was started for, which its first chunk says.
  private func test(of stream: Int) -> String? {
    guard let first = summaries(of: stream).first, first.kinds.contains(.processConfig),
      let chunk = open(0, of: stream)
    else { return nil }
    var found: NameID?
    let names = names
    _ = scan(chunk) { events in
      for index in events.indices where events[index].kind == .processConfig {
        let config = Payload.ProcessConfig(events[index])
        if found == nil, names[config.key] == TestRuns.key { found = config.value }
      }
      return found == nil
    }
    return found.map { names[$0] }
  }
}
