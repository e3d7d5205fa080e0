// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Testing
import LifetraceTrace

@Suite struct CallbackTests {
  @Test(arguments: [
    ("applicationDidEnterBackground:", Callback.didEnterBackground),
    ("sceneDidEnterBackground(_:)", .didEnterBackground),
    ("UIApplicationDidEnterBackgroundNotification", .didEnterBackground),
    ("didEnterBackground", .didEnterBackground),
    ("application:willFinishLaunchingWithOptions:", .willFinishLaunching),
    ("application(_:didFinishLaunchingWithOptions:)", .didFinishLaunching),
    ("applicationWillResignActive(_:)", .willResignActive),
    ("sceneWillEnterForeground:", .willEnterForeground),
    ("applicationWillTerminate", .willTerminate),
    ("application:performFetchWithCompletionHandler:", .performFetch),
  ])
  func namesAreUnderstood(_ name: String, _ callback: Callback) {
    #expect(Callback(named: name) == callback)
  }

  @Test func everyShortNameIsItsOwn() {
    for callback in Callback.allCases { #expect(Callback(named: callback.rawValue) == callback) }
  }

  @Test(arguments: ["", ":", "viewDidLoad", "application", "scene:", "saveDraft"])
  func othersAreNot(_ name: String) { #expect(Callback(named: name) == nil) }
}
