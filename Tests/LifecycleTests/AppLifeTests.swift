// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import Testing

/// Incarnations of apps are found and named.
@Suite struct AppLifeTests {
  private func writer(
    _ number: UInt64,
    _ app: String,
    _ role: ProcessRole,
    after previous: UInt64? = nil
  ) -> (id: WriterID, attributes: WriterAttributes) {
    var attributes = WriterAttributes(app: app, role: role)
    attributes.started = HostTime(rawValue: Int64(number))
    attributes.previous = previous.map { WriterID(high: 1, low: $0) }
    return (WriterID(high: 1, low: number), attributes)
  }

  @Test func incarnationsOfAnAppAreCounted() {
    let labels = AppLife.labels([
      writer(3, "com.example.notes", .app), writer(1, "com.example.notes", .app),
    ])
    #expect(labels == ["com.example.notes#2", "com.example.notes#1"])
  }

  @Test func processesOfOneNameWithoutACommonPastAreLivesOfTheirOwn() {
    let writers = [writer(1, "sync", .daemon), writer(2, "sync", .daemon)]
    #expect(AppLife.stitch(writers).count == 2)
    #expect(AppLife.labels(writers) == ["sync#1", "sync#2"])
  }

  /// As where a shell ends in `exec python3 edit.py`: one life, two programs.
  @Test func aProgramThatTakesAProcessOverGoesByItsOwnName() {
    let writers = [writer(1, "bash", .daemon), writer(2, "edit.py", .daemon, after: 1)]
    let lives = AppLife.stitch(writers)
    #expect(lives.map(\.app) == ["bash"])
    #expect(lives[0].incarnations.map(\.label) == ["bash#1", "edit.py#1"])
    #expect(lives[0].incarnations.map(\.number) == [1, 2])
  }
}
