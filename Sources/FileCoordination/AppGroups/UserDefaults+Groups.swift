import Foundation

/// The suites of user defaults that programs make by their names.
public protocol UserDefaultsSuite {}

extension UserDefaults: UserDefaultsSuite {}

extension UserDefaultsSuite where Self == UserDefaults {
    /// Makes the values of a suite. Those of a group that the program's property list declares are shared with all programs of
    /// the group: each sees at once what another has set.
    ///
    /// Foundation's own initializer takes an optional name. A name that is there fits this one better.
    public init?(suiteName: String) {
        let made: UserDefaults? =
            if AppGroup.isSuite(suiteName) {
                FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: suiteName).flatMap {
                    GroupDefaults(group: suiteName, folder: $0.path)
                }
            } else {
                UserDefaults(suiteName: Optional(suiteName))
            }
        guard let made else { return nil }
        self = made
    }
}
