import Foundation

/// A protocol for the additional initializer of `UserDefaults`.
public protocol UserDefaultsSuite {}

extension UserDefaults: UserDefaultsSuite {}

extension UserDefaultsSuite where Self == UserDefaults {
    /// Creates the user defaults of a suite. The suite of a group in the program's property list is shared with all
    /// programs of the group: each sees another's changes at once.
    ///
    /// Foundation's initializer takes an optional name. For a name that is not optional, overload resolution prefers
    /// this one.
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
