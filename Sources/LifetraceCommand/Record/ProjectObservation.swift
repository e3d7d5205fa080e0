// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceRecorder
import LifetraceScenario

extension Observation {
  /// What is looked at: files below this directory, and what the project calls data.
  static func of(_ configuration: Configuration?) throws -> Observation {
    guard let library = findLibrary() else {
      let places = places.map { "\n  \($0)" }.joined()
      Failure.say(
        """
        --observe needs \(libraryName), which is at neither of:\(places)
          To build it beside lifetrace: swift build --product LifetraceObserve
        """
      )
      throw ExitCode(125)
    }
    var observation = Observation(library: library)
    observation.patterns = configuration?.data ?? []
    if observation.patterns.isEmpty {
      Failure.say(
        """
        --observe knows no files of the user: writes and syncs are not recorded; name them in lifetrace.yml:
          data: ["*.json", "*.sqlite"]
        """
      )
    }
    if let here = getcwd(nil, 0) {
      observation.folders.append(Folder(String(cString: here)))
      free(here)
    }
    return observation
  }
}
