// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceDebugger

/// Ctrl-C at whatever moment of a search: it stops, nothing has moved, and what is asked next is
/// answered as if nobody had asked before.
@Suite struct InterruptTests {
  /// Some thousand events of an app, an extension and a daemon, in chunks of several strides.
  private static let source: MemorySource = {
    var day = DayOfAppLife(seed: 3)
    var events: [[Event]] = []
    day.session { writer, event in
      while events.count <= writer { events.append([]) }
      if events[writer].count < 1_500 { events[writer].append(copy event) }
    }
    let writers = events.enumerated().map { number, events in
      MemorySource.Writer(
        id: day.writers[number].id,
        attributes: day.writers[number].attributes,
        events: events
      )
    }
    return MemorySource(writers, names: day.names, rows: 1_024)
  }()

  private func session() throws -> Session {
    let session = Session(
      player: Player(Timeline(Self.source)),
      title: "day",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    _ = try session.say("goto 50%")
    return session
  }

  /// What a line answers, a refusal too, and where one stands then.
  private func answer(_ line: String, _ session: Session) throws(SearchInterrupted) -> [String] {
    let said: [String]
    do {
      said = try session.say(line)
    } catch let error as SearchInterrupted {
      throw error
    } catch {
      said = ["\(error)"]
    }
    return said + ["#\(session.player.here.ordinal)"]
  }

  @Test(arguments: [
    "find count data > 1000", "reverse-find count spans > 2 && work.end",
    "find nothing-is-called-so", "count dirty && count spans > 1 by object",
    "list 3 where count spans > 3", "violations", "why #1", "why state", "diff start", "lossmap",
    "what-if profile ios7", "what-if power-cut", "slack", "slack #1", "timeline all",
  ])
  func atWhateverMoment(_ line: String) throws {
    let expected = try answer(line, try session())
    var moment = 1
    var stopped = 0
    while true {
      let session = try session()
      let here = session.player.here
      var asked = 0
      session.player.isInterrupted = {
        asked += 1
        return asked >= moment
      }
      do throws(SearchInterrupted) {
        #expect(try answer(line, session) == expected, "moment \(moment)")
        break
      } catch {
        stopped += 1
        #expect(session.player.here == here, "moment \(moment)")
        session.player.isInterrupted = { false }
        let again = try answer(line, session)
        #expect(again == expected, "moment \(moment)")
      }
      moment += moment
    }
    #expect(stopped > 0)
  }
}
