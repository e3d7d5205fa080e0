// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceRecorder
import LifetracePlatform

/// The folders in which the apps of a scenario keep their data: empty at first, and gone with the run.
///
/// What an app finds must not depend on runs before: an edit that was saved then would be called lost
/// now, though it is there.
enum DataFolders {
  /// A folder for each app, on the disk if there is one, else in the session's directory.
  static func make(_ count: Int, _ disk: DeviceDisk?, in session: String) throws(HostError)
    -> [String]
  {
    var folders: [String] = []
    if let disk {
      for app in 0..<count { folders.append(try disk.makeFolder("app\(app)")) }
      return folders
    }
    let data = session + "/" + SessionDirectory.data
    try make(data)
    for app in 0..<count {
      folders.append("\(data)/app\(app)")
      try make(folders[app])
    }
    return folders
  }

  private static func make(_ path: String) throws(HostError) {
    guard mkdir(path, 0o700) == 0 else {
      throw HostError("cannot make \(path): \(errnoText(errno))")
    }
  }
}
