// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
public import LifetraceTrace

extension Checker {
  /// Checks whole app lives: each incarnation begins with the data that the one before it left.
  ///
  ///     let labels = try checker.run(writers, names: { reader.names }) { index, checker in
  ///       for event in events(of: index) { checker.apply(event, names: reader.names) }
  ///     }
  ///
  /// `feed` applies the events of one writer. Returns how the writers are called.
  @discardableResult
  public mutating func run(
    _ writers: [(id: WriterID, attributes: WriterAttributes)],
    names: () -> Names,
    feed: (Int, inout Checker) throws -> Void
  ) rethrows -> [String] {
    for life in AppLife.stitch(writers) {
      var before: LifeState?
      for incarnation in life.incarnations {
        var state = LifeState()
        if let before { state.beginIncarnation(after: before, names: names()) }
        begin(
          stream: StreamID(rawValue: UInt32(incarnation.index)),
          attributes: writers[incarnation.index].attributes,
          state: state,
          incarnation: incarnation.number,
          label: incarnation.label
        )
        try feed(incarnation.index, &self)
        finishStream(names: names())
        before = self.state
      }
    }
    return AppLife.labels(writers)
  }
}
