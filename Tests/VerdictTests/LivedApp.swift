// SPDX-License-Identifier: Apache-2.0
import CorrectApps
import LifetraceApp

/// What a random life may ask of a correct app, so that what it loses is its own doing.
///
/// An app is correct for what its author provides for: nobody sends a push to an app without the
/// mode, and what the user has typed a moment ago is lost with the app in front, rightly.
struct LivedApp {
  var app: CorrectApp
  /// Words of `tell`, each with the values that it takes.
  var words: [(word: String, values: [String])] = []
  /// Wakes that it has declared and answers in time.
  var wakes: [String] = []
  /// What it saves is on the disk within a few seconds of the word, wherever it is then.
  var savesAtOnce = false
  /// What it saves on the way to the background survives a power cut.
  var survivesReboot = true
  /// Runs on in the background for as long as it likes, so that nobody can wait for its suspension.
  var mayLast = false
  /// Leaving it ends it.
  var exits = false
  /// Steps that it alone is asked, wherever it is.
  var asides: [String] = []
  /// Wakes that launch it.
  var launchingWakes: [String] = []
  /// Its user often looks in, and leaves at once, or behind the last of its words.
  var looksIn = false
  /// Is about a locked device.
  var locksOften = false
  /// Keeps what it has made of the locale.
  var mindsLocale = false

  /// What it says of itself, with other background modes where they are given.
  func configuration(modes: [String]?) -> Application.Configuration {
    var configuration = app.configuration
    if let modes { configuration.backgroundModes = modes }
    return configuration
  }

  /// Those that lives play with a mistake in them, in the order that seeds count.
  static let all: [LivedApp] = [
    LivedApp(
      app: .recipes,
      words: [("write", ["soup", "bread"]), ("shop", ["leek", "rye"])],
      survivesReboot: false
    ),
    LivedApp(app: .reader, words: [("turn", ["page 3", "page 9"]), ("bookmark", ["page 3"])]),
    LivedApp(app: .bank, words: [("deposit", ["10", "5"])], savesAtOnce: true),
    LivedApp(app: .quotes, words: [("price", ["101", "102"]), ("archive", ["99"])]),
    LivedApp(app: .uploader, words: [("photo", ["IMG_1", "IMG_2"])], survivesReboot: false),
    LivedApp(
      app: .courier,
      wakes: ["push", "fetch", "location", "bluetooth", "voip", "url-session"]
    ),
    LivedApp(app: .photos, wakes: ["processing"]),
    LivedApp(app: .weather, wakes: ["fetch"]),
    LivedApp(app: .fitness, wakes: ["push", "fetch", "location"]),
    LivedApp(app: .newsroom, wakes: ["push"]),
    LivedApp(app: .podcast, words: [("play", ["episode"])], mayLast: true),
    LivedApp(app: .messenger, words: [("type", ["See", "See you"])]),
    LivedApp(app: .vault, words: [("secret", ["a", "b"])], wakes: ["push"], survivesReboot: false),
    LivedApp(app: .calendar, wakes: ["fetch"]),
    LivedApp(app: .gallery),
    LivedApp(app: .atlas, words: [("pin", ["Uppsala", "Visby"])]),
    LivedApp(app: .browser),
    LivedApp(app: .calculator, words: [("enter", ["2 + 2"])], exits: true),
    LivedApp(app: .meter, words: [("reading", ["4711", "4712"])]),
    LivedApp(app: .ledger, words: [("spend", ["12", "5"])], survivesReboot: false),
    LivedApp(app: .chess, words: [("move", ["e4", "d4"])]),
  ]

  /// Those too into which no mistake is put.
  static let unspoilt: [LivedApp] =
    all + [
      LivedApp(app: .darkroom, words: [("develop", ["main", "later", "global", "operation"])]),
      LivedApp(app: .sketchpad, words: [("draw", ["task", "detached", "sleep", "actor"])]),
      LivedApp(app: .survey, words: [("answer", ["42", "43"])]),
      LivedApp(app: .arcade, words: [("score", ["100", "250"]), ("quit", ["level"])]),
    ]

  /// Those of which there are lives besides, since they alone have what some rules are about.
  static let besides = [
    LivedApp(app: .club, savesAtOnce: true, mindsLocale: true),
    LivedApp(
      app: .tickets,
      words: [
        ("buy", ["row 7", "row 9"]), ("wish", ["a box", "an aisle"]), ("print", ["all"]),
        ("buy", ["row 1"]), ("wish", ["a balcony", "the front row"]),
      ],
      looksIn: true
    ),
    LivedApp(
      app: .diary,
      words: [("write", ["dear diary", "good night"])],
      wakes: ["push"],
      launchingWakes: ["push"],
      locksOften: true
    ),
    LivedApp(
      app: .courier,
      wakes: ["voip", "bluetooth", "push"],
      launchingWakes: ["voip", "location"]
    ),
    LivedApp(app: .browser, asides: ["open-url: \"https://swift.org/blog/2\""]),
  ]
}
