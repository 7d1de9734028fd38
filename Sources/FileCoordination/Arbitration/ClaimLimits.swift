import Glibc

/// What one claim may have: more would cost others more than it is worth. The same within a process and at the daemon's.
package enum ClaimLimits {
    package static let accesses = 10_000
    package static let purposeBytes = 1_000
    /// All paths together. A grant that tells of moves has them twice, and has to fit into one message.
    package static let pathBytes = 7 << 20
    /// How many milliseconds presenters may be given to prepare themselves. None is no time, not for ever: whoever claims something
    /// excludes others while it waits for them.
    package static let presenterMilliseconds = 1...86_400_000
    /// About how many bytes of messages the end of one claim makes for presenters before they are told in less detail.
    static let noticeBytes = 8 << 20
    /// Beside its path.
    static let bytesPerNotice = 64

    /// Whether an item that has moved can be spoken of no more.
    static func isTooLong(_ path: ExactPath) -> Bool { path.utf8.count >= Int(PATH_MAX) }

    /// What is too much about a claim, in words.
    package static func fault(_ accesses: [Access], purpose: String) -> String? {
        guard accesses.count <= Self.accesses else {
            return "one access has at most \(Self.accesses) items, not \(accesses.count)"
        }
        guard purpose.utf8.count <= purposeBytes else {
            return "a purposeIdentifier has at most \(purposeBytes) bytes, not \(purpose.utf8.count)"
        }
        var bytes = 0
        for access in accesses {
            guard !isTooLong(access.path), !isTooLong(access.key) else {
                return "a path has less than \(PATH_MAX) bytes"
            }
            bytes += access.path.utf8.count + (access.key == access.path ? 0 : access.key.utf8.count)
        }
        return bytes > pathBytes ? "the paths of one access have at most \(pathBytes) bytes together" : nil
    }
}
