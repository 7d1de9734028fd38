import Glibc

/// A walk through a directory tree. The walk is depth-first, and reports a directory before its contents, and names in
/// byte order. All system calls are relative to open directories, so that the walk never leaves the tree.
///
/// - Symbolic links are reported, never followed. Pipes, sockets and devices are reported, and never opened.
/// - Each directory is listed when the walk enters it, and must be unchanged when the walk leaves it. If an entry was
///   added, removed or replaced in the meantime, the walk ends with ``WalkError/changedDuringWalk(path:)``, so that no
///   archive or copy is a mixture of two states. (A change within one tick of the file system's clock, some
///   milliseconds on kernels before 6.13, can go unnoticed.) The caller that reads a *file* must itself check whether
///   the file's content changes.
/// - A fixed number of directories is open at a time, and no recursion is used. Therefore the tree may have any depth.
///
/// A walker must not be used by several threads at once.
package struct TreeWalker: ~Copyable {
    /// An entry of the tree. The name of the tree's root is `nil`.
    package struct Entry: Sendable {
        package let name: FileName?
        package let status: FileStatus
    }

    package enum Event: Sendable {
        /// The walk enters a directory, which is now ``TreeWalker/directory``.
        case enter(Entry)
        /// The walk leaves a directory, whose descriptor is the second value. ``TreeWalker/directory`` is now the
        /// parent of the directory that was left. After the root was left, ``TreeWalker/directory`` is still the root.
        case leave(Entry, FileDescriptor)
        /// A regular file. The descriptor is open for reading if the walk opens files; otherwise it is `nil`.
        case file(Entry, FileDescriptor?)
        /// A symbolic link, and the target of the link.
        case link(Entry, target: [UInt8])
        /// A pipe, a socket or a device.
        case special(Entry)
    }

    private struct Frame {
        let entry: Entry
        let entries: [DirectoryEntry]
        var next = 0
    }

    private let opensFiles: Bool
    private var stack: DirectoryStack
    private var frames: [Frame] = []
    private var hasBegun = false
    /// The path of the current directory relative to the root.
    package private(set) var directoryPath = RelativePath()

    /// Creates a walk. No directory is listed yet.
    ///
    /// - Parameters:
    ///   - root: a directory, opened in any mode. The walk opens it once more, so the position of this descriptor does
    ///     not matter.
    ///   - opensFiles: whether to open regular files.
    package init(root: FileDescriptor, opensFiles: Bool) throws(WalkError) {
        do throws(Errno) {
            let own = try root.open(".", [.readOnly, .directory])
            stack = DirectoryStack(root: own, identity: try own.status().identity)
        } catch {
            throw .system(error, path: ".")
        }
        self.opensFiles = opensFiles
    }

    /// The current directory of the walk.
    package var directory: FileDescriptor { stack.current }

    /// Returns the path of an entry of the current directory, for messages and archives.
    package func path(of entry: Entry) -> RelativePath {
        entry.name.map(directoryPath.appending) ?? directoryPath
    }

    /// Returns the next event, or `nil` after the root was left.
    package mutating func next() throws(WalkError) -> Event? {
        guard let last = frames.indices.last else {
            if hasBegun { return nil }
            hasBegun = true
            return try begin()
        }
        if frames[last].next < frames[last].entries.count {
            frames[last].next += 1
            return try visit(frames[last].entries[frames[last].next - 1])
        }
        return try leave(frames.removeLast().entry)
    }

    private mutating func begin() throws(WalkError) -> Event {
        do throws(Errno) {
            let entry = Entry(name: nil, status: try stack.current.status())
            frames.append(Frame(entry: entry, entries: try stack.current.sortedEntries()))
            return .enter(entry)
        } catch {
            throw .system(error, path: ".")
        }
    }

    private mutating func visit(_ found: DirectoryEntry) throws(WalkError) -> Event {
        do throws(Errno) {
            let kind = if let listed = found.kind { listed } else { try stack.current.status(of: found.name).kind }
            if kind != .directory { return try report(found.name, kind) }
        } catch {
            throw Self.failure(error, at: directoryPath.appending(found.name))
        }
        return try enter(found.name)
    }

    private func report(_ name: FileName, _ kind: FileStatus.Kind) throws(Errno) -> Event {
        if kind == .regular && opensFiles {
            // Non-blocking: if a pipe has replaced the file, opening it must not wait for a writer.
            let file = try stack.current.open(entry: name, [.readOnly, .nonBlocking])
            let status = try file.status()
            guard status.kind == .regular else { throw Errno(rawValue: ESTALE) }
            return .file(Entry(name: name, status: status), file)
        }
        let entry = Entry(name: name, status: try stack.current.status(of: name))
        guard entry.status.kind == kind else { throw Errno(rawValue: ESTALE) }
        switch kind {
        case .regular: return .file(entry, nil)
        case .symbolicLink: return .link(entry, target: try stack.current.target(ofLink: name))
        default: return .special(entry)
        }
    }

    private mutating func enter(_ name: FileName) throws(WalkError) -> Event {
        directoryPath.append(name)
        let directory: FileDescriptor
        let entry: Entry
        let entries: [DirectoryEntry]
        do throws(Errno) {
            directory = try stack.current.open(entry: name, [.readOnly, .directory, .nonBlocking])
            entry = Entry(name: name, status: try directory.status())
            entries = try directory.sortedEntries()
        } catch {
            throw Self.failure(error, at: directoryPath)
        }
        guard stack.push(directory, identity: entry.status.identity) else {
            throw .containsItself(path: directoryPath.description)
        }
        frames.append(Frame(entry: entry, entries: entries))
        return .enter(entry)
    }

    private mutating func leave(_ entry: Entry) throws(WalkError) -> Event {
        do throws(Errno) {
            let left = stack.current
            guard try left.status().hasSameContent(as: entry.status) else { throw Errno(rawValue: ESTALE) }
            _ = try stack.pop()
            if entry.name != nil { directoryPath.removeLast() }
            return .leave(entry, left)
        } catch {
            throw Self.failure(error, at: directoryPath)
        }
    }

    /// Converts an error that occurred at an entry that was just listed. If the entry is missing or has another kind,
    /// returns the error that the tree has changed.
    private static func failure(_ error: Errno, at path: RelativePath) -> WalkError {
        switch error.rawValue {
        case ENOENT, ENOTDIR, ELOOP, ESTALE, ENXIO, EINVAL: .changedDuringWalk(path: path.description)
        default: .system(error, path: path.description)
        }
    }
}

