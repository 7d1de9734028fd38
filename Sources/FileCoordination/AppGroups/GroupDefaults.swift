import Foundation

/// The user defaults that the programs of a group share.
///
/// Foundation's own class caches values in each process until `synchronize`. This class reads its file again whenever
/// the file has changed, and writes each change at once. If another program of the group holds the lock of the file, a
/// change is written when that program releases the lock.
final class GroupDefaults: UserDefaults {
    private let file: GroupValuesFile

    init?(group: String, folder: String) {
        guard let file = GroupValuesFile(group: group, folder: folder) else { return nil }
        self.file = file
        // This empty suite supplies the process's arguments and the registered defaults.
        super.init(suiteName: Optional("org.purvey.none"))
    }

    override func object(forKey defaultName: String) -> Any? {
        if let argument = volatileDomain(forName: UserDefaults.argumentDomain)[defaultName] { return argument }
        return file.values()[defaultName] ?? super.object(forKey: defaultName)
    }

    override func set(_ value: Any?, forKey defaultName: String) {
        switch value {
        case nil: file.set(nil, forKey: defaultName)
        case let url as URL: set(url.absoluteURL.path, forKey: defaultName)
        case let value?:
            let plain = PlainDefault.value(of: value)
            guard PropertyListSerialization.propertyList([plain], isValidFor: .xml) else {
                // Reports the error and stops the process, as any other suite does.
                return super.set(value, forKey: defaultName)
            }
            file.set(plain, forKey: defaultName)
        }
    }

    override func removeObject(forKey defaultName: String) { set(nil as Any?, forKey: defaultName) }

    override func dictionaryRepresentation() -> [String: Any] {
        super.dictionaryRepresentation().merging(file.values()) { $1 }
    }

    /// Writes the changes that wait because another program of the group holds the lock of the file.
    ///
    /// - Returns: Whether the file contains all changes of this process.
    @discardableResult
    override func synchronize() -> Bool { file.synchronize() }
}

/// Converts values to property list types.
private enum PlainDefault {
    /// Converts Foundation's string objects to Swift strings, also within arrays and dictionaries.
    static func value(of value: Any) -> Any {
        switch value {
        case let list as [Any]: list.map { self.value(of: $0) }
        case let list as [String: Any]: list.mapValues { self.value(of: $0) }
        case let text as NSString: text as String
        default: value
        }
    }
}

/// A protocol whose extension adds the initializer `init(suiteName:)` to `UserDefaults`.
public protocol UserDefaultsSuite {}

extension UserDefaults: UserDefaultsSuite {}

extension UserDefaultsSuite where Self == UserDefaults {
    /// Creates the user defaults of a suite. If the program's property list declares a group of this name, all programs
    /// of the group share the suite, and each sees the changes of the others at once.
    ///
    /// Foundation's initializer takes an optional name. For a name that is not optional, overload resolution prefers
    /// this initializer.
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
