// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

/// Recipes are saved two seconds after the last edit, and at once on the way to the background.
///
///     - tell: {write: waffles}     # the recipe changes
///     - tell: {shop: milk}         # the shopping list: good enough if it survives a purge
///     - tell: {revert: waffles}    # what was written since the last save is given up
///     - tell: {export: now}        # into a folder that is not there at first
final class Recipes: ApplicationDelegate {
  private let recipe: Document
  private let shopping: Document
  private let export: Document
  private let exports: String
  private let saving = WorkQueue(label: "saving recipes")
  private let deferred = Lifetrace.Resource("recipe.txt", .pendingSave)
  private var pending: DelayedWork?

  init(_ home: Home) {
    recipe = Document("recipe.txt", in: home)
    shopping = Document("shopping.txt", in: home)
    export = Document("exports/recipe.txt", in: home)
    exports = home.path("exports")
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    for document in [recipe, shopping, export] { document.load() }
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    switch word {
    case "write": write(value)
    case "shop":
      shopping.edit(shopping.text + value + "\n")
      shopping.save(on: saving, of: application, level: .kernel)
    case "revert":
      cancelSave()
      recipe.revert()
    case "export": exportAgain(application)
    default: break
    }
  }

  private func write(_ text: String) {
    recipe.edit(text)
    cancelSave()
    deferred.acquire()
    pending = saving.asyncAfter(seconds: 2) { [recipe, deferred] in
      deferred.release()
      recipe.saveOrLog()
    }
  }

  private func cancelSave() {
    if pending?.cancel() == true { deferred.release() }
    pending = nil
  }

  /// The first time there is no folder: the save fails, and is repeated.
  private func exportAgain(_ application: Application) {
    export.edit(recipe.text)
    let activity = BackgroundActivity("export", of: application)
    saving.async { [export, exports] in
      do { try export.save() } catch {
        mkdir(exports, 0o700)
        export.saveOrLog()
      }
      activity.end()
    }
  }

  func applicationDidEnterBackground(_ application: Application) {
    cancelSave()
    recipe.save(on: saving, of: application)
  }
}
