// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace
import LifetraceWords

/// How fast time ran in the lives of a recording, where that was not as on a device.
///
///     TimeScales(timeline.streams.map(\.attributes)).sentences
///
/// Rules say lengths of time as they would be on the device, since limits are made for that: one
/// unit in each story. The times of events are those of the recording. A reader of both must know
/// this.
public struct TimeScales: Sendable {
  /// In thousandths, with the apps that ran so, in order of appearance.
  private var scales: [(permille: UInt32, apps: [String], known: Set<String>)] = []

  /// The scales of no writer yet.
  public init() {}

  /// The scales of these writers.
  public init(_ writers: some Sequence<WriterAttributes>) {
    for attributes in writers { add(attributes) }
  }

  /// Another writer; only what rules judge has a scale.
  public mutating func add(_ attributes: WriterAttributes) {
    guard attributes.role.isJudged else { return }
    // 0 is no scale: rules take it for the device's own.
    add(attributes.timeScale == 0 ? 1000 : attributes.timeScale, attributes.app)
  }

  /// The writers of another one, which come behind these.
  mutating func add(_ later: TimeScales) {
    for scale in later.scales { for app in scale.apps { add(scale.permille, app) } }
  }

  private mutating func add(_ permille: UInt32, _ app: String) {
    guard let known = scales.firstIndex(where: { $0.permille == permille }) else {
      scales.append((permille, [app], [app]))
      return
    }
    if scales[known].known.insert(app).inserted { scales[known].apps.append(app) }
  }

  /// `time scale 0.2: a second of this recording stands for 5 s`, a line a scale; none for 1.
  public var lines: [String] {
    scales.filter { $0.permille != 1000 }.map { permille, apps, _ in
      let of = scales.count == 1 ? "" : " of \(apps.joined(separator: ", "))"
      let second = Quantity.duration(1_000_000_000_000 / Int64(permille))
      return "time scale \(Self.decimal(permille))\(of): a second of this recording stands for "
        + second
    }
  }

  /// The same for readers of the rules' sentences beside other times.
  public var sentences: [String] {
    guard !lines.isEmpty else { return [] }
    return lines.map { "\(Sentence($0).capitalised)." } + [Self.rule]
  }

  private static let rule =
    "Lengths of time in what rules say are those of the device, counted at that scale, but for "
    + "deadlines of the app's own; the times of events are those of the recording."

  private static func decimal(_ permille: UInt32) -> String {
    var text = String(permille % 1000 + 1000).dropFirst()
    while text.last == "0" { text.removeLast() }
    return text.isEmpty ? "\(permille / 1000)" : "\(permille / 1000).\(text)"
  }
}
