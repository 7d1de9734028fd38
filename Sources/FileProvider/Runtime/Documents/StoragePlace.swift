import Foundation
import Glibc
import LinuxSystem

/// The folder in which an item's file is in the document storage. In a provider's process one at a time changes what is there: the claims
/// that the process makes for itself do not wait for each other.
///
/// For one thread. Taken after a ``StorageTurn``.
package final class StoragePlace {
    private static let turns = ItemTurns()

    private let path: String
    private let key: String
    private var isEntered = false

    /// - Parameter identifier: of the item; others may be in the same folder.
    package init(of url: URL, for identifier: String) {
        path = url.deletingLastPathComponent().path
        key = path + "/" + identifier
    }

    /// Waits until nobody else is there, on a thread that may block. Ends with ``leave()``.
    package func enter() {
        Self.turns.begin(key)
        isEntered = true
    }

    package func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.turns.end(key)
    }

    /// The folder, made where it is not there any more.
    func folder() throws -> FileDescriptor {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return try FileDescriptor.open(path, [.readOnly, .directory])
    }

    // MARK: What the system puts there

    private static let prefix = ".purvey-replacing-"

    /// Whether a name is one that the system gives what it puts there for itself: marks, files that are not whole yet, placeholders. All
    /// others, hidden ones too, are those of items.
    package static func isOfTheSystem(_ name: String) -> Bool {
        // Foundation, which writes placeholders, has names of its own for what is not whole.
        name.hasPrefix(".purvey-") || name.hasPrefix(".dat.nosync") || Placeholder.isName(name)
    }

    /// The name of what says so; `nil` where there is no room for one.
    private static func mark(of name: String) -> FileName? {
        let mark = prefix + name
        return mark.utf8.count <= 255 ? FileName(mark) : nil
    }

    /// From before a file of a name is one that the system puts there until the provider was told of it: where the process is killed, the
    /// system puts it there again, and it is no edit of a program.
    func mark(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard let mark = Self.mark(of: name) else { return }
        do throws(Errno) { _ = try folder.createFile(mark, permissions: 0o600) } catch .fileExists {}
    }

    package func unmark(_ name: String) {
        if let mark = Self.mark(of: name) { unlink(path + "/" + mark.description) }
    }

    /// Whether the system is about to put a file there, or a process was killed that was.
    package func isMarked(_ name: String) -> Bool {
        guard let mark = Self.mark(of: name) else { return false }
        return access(path + "/" + mark.description, F_OK) == 0
    }
}
