import Foundation
import Glibc

/// Source: Foundation, security-scoped URLs. A path on Linux carries no scope of its own: what the process may open, it may.
extension URL {
    /// Begins to use a file that a person has chosen; balanced by ``stopAccessingSecurityScopedResource()``.
    ///
    /// - Returns: whether this process can reach the file at all.
    public func startAccessingSecurityScopedResource() -> Bool {
        isFileURL && access(path, F_OK) == 0
    }

    /// Ends the use of a file.
    public func stopAccessingSecurityScopedResource() {}
}
