import Foundation
import Glibc
import LinuxSystem
import PropertyLists

/// The file of a group's user defaults, `Library/Preferences/GROUP.plist` in the group's directory.
///
/// Every program of the group can replace the file. Therefore symbolic links are not followed, and a file that is not a
/// property list counts as empty.
final class GroupValuesFile: Sendable {
    private let folder: FileDescriptor
    private let name: FileName
    private let lock: GroupFileLock

    private struct Known {
        /// The state of the file when `values` were read from it.
        var state: FileState?
        var values: [String: Any] = [:]
    }

    /// The state of this process's writes.
    private struct Writing {
        /// Whether a thread waits for the file lock, to write the pending changes.
        var isWaiting = false
        /// Whether the last attempt to write the file failed for another reason than the file lock.
        var hasFailed = false
    }

    // Leaf lock.
    private let known = Lock(Known())
    /// The changes that the file does not contain yet. Changed only under the lock of `writing`. Leaf lock.
    private let pending = Lock(PendingValues())
    /// The lock that is held while the file is changed. It is acquired before the locks of `known` and `pending`.
    private let writing = Lock(Writing())

    /// The maximum size of the file in bytes.
    private static let largest = 16 << 20

    init?(group: String, folder: String) {
        guard let name = FileName(group + ".plist"), let lockName = FileName("." + group + ".lock"),
            var place = try? FileDescriptor.open(folder, [.readOnly, .directory])
        else { return nil }
        for part in ["Library", "Preferences"] {
            guard let part = FileName(part), let next = try? place.openOrMakeDirectory(part, permissions: 0o700) else {
                return nil
            }
            place = next
        }
        (self.folder, self.name) = (place, name)
        lock = GroupFileLock(folder: place, name: lockName)
    }

    /// Returns the current values, with this process's changes that are not written yet.
    func values() -> [String: Any] {
        // The changes are read before the file. A change that is written in between is then found in both. In the other
        // order, it would be found in neither.
        let changes = pending.withLock { $0 }
        return changes.applied(to: storedValues())
    }

    private func storedValues() -> [String: Any] {
        guard let status = try? folder.status(of: name), status.kind == .regular else { return [:] }
        let state = FileState(status)
        let kept = known.withLock { $0.state == state ? Copied($0.values) : nil }
        if let kept { return kept.values }
        let (read, values) = (try? read()) ?? (nil, [:])
        let copied = Copied(values)
        known.withLock { $0 = Known(state: read, values: copied.values) }
        return values
    }

    /// Returns the state and the values of the file.
    ///
    /// - Throws: an error if the file may have values that cannot be read. Such a file must not be replaced.
    private func read() throws(Errno) -> (FileState?, [String: Any]) {
        let file: FileDescriptor
        do throws(Errno) {
            file = try folder.open(entry: name, [.readOnly, .nonBlocking])
        } catch {
            guard [.noSuchFile, .tooManySymbolicLinks].contains(error) else { throw error }
            return (nil, [:])
        }
        let status = try file.status()
        guard status.kind == .regular else { return (nil, [:]) }
        guard status.size <= Self.largest else { throw .fileTooLarge }
        let bytes = try file.readToEnd(limit: Self.largest)
        return (FileState(status), ForeignPropertyList.dictionary(Data(bytes)) ?? [:])
    }

    /// Sets a value, or removes it if it is `nil`, and writes the whole file.
    ///
    /// If another program holds the file lock for long, the change is written when that program releases the lock. This
    /// process sees the change at once. If the file cannot be read or written, for example because the disk is full, or
    /// if all values together take more than 16 MiB, the change is lost.
    func set(_ value: Any?, forKey key: String) {
        guard let change = try? PendingValues(value, forKey: key) else { return }
        writing.withLock { writing in
            pending.withLock { $0.add(change) }
            writePending(&writing)
        }
    }

    /// Writes the changes that are not written yet.
    ///
    /// - Returns: Whether the file contains all changes of this process.
    func synchronize() -> Bool {
        writing.withLock { writing in
            if !pending.withLock({ $0.isEmpty }) { writePending(&writing) }
            return !writing.isWaiting && !writing.hasFailed
        }
    }

    private func writePending(_ writing: inout Writing) {
        // While a thread waits for the file lock, other threads do not wait in addition.
        if let held = lock.acquire(isPatient: !writing.isWaiting) {
            write(&writing, holding: held)
        } else if !writing.isWaiting {
            writing.isWaiting = true
            HandlerThreads.shared.runHandler { [self] in
                let held = lock.wait()
                self.writing.withLock { writing in
                    writing.isWaiting = false
                    if !pending.withLock({ $0.isEmpty }) { write(&writing, holding: held) }
                }
            }
        }
    }

    private func write(_ writing: inout Writing, holding held: FileDescriptor) {
        defer { withExtendedLifetime(held) {} }
        do {
            try write(pending.withLock { $0 }.applied(to: read().1))
            writing.hasFailed = false
        } catch {
            writing.hasFailed = true
        }
        pending.withLock { $0 = PendingValues() }
    }

    private func write(_ values: [String: Any]) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        guard data.count <= Self.largest else { throw Errno.fileTooLarge }
        var staged = try StagedFile(in: folder, permissions: 0o600)
        try data.withUnsafeBytes { try staged.descriptor.writeAll($0) }
        try staged.replace(name, durably: false)
    }
}

/// Changes of values that are not written yet.
private struct PendingValues: Sendable {
    /// The new values by key, each as a property list, because a program may change the object that it has set. A value
    /// of `nil` removes the key.
    private var values: [String: Data?] = [:]

    init() {}

    init(_ value: Any?, forKey key: String) throws {
        // Some kinds of values cannot be encoded by themselves, but every kind can be encoded as an element of an
        // array.
        values[key] = .some(
            try value.map { try PropertyListSerialization.data(fromPropertyList: [$0], format: .binary, options: 0) })
    }

    var isEmpty: Bool { values.isEmpty }

    mutating func add(_ later: PendingValues) { values.merge(later.values) { $1 } }

    func applied(to stored: [String: Any]) -> [String: Any] {
        var all = stored
        for (key, list) in values {
            let value = list.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
            all[key] = (value as? [Any])?.first
        }
        return all
    }
}

/// A wrapper that passes values out of a lock. It is `Sendable`, because property list values do not change after their
/// creation.
private struct Copied: @unchecked Sendable {
    let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }
}
