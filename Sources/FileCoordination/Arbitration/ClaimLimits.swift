import Glibc

/// What one claim may have: more would cost others more than it is worth. The same within a process and at the daemon's.
package enum ClaimLimits {
    package static let accesses = 10_000
    package static let purposeBytes = 1_000
    /// All paths together. A grant that tells of moves has them twice, and has to fit into one message.
    package static let pathBytes = 7 << 20

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
            guard access.path.utf8.count < Int(PATH_MAX), access.key.utf8.count < Int(PATH_MAX) else {
                return "a path has less than \(PATH_MAX) bytes"
            }
            bytes += access.path.utf8.count + (access.key == access.path ? 0 : access.key.utf8.count)
        }
        return bytes > pathBytes ? "the paths of one access have at most \(pathBytes) bytes together" : nil
    }
}
