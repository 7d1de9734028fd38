import Foundation
import Glibc
import LinuxSystem

/// The directory of an item's file in the document storage. It serializes changes of the directory within a provider's
/// process, because claims with the same purpose do not exclude each other.
///
/// Not thread-safe. Enter it only after the claim of a ``StorageAccess`` was granted.
package final class StoragePlace {
    private static let turns = ItemQueues()

    private let path: String
    private let key: String
    private var isEntered = false

    /// Creates a place without entering it.
    ///
    /// - Parameter identifier: the identifier of the item. Other items in the same directory do not wait for this one.
    package init(of url: URL, for identifier: String) {
        path = url.deletingLastPathComponent().path
        key = path + "/" + identifier
    }

    /// Waits until no other thread is in the place. Call ``leave()`` afterwards. Call this on a thread that may block.
    package func enter() {
        Self.turns.begin(key)
        isEntered = true
    }

    package func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.turns.end(key)
    }

    /// Opens the directory. Creates it if it does not exist.
    func folder() throws -> FileDescriptor {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return try FileDescriptor.open(path, [.readOnly, .directory])
    }

    // MARK: The system's own files

    private static let prefix = ".purvey-replacing-"

    /// Whether a name belongs to one of the system's own files: a mark, an incomplete file or a placeholder. All other
    /// names belong to items, including hidden ones.
    package static func isOfTheSystem(_ name: String) -> Bool {
        // Foundation, which writes placeholders, has its own names for incomplete files.
        name.hasPrefix(".purvey-") || name.hasPrefix(".dat.nosync") || Placeholder.isName(name)
    }

    /// Returns the name of the mark for a file; `nil` if that name would be too long.
    private static func mark(of name: String) -> FileName? {
        let mark = prefix + name
        return mark.utf8.count <= 255 ? FileName(mark) : nil
    }

    /// Marks a file that the system is about to replace. The mark stays until the provider is informed. If the process
    /// is killed in between, the system replaces the file again, and does not treat the replacement as an edit by a
    /// program.
    func mark(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard let mark = Self.mark(of: name) else { return }
        do throws(Errno) { _ = try folder.createFile(mark, permissions: 0o600) } catch .fileExists {}
    }

    package func unmark(_ name: String) {
        if let mark = Self.mark(of: name) { unlink(path + "/" + mark.description) }
    }

    /// Whether the system is replacing a file, or a process was killed while it replaced the file.
    package func isMarked(_ name: String) -> Bool {
        guard let mark = Self.mark(of: name) else { return false }
        return access(path + "/" + mark.description, F_OK) == 0
    }
}
