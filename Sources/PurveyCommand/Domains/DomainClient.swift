import CLinux
import Conduit
import DomainMessages
import Exchange
import Foundation
import Glibc
import ItemValues
import LinuxSystem

/// Makes the calls of the domain commands to the daemon.
enum DomainClient {
    /// The maximum number of attempts. A call is repeated if the daemon dies before it has replied, because a dying
    /// daemon still accepts connections. Because of the limit, a request that crashes the daemon is sent at most twice.
    private static let attempts = 2

    /// Makes a call to the daemon, which is started if it does not run.
    ///
    /// - Parameters:
    ///   - once: whether the call must not be repeated, because a second call could do harm or report wrong results.
    ///   - progress: called as the daemon reports progress.
    static func call<C: Call>(
        _ request: C, once: Bool = false, progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws -> C.Reply {
        var attempt = 1
        while true {
            let connection = try await withCheckedContinuation { continuation in
                ExchangeClient.shared.withConnection { continuation.resume(returning: $0) }
            }.get()
            do throws(ConduitError) {
                return try await connection.call(request, progress: progress)
            } catch {
                // A daemon that was told to end must not be started again.
                if case .disconnected = error, !once, attempt < attempts, !ExchangeClient.shared.daemonWasToldToEnd {
                    attempt += 1
                    continue
                }
                throw failure(error)
            }
        }
    }

    private static func failure(_ error: ConduitError) -> CommandError {
        switch error {
        case let error where error.tellsOfAnotherVersion: return CommandError(ConduitError.daemonOfAnotherVersion)
        case .remote(let failure):
            var error = CommandError(failure.description)
            if failure.domain == DomainFault.domain { error.fault = DomainFault.Code(rawValue: failure.code) }
            return error
        case .cancelled: return CommandError("interrupted")
        default: return CommandError("the daemon did not answer: \(error)")
        }
    }

    /// Returns the place that a command-line argument denotes.
    static func place(_ word: String) -> ItemPlace {
        ItemPlace(text: word, path: absolute(word))
    }

    /// Returns the absolute path with its symbolic links resolved. A link at the end of the path is also resolved,
    /// except in a mount, where the link itself is the item.
    static func absolute(_ word: String) -> String {
        let path = URL(fileURLWithPath: word).standardizedFileURL.path
        guard path != "/", let slash = path.lastSlash else { return path }
        guard let folder = resolved(slash == path.startIndex ? "/" : String(path[..<slash])) else { return path }
        let place = (folder == "/" ? "" : folder) + "/" + path.lastPathName
        var status = stat()
        guard lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, !isInMount(folder) else { return place }
        // A dangling link stays unresolved.
        return resolved(place) ?? place
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether a directory is in a FUSE file system, as in every mounted domain. Also `true` if the type of the file
    /// system cannot be determined, so that no link is followed.
    private static func isInMount(_ folder: String) -> Bool {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let type = clinux_filesystem_type(descriptor)
        return type < 0 || type == fuse
    }

    /// `FUSE_SUPER_MAGIC`.
    private static let fuse: Int64 = 0x6573_5546
}
