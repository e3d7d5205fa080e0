// SPDX-License-Identifier: Apache-2.0

// With UIKit in place of the declarations beside this file, these are all that an app core needs there.
typealias Application = UIApplication
typealias ApplicationDelegate = UIResponder & UIApplicationDelegate
typealias BackgroundFetchResult = UIBackgroundFetchResult
typealias BackgroundTaskIdentifier = UIBackgroundTaskIdentifier
