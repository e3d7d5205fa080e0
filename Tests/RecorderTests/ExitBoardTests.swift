// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Testing

@testable import LifetraceRecorder

/// Whoever starts a process and whoever sees its end are two threads: no end may fall between them.
@Suite struct ExitBoardTests {
  @Test func anEndThatIsToldWhileItsProcessIsMetIsItsOwn() {
    // Below what the board forgets.
    let processes: ClosedRange<Int32> = 1...4_000
    for _ in 0..<20 {
      let board = ExitBoard()
      let ends = board.ends
      let (begun, told) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      // A thread of its own, side by side with this one over the same numbers: now one is first at
      // the board, now the other.
      DispatchQueue(label: "ends").async {
        begun.signal()
        for pid in processes { board.end(pid, .code(pid), of: nil) }
        told.signal()
      }
      begun.wait()
      let met = processes.map { board.begin($0, after: ends) }
      told.wait()
      let wrong = zip(processes, met).filter { $1.status != .code($0) }.map(\.0)
      #expect(met.count == processes.count)
      #expect(
        wrong.isEmpty,
        "\(wrong.count) of \(processes.count) live for ever: \(wrong.prefix(3))"
      )
    }
  }

  @Test func theEndOfAnEarlierProcessOfTheNumberIsNotItsEnd() {
    let board = ExitBoard()
    board.end(7, .code(1), of: nil)
    let ends = board.ends
    let exit = board.begin(7, after: ends)
    #expect(exit.status == nil)
    board.end(7, .signal(9), of: exit)
    #expect(exit.status == .signal(9))
    #expect(board.status(of: 7) == .signal(9))
  }
}
