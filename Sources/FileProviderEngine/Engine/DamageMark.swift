import Glibc
import LinuxSystem

/// That the index was found to be damaged while it was used: a file beside it, so that the next start builds it anew even if
/// opening it shows nothing.
final class DamageMark: Sendable {
    private let path: String
    // Innermost.
    private let words = Lock<String?>(nil)

    init(path: String) { self.path = path }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// What was found in this run, in a sentence.
    var complaint: String? {
        words.withLock { $0 }.map { "The index is damaged (\($0)); it is built anew when the domain is opened again." }
    }

    /// Notes a failure, if it is damage.
    func note(_ failure: IndexFailure) {
        guard case .corrupt(let words) = failure else { return }
        let isNew = self.words.withLock { known in
            defer { known = words }
            return known == nil
        }
        // Where not even this can be written, the damage is found once more.
        if isNew { _ = try? FileDescriptor.open(path, [.writeOnly, .create]) }
    }

    func remove() throws(Errno) {
        do throws(Errno) {
            try retrying { unlink(path) }
        } catch .noSuchFile {}
    }
}
