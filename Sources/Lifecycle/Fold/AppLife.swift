// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// The incarnations of one app, in order: what one left, the next found.
///
///     let lives = AppLife.stitch(writers)
///     lives[0].incarnations.map(\.label)       // ["notes#1", "notes#2"]
///
/// Incarnations are tied by the `previous` writer that a recording names, else
/// by the same app id on the same host, in order of their start.
public struct AppLife: Sendable, Hashable {
  /// The id of the app.
  public var app: String
  /// In order of their start.
  public var incarnations: [Incarnation]

  /// One process of the app.
  public struct Incarnation: Sendable, Hashable {
    /// Its place in the list given to ``AppLife/stitch(_:)``.
    public var index: Int
    /// The number of the incarnation, from 1.
    public var number: Int
    /// How people call it: `notes#2`.
    public var label: String
    /// What stands before the number in ``label``.
    package var shortName: String
  }

  /// Sorts writers into lives; every writer is in exactly one.
  public static func stitch(_ writers: [(id: WriterID, attributes: WriterAttributes)]) -> [AppLife]
  {
    let ordered = writers.indices.sorted {
      let (left, right) = (writers[$0], writers[$1])
      return (left.attributes.started, left.attributes.deviceBoot, $0)
        < (right.attributes.started, right.attributes.deviceBoot, $1)
    }
    var lives: [AppLife] = []
    var lifeOfWriter: [WriterID: Int] = [:]
    var lifeOfApp: [String: Int] = [:]
    for index in ordered {
      let (id, attributes) = writers[index]
      let key = "\(attributes.app)\u{0}\(attributes.host)\u{0}\(attributes.role.rawValue)"
      // Two processes of one name without a common past are two lives, unless they are an app's.
      let sameApp = attributes.role == .app ? lifeOfApp[key] : nil
      let life = attributes.previous.flatMap { lifeOfWriter[$0] } ?? sameApp ?? lives.count
      if life == lives.count { lives.append(AppLife(app: attributes.app, incarnations: [])) }
      lives[life].incarnations.append(
        AppLife.Incarnation(
          index: index,
          number: 0,
          label: "",
          shortName: shortName(of: attributes.app)
        )
      )
      lifeOfWriter[id] = life
      if lifeOfApp[key] == nil || attributes.role == .app { lifeOfApp[key] = life }
    }
    return number(lives)
  }

  /// Labels count per app name, over all lives of that name, so that each names one writer.
  ///
  /// Where another program took a process over, as by `exec`, each goes by its own name.
  private static func number(_ lives: [AppLife]) -> [AppLife] {
    var lives = lives
    var countOfApp: [String: Int] = [:]
    for life in lives.indices {
      for place in lives[life].incarnations.indices {
        let short = lives[life].incarnations[place].shortName
        let count = countOfApp[short, default: 0] + 1
        countOfApp[short] = count
        lives[life].incarnations[place].number = place + 1
        lives[life].incarnations[place].label = "\(short)#\(count)"
      }
    }
    return lives
  }

  /// The labels by index of the list given to ``stitch(_:)``.
  public static func labels(_ writers: [(id: WriterID, attributes: WriterAttributes)]) -> [String] {
    var labels = [String](repeating: "", count: writers.count)
    for life in stitch(writers) {
      for incarnation in life.incarnations { labels[incarnation.index] = incarnation.label }
    }
    return labels
  }

  /// An app id as one word: anything but a letter, digit, dot, dash or underscore becomes a dash.
  private static func shortName(of app: String) -> String {
    guard !app.isEmpty else { return "app" }
    return app.unicodeScalars.reduce(into: "") {
      $0.unicodeScalars.append(isOfWord($1) && Printable.isPlain($1) ? $1 : "-")
    }
  }

  private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: scalar == "." || scalar == "-" || scalar == "_"
    }
  }
}
