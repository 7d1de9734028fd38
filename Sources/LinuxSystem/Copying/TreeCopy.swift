import Glibc

/// The state of a running copy of a tree. While the source is walked, a stack contains the corresponding directories of
/// the target.
struct TreeCopy: ~Copyable {
    private(set) var report = TreeCopier.Report()
    private let target: FileDescriptor
    private let destination: FileStatus.Identity
    private let origin: CopyOrigin
    private let mask: mode_t
    private var directories: DirectoryStack
    private var copier = ContentCopier()

    /// Creates a copy that has not begun.
    ///
    /// - Parameters:
    ///   - target: the empty directory that becomes the copy of the source's root.
    ///   - destination: the identity of the directory that contains `target`. The copy fails if the walk reaches this
    ///     directory.
    ///   - identity: the identity of `target`.
    ///   - origin: the origin of the source.
    init(
        into target: FileDescriptor, destination: FileStatus.Identity, stagedAt identity: FileStatus.Identity,
        origin: CopyOrigin
    ) {
        self.target = target
        self.destination = destination
        self.origin = origin
        mask = origin == .peer ? CreationMask.current : 0
        directories = DirectoryStack(root: target, identity: identity)
    }

    /// Copies all entries of the source.
    ///
    /// - Parameters:
    ///   - advanced: called with the total number of bytes copied so far.
    ///   - isCancelled: called between entries and between pieces of files. The copy is cancelled when this returns
    ///     `true`.
    mutating func run(
        _ source: FileDescriptor, advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(CopyError) {
        var walker = try Self.walker(source)
        while let event = try Self.next(&walker) {
            if isCancelled() { throw .cancelled }
            switch event {
            case .enter(let entry):
                if entry.status.identity == destination { throw .destinationInsideSource }
                guard let name = entry.name else { break }
                do throws(Errno) { try enter(name) } catch {
                    throw CopyError(error, path: walker.path(of: entry).description)
                }
            case .leave(let entry, let left):
                do throws(Errno) { try leave(entry, left) } catch {
                    throw CopyError(error, path: walker.path(of: entry).description)
                }
            case .file(let entry, let file):
                guard let name = entry.name, let file else { break }
                do throws(ContentError) {
                    try copyFile(
                        file, entry.status, to: name, advanced: advanced, isCancelled: isCancelled)
                } catch {
                    throw error.atPath(walker.path(of: entry).description)
                }
            case .link(let entry, let target):
                guard let name = entry.name else { break }
                do throws(Errno) { try copyLink(name, target, entry.status) } catch {
                    throw CopyError(error, path: walker.path(of: entry).description)
                }
            case .special(let entry):
                let path = walker.path(of: entry).description
                report.skipped.append(SkippedEntry(path: path, kind: entry.status.kind))
            }
        }
    }

    private static func walker(_ source: FileDescriptor) throws(CopyError) -> TreeWalker {
        do throws(WalkError) {
            return try TreeWalker(root: source, opensFiles: true)
        } catch {
            throw CopyError(error)
        }
    }

    private static func next(_ walker: inout TreeWalker) throws(CopyError) -> TreeWalker.Event? {
        do throws(WalkError) { return try walker.next() } catch { throw CopyError(error) }
    }

    private mutating func enter(_ name: FileName) throws(Errno) {
        try directories.current.makeDirectory(name, permissions: 0o700)
        let made = try directories.current.open(entry: name, [.readOnly, .directory])
        // A new directory cannot be its own ancestor.
        _ = directories.push(made, identity: try made.status().identity)
    }

    /// Sets the mode and times of a directory after its last entry was copied. Removes the directory from the stack
    /// before that, because the new mode may forbid opening the parent through `..`.
    private mutating func leave(_ entry: TreeWalker.Entry, _ left: FileDescriptor) throws(Errno) {
        let made = try directories.pop() ?? target
        try CopiedMetadata.apply(from: left, entry.status, to: made, origin: origin, mask: mask)
    }

    private mutating func copyFile(
        _ file: FileDescriptor, _ status: FileStatus, to name: FileName,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) {
        let directory = directories.current
        let copy = try Self.call { () throws(Errno) in try directory.createFile(name, permissions: 0o600) }
        var done = report.bytes
        _ = try copier.copy(
            file, status, to: copy,
            advanced: { count in
                done += count
                advanced(done)
            }, isCancelled: isCancelled)
        let (origin, mask) = (origin, mask)
        try Self.call { () throws(Errno) in
            try CopiedMetadata.apply(from: file, status, to: copy, origin: origin, mask: mask)
        }
        report.bytes = done
        report.files += 1
    }

    private static func call<Result>(_ body: () throws(Errno) -> Result) throws(ContentError) -> Result {
        do throws(Errno) { return try body() } catch { throw .system(error) }
    }

    private func copyLink(_ name: FileName, _ target: [UInt8], _ status: FileStatus) throws(Errno) {
        try directories.current.makeLink(name, target: target)
        do throws(Errno) {
            try retrying {
                utimensat(
                    directories.current.rawValue, name.characters, [status.accessed, status.modified],
                    AT_SYMLINK_NOFOLLOW)
            }
        } catch  where error == .notPermitted {
            // A confined process cannot set times by path.
        }
    }
}
