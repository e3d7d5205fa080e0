// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

#if canImport(Glibc)
@preconcurrency import Glibc

extension Application {
  /// Hands the process to the application object; `main.swift` has no other line.
  ///
  ///     Application.main(
  ///       configuration: .init(bundleIdentifier: "com.example.notes"), delegate: Notes())
  ///
  /// The delegate is made after the application object, so that its
  /// initialiser can already make queues.
  public static func main(
    configuration: Configuration,
    delegate makeDelegate: @autoclosure () -> any ApplicationDelegate
  ) -> Never {
    // Text that is still in a buffer when the app is killed would be lost.
    setvbuf(stdout, nil, _IOLBF, 0)
    AppTrace.configure(app: configuration.bundleIdentifier, version: "")
    enterMain()
    let surroundings = ProcessSurroundings(configuration)
    let application = Application(configuration: configuration, surroundings: surroundings)
    current.withLock { $0 = application }
    application.start(makeDelegate())
    if surroundings.descriptor < 0 {
      _ = application.handle(.launch(SystemEvent.Launch(reason: "process")))
      _ = application.handle(.becomeActive(cause: "launch"))
    }
    MainLoop.run(application, surroundings)
  }
}
#endif

extension Application {
  /// The process has come to `main`, which hands it over to the application object.
  package static func enterMain() { AppTrace.mark("main entered") }

  /// Takes the delegate, and records how the app is configured.
  package func start(_ delegate: any ApplicationDelegate) {
    AppTrace.mark("application object created")
    AppTrace.config("UIApplicationExitsOnSuspend", configuration.exitsOnSuspend ? "YES" : "")
    AppTrace.config("UIBackgroundModes", configuration.backgroundModes.joined(separator: ","))
    AppTrace.config("DTSDKName", configuration.linkedSDK)
    AppTrace.config("scenes", configuration.scenes && surroundings.system.scenes ? "YES" : "")
    let orientations = configuration.supportedOrientations.map(\.rawValue).sorted()
    AppTrace.config("UISupportedInterfaceOrientations", orientations.joined(separator: ","))
    if !configuration.secondInterface.isEmpty {
      AppTrace.log(
        "the property list names a storyboard (\(configuration.mainInterface)) and a nib "
          + "(\(configuration.secondInterface)): only the storyboard is loaded; name one of them"
      )
    }
    self.delegate = delegate
    AppTrace.mark("delegate created")
  }

  /// Says a word that the scenario can wait for and expect: `wait: {after: uploaded}`.
  ///
  /// Callable on any thread.
  public nonisolated func say(_ word: String) { surroundings.send(.said(word)) }

  /// The folder in which the app keeps its data while a scenario is played; nil otherwise, and where
  /// the scenario says `data: keep`.
  ///
  ///     let folder = application.dataDirectory ?? documents
  ///
  /// It is empty when the run begins, the same for each launch, and gone after the run, in both
  /// worlds: what an app finds must not depend on runs before.
  public nonisolated var dataDirectory: String? { surroundings.dataDirectory }

  /// Lets time pass on the calling thread, in nominal seconds: a computation, a slow disk.
  ///
  /// In a simulator only the clock moves. The system may have had something to do meanwhile, such
  /// as to suspend the app, and could not. From there on everything that depends on it is
  /// undecidable.
  public nonisolated func pass(seconds: Double) {
    surroundings.pause(nanoseconds: surroundings.nanoseconds(seconds))
  }
}
