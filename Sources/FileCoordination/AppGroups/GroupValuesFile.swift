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

    /// The maximum number of bytes to read.
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
        // The changes are read first: a change that is written meanwhile is then in the file.
        let changes = pending.withLock { $0 }
        return changes.applied(to: storedValues())
    }

    private func storedValues() -> [String: Any] {
        guard let status = try? folder.status(of: name), status.kind == .regular else { return [:] }
        let state = FileState(status)
        let kept = known.withLock { $0.state == state ? Copied($0.values) : nil }
        if let kept { return kept.values }
        let (read, values) = read()
        let copied = Copied(values)
        known.withLock { $0 = Known(state: read, values: copied.values) }
        return values
    }

    private func read() -> (FileState?, [String: Any]) {
        guard let file = try? folder.open(entry: name, [.readOnly, .nonBlocking]), let status = try? file.status(),
            status.kind == .regular, let bytes = try? file.readToEnd(limit: Self.largest)
        else { return (nil, [:]) }
        return (FileState(status), ForeignPropertyList.dictionary(Data(bytes)) ?? [:])
    }

    /// Sets a value, or removes it if it is `nil`, and writes the whole file.
    ///
    /// If another program holds the file lock for long, the change is written when that program releases the lock. This
    /// process sees the change at once. If the file cannot be written, for example because the disk is full, the change
    /// is lost.
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
        let values = pending.withLock { $0 }.applied(to: read().1)
        do {
            try write(values)
            writing.hasFailed = false
        } catch {
            writing.hasFailed = true
        }
        pending.withLock { $0 = PendingValues() }
    }

    private func write(_ values: [String: Any]) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
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
        // Some kinds of values are no property list by themselves, but all are as an element of an array.
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
