import Glibc

/// The limits of one claim, which prevent a single claim from slowing down other processes. They are the same within a
/// process and in the daemon.
package enum ClaimLimits {
    package static let accesses = 10_000
    package static let purposeBytes = 1_000
    /// The maximum total size, in bytes, of all paths of a claim. If items have moved, the grant contains each path
    /// twice, and must fit into one message.
    package static let pathBytes = 7 << 20
    /// The maximum size in bytes of a message with a claim within these limits. In addition to paths and purpose, it
    /// includes 16 bytes of encoding for each access, nine bytes for each identifier of another claim, a preparation or
    /// a presenter, and 4096 bytes for all other fields. The daemon disconnects a confined process that sends a larger
    /// message.
    package static let messageBytes = pathBytes + accesses * 16 + purposeBytes + ClaimUsage.nestingLimit * 9 + 4096
    /// The maximum number of attribute names in one event. It is larger than the number of existing attributes.
    package static let attributeNames = 1_024
    /// The permitted values of a claim's time limit for its presenters, in milliseconds. There is a maximum because a
    /// claim excludes other claims while it waits for presenters.
    package static let presenterMilliseconds = 1...86_400_000
    /// The approximate maximum total size, in bytes, of the notices with details that the end of one claim may cause.
    /// Further notices have no details.
    static let noticeBytes = 8 << 20
    /// The size of a notice in bytes, without its path.
    static let bytesPerNotice = 64

    /// Whether a path is too long for a claim.
    static func isTooLong(_ path: ExactPath) -> Bool { path.utf8.count >= Int(PATH_MAX) }

    /// Returns a description of the limit that a claim exceeds; `nil` if the claim is within the limits.
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
