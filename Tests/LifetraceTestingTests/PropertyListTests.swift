// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceApp
import LifetraceTesting
import ProbeCore
import Testing
import LifetraceTrace

@Suite("The property list")
@MainActor
struct PropertyListTests {
  @Test("Its keys are read as the system spells them, and one as a founding text misspells it")
  func keys() {
    func read(_ info: [String: String]) -> Application.Configuration {
      .init(bundleIdentifier: "com.example.app", infoDictionary: info)
    }
    #expect(read([:]) == .init(bundleIdentifier: "com.example.app"))
    for key in ["UIApplicationExitsOnSuspend", "UIApplicationExitOnSuspend"] {
      #expect(read([key: "YES"]).exitsOnSuspend)
      #expect(!read([key: "NO"]).exitsOnSuspend)
    }
    #expect(read(["UIBackgroundModes": "audio,location"]).backgroundModes == ["audio", "location"])
    #expect(read(["DTSDKName": "iphoneos3.2"]).linkedSDK == "iphoneos3.2")
    #expect(read(["UIApplicationSceneManifest": ""]).scenes)
    #expect(read(["UIMainStoryboardFile": "Main"]).mainInterface == "Main")
    #expect(read(["NSMainNibFile": "Window"]).mainInterface == "Window")
    let turned =
      "UIInterfaceOrientationLandscapeLeft, UIInterfaceOrientationPortraitUpsideDown, Sideways"
    #expect(
      read(["UISupportedInterfaceOrientations": turned]).supportedOrientations
        == [.landscapeLeft, .portraitUpsideDown]
    )
  }

  @Test(
    "main hands over to the application object, which loads one interface and makes the delegate"
  )
  func start() throws {
    let configuration = Application.Configuration(
      bundleIdentifier: "app",
      infoDictionary: ["UIMainStoryboardFile": "Main"]
    )
    let scenario = try Scenario(parsing: "steps:\n- launch\n", file: "x.yml")
    let life = try Simulator(scenario, configuration: configuration) { ProbeDelegate() }.play()
    let marks = life.streams[0].events.filter { $0.kind == .mark }
      .map { life.names[life.names[$0.site].name] }
    #expect(
      marks == [
        "main entered", "application object created", "delegate created",
        "user interface loaded from Main", "run loop started",
      ]
    )
  }
}
