import Glibc

/// A walk through a tree by descriptors, which never leaves the tree: depth first, a directory before its contents,
/// names in byte order.
///
/// - Symbolic links are reported, never followed. Pipes, sockets and devices are reported, and never opened.
/// - Each directory is listed when the walk enters it, and must be unchanged when the walk leaves it. An entry that
///   was added, removed or replaced meanwhile ends the walk with ``WalkError/changedDuringWalk(path:)``, so that no
///   archive or copy is a mixture of two states. (A change within one tick of the file system's clock, some
///   milliseconds on kernels before 6.13, can go unnoticed.) The reader of a *file* must check itself whether the
///   content changes.
/// - A fixed number of directories is open at a time and no recursion is used: the tree may be of any depth.
///
/// Not for use from several threads at once.
package struct TreeWalker: ~Copyable {
    /// An entry of the tree. The root's name is `nil`.
    package struct Entry: Sendable {
        package let name: FileName?
        package let status: FileStatus
    }

    package enum Event: Sendable {
        /// A directory begins. It is now ``TreeWalker/directory``.
        case enter(Entry)
        /// A directory ends. Its parent is ``TreeWalker/directory`` again; after the end of the root, it is still the
        /// root.
        case leave(Entry, FileDescriptor)
        /// A regular file, open for reading if the walk opens files.
        case file(Entry, FileDescriptor?)
        /// A symbolic link and its target.
        case link(Entry, target: [UInt8])
        /// A pipe, socket or device.
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
    /// The path of the current directory below the root.
    package private(set) var directoryPath = RelativePath()

    /// Creates a walk, without listing anything yet.
    ///
    /// - Parameters:
    ///   - root: a directory, opened in any way. It is opened once more, so its own position does not matter.
    ///   - opensFiles: whether regular files are opened.
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

    /// Converts an error at an entry that was just listed. If the entry is missing or has another kind, the tree has
    /// changed.
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
    /// A system call failed, often because a directory or file may not be read.
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

/// An entry of a tree that a copy or an archive left out: a pipe, socket or device.
package struct SkippedEntry: Sendable, Equatable {
    /// The path below the root.
    package let path: String
    package let kind: FileStatus.Kind

    package init(path: String, kind: FileStatus.Kind) {
        self.path = path
        self.kind = kind
    }
}

/// The size of a tree, for showing progress. Determining it costs one status call for each file.
package struct TreeSize: Sendable, Equatable {
    /// The total size of all regular files in bytes.
    package private(set) var bytes = 0
    /// The number of entries, without the root.
    package private(set) var entries = 0

    /// Returns the size of a directory's contents, or `nil` if cancelled. Opens nothing but directories.
    ///
    /// - Parameter isCancelled: called at every entry.
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
