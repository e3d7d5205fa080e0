// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// Apps without a mistake, each of another trade: what is said against one of them is said wrongly.
///
/// Each is one delegate, for the simulator and for a process (`CorrectApp NAME DIRECTORY`), and one
/// scenario, `Scenarios/NAME.yml`. Together they use all that an app can.
public enum CorrectApp: String, CaseIterable, Sendable {
  // Saving.
  case recipes, reader, bank, quotes, survey
  // Background tasks, and the ways to do something later.
  case uploader, sketchpad, darkroom
  // Wakes and background modes.
  case courier, photos, weather, fitness, newsroom, podcast
  // What the user and the device do meanwhile.
  case messenger, vault, calendar, gallery, atlas
  // Files that others share.
  case ledger, inbox
  // Scenes, no background, other processes, other languages, own deadlines.
  case browser, calculator, mailer, meter, chess
  // All that an app may hold.
  case arcade
  // What analytics, shops and servers ask of an app.
  case club
  // Messages to itself and to others, and tasks whose time is up.
  case tickets
  // A file that is refused.
  case diary

  /// What it says of itself.
  public var configuration: Application.Configuration {
    var configuration = Application.Configuration(bundleIdentifier: rawValue)
    configuration.scenes = self == .browser
    configuration.exitsOnSuspend = self == .calculator
    configuration.backgroundModes =
      switch self {
      case .courier: ["remote-notification", "fetch", "location", "bluetooth-peripheral", "voip"]
      case .photos: ["processing"]
      case .weather, .calendar: ["fetch"]
      case .fitness: ["remote-notification", "fetch", "location"]
      case .podcast: ["audio"]
      case .newsroom, .vault, .diary: ["remote-notification"]
      default: []
      }
    return configuration
  }

  /// A new delegate, which keeps its files there.
  @MainActor
  public func delegate(in home: Home) -> any ApplicationDelegate {
    switch self {
    case .recipes: Recipes(home)
    case .reader: Reader(home)
    case .bank: Bank(home)
    case .quotes: Quotes(home)
    case .survey: Survey(home)
    case .uploader: Uploader(home)
    case .sketchpad: Sketchpad(home)
    case .darkroom: Darkroom(home)
    case .courier: Courier(home)
    case .photos: Photos(home)
    case .weather: Weather(home)
    case .fitness: Fitness(home)
    case .newsroom: Newsroom(home)
    case .podcast: Podcast(home)
    case .messenger: Messenger(home)
    case .vault: Vault(home)
    case .calendar: Calendar(home)
    case .gallery: Gallery()
    case .atlas: Atlas(home)
    case .ledger: Ledger(home)
    case .inbox: Inbox(home)
    case .browser: Browser(home)
    case .calculator: Calculator(home)
    case .mailer: Mailer(home)
    case .meter: Meter(home)
    case .chess: Chess()
    case .arcade: Arcade(home)
    case .club: Club(home)
    case .tickets: Tickets(home)
    case .diary: Diary(home)
    }
  }
}
