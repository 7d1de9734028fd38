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
    private let lockName: FileName

    private struct Known {
        /// The state of the file when `values` were read from it.
        var state: FileState?
        var values: [String: Any] = [:]
    }

    // Leaf lock.
    private let known = Lock(Known())
    /// The lock that is held while the file is changed. It is acquired before the lock of `known`.
    private let turn = Lock(())

    /// The maximum number of bytes to read.
    private static let largest = 16 << 20
    /// The maximum number of polls while another program of the group holds the file lock. Polls are 10 ms apart. A
    /// limit is needed because a program that never releases the lock must not block this one.
    private static let polls = 200

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
        (self.folder, self.name, self.lockName) = (place, name, lockName)
    }

    /// Returns the current values.
    func values() -> [String: Any] {
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

    /// Changes values and writes the whole file. If the file cannot be written, for example because the disk is full,
    /// the change is lost.
    func change(_ body: (inout [String: Any]) -> Void) {
        turn.withLock { _ in
            let lock = lockFile()
            defer { withExtendedLifetime(lock) {} }
            var (_, values) = read()
            body(&values)
            try? write(values)
        }
    }

    private func write(_ values: [String: Any]) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        var staged = try StagedFile(in: folder, permissions: 0o600)
        try data.withUnsafeBytes { try staged.descriptor.writeAll($0) }
        try staged.replace(name, durably: false)
    }

    /// Waits for the file lock, with at most ``polls`` attempts. Returns the lock file; closing it releases the lock.
    /// After the last attempt, returns the file without the lock. Returns `nil` if the lock file cannot be opened.
    private func lockFile() -> FileDescriptor? {
        guard
            let file = (try? folder.createFile(lockName, permissions: 0o600))
                ?? (try? folder.open(entry: lockName, [.readOnly, .nonBlocking]))
        else { return nil }
        for _ in 0..<Self.polls {
            if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { break }
            guard [.wouldBlock, .interrupted].contains(Errno.current) else { break }
            usleep(10_000)
        }
        return file
    }
}

/// A wrapper that passes values out of a lock. It is `Sendable`, because property list values do not change after their
/// creation.
private struct Copied: @unchecked Sendable {
    let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }
}
