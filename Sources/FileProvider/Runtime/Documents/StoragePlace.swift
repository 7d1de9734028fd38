import Foundation
import Glibc
import LinuxSystem

/// The directory of an item's file in the document storage, with a lock for changes of this file. The lock serializes
/// the changes within a provider's process, because claims with the same purpose identifier do not exclude each other.
///
/// Not thread-safe. Call ``enter()``, which acquires the lock, only after the claim of a ``StorageAccess`` was granted.
package final class StoragePlace {
    private static let turns = ItemQueues()

    private let path: String
    private let key: String
    private var isEntered = false

    /// Creates a place, without acquiring the lock.
    ///
    /// - Parameter identifier: the identifier of the item. Changes of other items in the same directory do not wait for
    ///   changes of this item.
    package init(of url: URL, for identifier: String) {
        path = url.deletingLastPathComponent().path
        key = path + "/" + identifier
    }

    /// Acquires the lock. Blocks while another thread has the lock of the same item. Call ``leave()`` afterwards.
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
    private static let purpose = "replacing"

    /// Whether the system has created a file: a marker file of ``mark(_:in:)``, an incomplete file, or a placeholder.
    /// The name alone does not decide, because an item may have any name.
    package func isOfTheSystem(_ name: String) -> Bool {
        if name.utf8.starts(with: Self.prefix.utf8), let mark = FileName(name) { return isMark(mark) }
        if let folder = try? FileDescriptor.open(path, [.readOnly, .directory]),
            TemporaryName.isIncomplete(name, in: folder)
        {
            return true
        }
        return Placeholder.isPlaceholder(path + "/" + name)
    }

    /// Returns the name of the marker file for a file; `nil` if that name would be too long.
    private static func mark(of name: String) -> FileName? {
        let mark = prefix + name
        return mark.utf8.count <= 255 ? FileName(mark) : nil
    }

    /// Creates a marker file beside a file that the system is about to replace. The marker file exists until the
    /// provider is informed of the replacement. If the process is killed before that, the system replaces the file
    /// again, and does not treat the first replacement as an edit by a program.
    ///
    /// The marker file contains a label, which distinguishes it from an item's file with the same name. If a file with
    /// this name exists already, no marker file is created.
    func mark(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard let mark = Self.mark(of: name) else { return }
        // The file gets its name only after its label is complete. With an incomplete label, it would not count as a
        // marker file, and its name would prevent the creation of another one.
        var staged = try StagedFile(in: folder, permissions: 0o600)
        let file = staged.descriptor
        let label = try file.label(for: Self.purpose)
        let result = label.withUnsafeBytes { bytes in Result { () throws(Errno) in try file.writeAll(bytes) } }
        try result.get()
        do throws(Errno) { try staged.publish(as: mark) } catch .fileExists {}
    }

    /// Removes the marker file for a file, if it exists.
    package func unmark(_ name: String) {
        if let mark = Self.mark(of: name), isMark(mark) { unlink(path + "/" + mark.description) }
    }

    /// Whether the system is replacing a file, or its process was killed during the replacement.
    package func isMarked(_ name: String) -> Bool { Self.mark(of: name).map { isMark($0) } ?? false }

    private func isMark(_ name: FileName) -> Bool {
        guard let folder = try? FileDescriptor.open(path, [.readOnly, .directory]),
            let file = try? folder.open(entry: name, [.readOnly, .nonBlocking])
        else { return false }
        return file.isLabelled(for: Self.purpose)
    }
}