extension FileDescriptor {
    fileprivate func sortedEntries() throws(Errno) -> [DirectoryEntry] {
        try entries().sorted { $0.name < $1.name }
    }
}

/// The reason why a walk through a tree ended early. Paths are relative to the walk's root.
package enum WalkError: Error, Equatable {
    /// An entry vanished, changed its kind, or was added after its directory was listed.
    case changedDuringWalk(path: String)
    /// A directory contains itself, which only a user-space file system can report.
    case containsItself(path: String)
    /// A system call failed, often because the process has no permission to read a directory or file.
    case system(Errno, path: String)
}

extension WalkError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .changedDuringWalk(let path): "“\(path)” changed while the folder was being read"
        case .containsItself(let path): "the folder “\(path)” contains itself"
        case .system(let error, let path): "“\(path)”: \(error)"
        }
    }
}

/// An entry of a tree that was left out of a copy or an archive, because it is a pipe, a socket or a device.
package struct SkippedEntry: Sendable, Equatable {
    /// The path of the entry, relative to the root of the tree.
    package let path: String
    package let kind: FileStatus.Kind

    package init(path: String, kind: FileStatus.Kind) {
        self.path = path
        self.kind = kind
    }
}

/// The size of a tree, with which progress can be shown. To determine the size takes one system call for each file.
package struct TreeSize: Sendable, Equatable {
    /// The total size, in bytes, of all regular files.
    package private(set) var bytes = 0
    /// The number of entries. The root is not counted.
    package private(set) var entries = 0

    /// Returns the size of a directory's contents, or `nil` if the walk was cancelled. Opens only directories.
    ///
    /// - Parameter isCancelled: called at every entry. The walk is cancelled when this returns `true`.
    package static func of(
        _ root: FileDescriptor, isCancelled: () -> Bool = { false }
    ) throws(WalkError) -> TreeSize? {
        var size = TreeSize()
        var walker = try TreeWalker(root: root, opensFiles: false)
        while let event = try walker.next() {
            if isCancelled() { return nil }
            switch event {
            case .file(let entry, _):
                size.bytes += entry.status.size
                size.entries += 1
            case .enter(let entry): size.entries += entry.name == nil ? 0 : 1
            case .link, .special: size.entries += 1
            case .leave: break
            }
        }
        return size
    }
}
