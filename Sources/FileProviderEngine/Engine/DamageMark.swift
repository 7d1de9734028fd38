import Glibc
import ItemStore
import LinuxSystem

/// A mark that the index was found damaged while in use. The mark is a file beside the index. It makes the next start
/// build the index anew, even if opening the index shows no damage.
final class DamageMark: Sendable {
    private let path: String
    // Leaf lock.
    private let words = Lock<String?>(nil)

    init(path: String) { self.path = path }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// A sentence that describes the damage that this process has found.
    var complaint: String? {
        words.withLock { $0 }.map { "The index is damaged (\($0)); it is built anew when the domain is opened again." }
    }

    /// Records a failure if it is damage.
    func note(_ failure: IndexError) {
        guard case .corrupt(let words) = failure else { return }
        let isNew = self.words.withLock { known in
            defer { known = words }
            return known == nil
        }
        // If the file cannot be written, the damage is found again later.
        if isNew { _ = try? FileDescriptor.open(path, [.writeOnly, .create]) }
    }

    func remove() throws(Errno) {
        do throws(Errno) {
            try retrying { unlink(path) }
        } catch .noSuchFile {}
    }
}
