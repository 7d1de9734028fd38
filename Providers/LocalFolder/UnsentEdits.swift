import Foundation
import Glibc
import LinuxSystem

/// The edits that could not be put into the folder yet: a full disk, a disk that is not mounted. Each has a mark beside its file,
/// so that a process that is started later knows of it too.
final class UnsentEdits: Sendable {
    private let storage: String
    // Innermost.
    private let errors: Lock<[String: any Error]>

    private static let suffix = ".unsent"

    /// - Parameter storage: the folder of the domain's documents.
    init(storage: String) {
        self.storage = storage
        var errors: [String: any Error] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: storage)) ?? []
        where name.hasSuffix(Self.suffix) {
            errors[String(name.dropLast(Self.suffix.count))] = FolderFailure.busy
        }
        self.errors = Lock(errors)
    }

    /// Why an item's edit is not in the folder; `nil` where there is none that is not.
    func error(of identifier: String) -> (any Error)? { errors.withLock { $0[identifier] } }

    /// Before an edit is put into the folder: until ``end(_:)`` it counts as not being there.
    func begin(_ identifier: String, _ error: any Error) throws(Errno) {
        errors.withLock { $0[identifier] = error }
        let mark = try FileDescriptor.open(mark(of: identifier), [.writeOnly, .create])
        try mark.synchronize()
    }

    func fail(_ identifier: String, _ error: any Error) { errors.withLock { $0[identifier] = error } }

    func end(_ identifier: String) {
        unlink(mark(of: identifier))
        errors.withLock { _ = $0.removeValue(forKey: identifier) }
    }

    /// Removes the copies that a process had which was killed: nobody will say of them that they are not needed any more. Those that
    /// are not in the folder stay.
    func removeOtherCopies() {
        guard let folder = try? FileDescriptor.open(storage, [.readOnly, .directory]),
            let entries = try? folder.entries()
        else { return }
        for entry in entries where error(of: entry.name.description) == nil {
            guard (try? folder.status(of: entry.name).kind) == .directory else { continue }
            try? TreeRemover.remove(entry.name, in: folder)
        }
    }

    private func mark(of identifier: String) -> String { storage + "/" + identifier + Self.suffix }
}
