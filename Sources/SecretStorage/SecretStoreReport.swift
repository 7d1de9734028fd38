import LinuxSystem

/// An event of a store that the user should know of. It never contains an attribute of an item or a password.
package enum SecretStoreReport: Sendable, Equatable {
    /// The items could not be decrypted. Their file was renamed to the given name, and the store is empty.
    case itemsDamaged(keptAs: String)
    /// The key was missing, so the items can no longer be read. Their file was renamed to the given name, and the store
    /// is empty.
    case keyMissing(keptAs: String)
    /// The key file does not contain a key. It was renamed to the given name.
    case keyDamaged(keptAs: String)
    /// Other users could read or change the given file. Its mode was changed so that they no longer can.
    case exposed(String)
    /// The given file belongs to another user, or is not a regular file. It is not used.
    case foreign(String)
    /// The given file was written by a later version of this program. It is not used.
    case newerVersion(String)
    /// The given file is damaged and cannot be renamed, because the files that were damaged earlier have all of the
    /// reserved names.
    case tooManyDamaged(String)
    /// A system call on the given file failed.
    case failed(String, Errno)
}

extension SecretStoreReport: CustomStringConvertible {
    package var description: String {
        switch self {
        case .itemsDamaged(let name):
            "the stored passwords are damaged and were kept as \(name): sign in again"
        case .keyMissing(let name):
            "the key of the stored passwords is missing, and they were kept as \(name): sign in again, or restore both"
        case .keyDamaged(let name):
            "the key of the stored passwords is damaged and was kept as \(name): restore it from a backup"
        case .exposed(let name):
            "other users could open \(name), which was corrected: change the passwords that they may have read"
        case .foreign(let name):
            "\(name) is not a file of this user and is not used: remove it"
        case .newerVersion(let name):
            "\(name) was written by a later version of Purvey: install that version"
        case .tooManyDamaged(let name):
            "\(name) is damaged, and too many damaged files were kept beside it: remove them"
        case .failed(let name, let error):
            "\(name) cannot be used: \(error)"
        }
    }
}
