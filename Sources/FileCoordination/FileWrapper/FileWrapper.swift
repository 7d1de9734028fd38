import Foundation

/// A file, a directory or a symbolic link in memory, to be read from and written to disk as a whole.
///
/// A wrapper made from a URL reads what it stands for when it is asked for it, unless `.immediate` was given. The children of
/// a directory are kept under unique names. What has more than 256 directories within each other, because a directory was added
/// to itself, say, is not read or written, which is an error, and what has more than 96 is not serialized. Not for use from
/// several threads at once, as on Apple's platforms.
///
/// Source: Foundation, `NSFileWrapper.h`. Foundation on Linux has no such class.
open class FileWrapper: NSObject, NSSecureCoding {
    /// How a wrapper is read.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Everything beneath is read at once, so that later changes on disk are not seen.
        public static var immediate: ReadingOptions { ReadingOptions(rawValue: 1 << 0) }
        /// Files are read into memory, never mapped.
        public static var withoutMapping: ReadingOptions { ReadingOptions(rawValue: 1 << 1) }
    }

    /// How a wrapper is written.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// What was there stays until the new contents are whole, and safe on disk. Without it they replace it in one step
        /// all the same, but may not survive the machine's sudden end.
        public static var atomic: WritingOptions { WritingOptions(rawValue: 1 << 0) }
        /// Once written, ``FileWrapper/filename`` is the name it was written under, also for the children.
        public static var withNameUpdating: WritingOptions { WritingOptions(rawValue: 1 << 1) }
    }

    enum Contents {
        case file(Data)
        /// Read when asked for.
        case unreadFile(URL, ReadingOptions)
        case directory([String: FileWrapper])
        case unreadDirectory(URL, ReadingOptions)
        case link(URL)
    }

    var contents: Contents
    /// The size, the time and the inode of the file when it was read.
    var stamp: FileStamp?

    /// The name to give the file when it is added to a directory or written.
    open var preferredFilename: String?
    /// The name that it was last read or written under.
    open var filename: String?
    /// Attributes as `FileManager` names them: of what was read, or to be given to what is written (`posixPermissions`,
    /// `modificationDate`).
    open var fileAttributes: [String: Any] = [:]

    // MARK: - Making

    /// Reads the file, directory or link at a URL. A link is not followed.
    ///
    /// - Throws: `CocoaError`, when there is nothing or it cannot be read.
    public init(url: URL, options: ReadingOptions = []) throws {
        contents = .file(Data())
        super.init()
        try load(url, options, depth: 0)
    }

    /// A child that is so deep beneath the wrapper which is being read.
    init(url: URL, options: ReadingOptions, depth: Int) throws {
        contents = .file(Data())
        super.init()
        try load(url, options, depth: depth)
    }

    /// One within the other, wrappers would be released by as many calls.
    deinit {
        FileWrapperDepth.releaseChildren(of: self)
    }

    func takeChildren() -> [FileWrapper] {
        guard case .directory(let children) = contents else { return [] }
        contents = .directory([:])
        return Array(children.values)
    }

    /// A directory with these children. Each child gets the name it is listed under as its preferred one where it has none.
    public init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
        contents = .directory([:])
        super.init()
        for (name, child) in childrenByPreferredName.sorted(by: { $0.key < $1.key }) {
            if child.preferredFilename == nil { child.preferredFilename = name }
            insert(child, under: name)
        }
    }

    /// A regular file with these contents.
    public init(regularFileWithContents contents: Data) {
        self.contents = .file(contents)
        super.init()
    }

    /// A symbolic link to a URL; one that is relative stays so.
    public init(symbolicLinkWithDestinationURL url: URL) {
        contents = .link(url)
        super.init()
    }

    /// A wrapper from ``serializedRepresentation``; `nil` for other data.
    public init?(serializedRepresentation serializeRepresentation: Data) {
        guard let form = SerializedWrapper.decode(serializeRepresentation) else { return nil }
        contents = .file(Data())
        super.init()
        restore(form)
    }

    /// Reads a wrapper that was archived; `nil` for what is not one.
    public required init?(coder inCoder: NSCoder) {
        guard let data = inCoder.decodeObject(of: NSData.self, forKey: "serializedRepresentation"),
            let form = SerializedWrapper.decode(Data(referencing: data))
        else { return nil }
        contents = .file(Data())
        super.init()
        restore(form)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    /// Archives everything beneath.
    open func encode(with coder: NSCoder) {
        if let data = serializedRepresentation { coder.encode(data as NSData, forKey: "serializedRepresentation") }
    }

    // MARK: - Kind

    /// Whether this is a directory.
    open var isDirectory: Bool {
        switch contents {
        case .directory, .unreadDirectory: true
        default: false
        }
    }

    /// Whether this is a regular file.
    open var isRegularFile: Bool {
        switch contents {
        case .file, .unreadFile: true
        default: false
        }
    }

    /// Whether this is a symbolic link.
    open var isSymbolicLink: Bool {
        if case .link = contents { return true }
        return false
    }

    // MARK: - Contents

    /// The contents of a regular file; `nil` for anything else, and for a file that has changed or gone since the wrapper was
    /// made and was not read yet.
    open var regularFileContents: Data? {
        switch contents {
        case .file(let data): return data
        case .unreadFile(let url, let options):
            guard let data = try? read(fileAt: url, options) else { return nil }
            contents = .file(data)
            return data
        default: return nil
        }
    }

    /// Where a symbolic link leads; `nil` for anything else.
    open var symbolicLinkDestinationURL: URL? {
        if case .link(let url) = contents { return url }
        return nil
    }

    /// The children of a directory by their unique names; `nil` for anything else, and for a directory that has gone since.
    open var fileWrappers: [String: FileWrapper]? {
        switch contents {
        case .directory(let children): return children
        case .unreadDirectory(let url, let options):
            guard let children = try? read(directoryAt: url, options, depth: 0) else { return nil }
            contents = .directory(children)
            return children
        default: return nil
        }
    }

    // MARK: - Reading and writing

    /// Reads a wrapper anew from a URL, in place of what it was.
    ///
    /// - Throws: `CocoaError`, when there is nothing or it cannot be read; the wrapper then stays as it was.
    open func read(from url: URL, options: ReadingOptions = []) throws {
        try load(url, options, depth: 0)
    }

    /// Whether what is at a URL is as this wrapper has it: of the same kind and, by inode, size and time of modification,
    /// unchanged since it was read or written; for a directory, with the same names and each of them unchanged.
    open func matchesContents(of url: URL) -> Bool { matches(url, depth: 0) }

    /// Writes everything beneath to a URL, in place of what is there.
    ///
    /// It is made under a hidden name beside its place and appears there when it is whole; an error leaves what was there.
    ///
    /// - Parameter originalContentsURL: where the wrapper was read from: what was not read yet is taken from there.
    /// - Throws: `CocoaError`.
    open func write(to url: URL, options: WritingOptions = [], originalContentsURL: URL?) throws {
        try writeWhole(to: url, options, original: originalContentsURL)
    }

    /// Everything beneath as data, for ``init(serializedRepresentation:)``; `nil` when something of it cannot be read any more.
    open var serializedRepresentation: Data? { serialized }

    // MARK: - Children

    /// Adds a child to a directory under its preferred name, or where that is taken under one made from it.
    ///
    /// - Returns: the name that it got. A wrapper that is no directory takes no children and gives the preferred name back.
    @discardableResult
    open func addFileWrapper(_ child: FileWrapper) -> String {
        insert(child, under: child.preferredFilename ?? child.filename ?? "")
    }

    /// Adds a regular file to a directory, see ``addFileWrapper(_:)``.
    @discardableResult
    open func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
        let child = FileWrapper(regularFileWithContents: data)
        child.preferredFilename = fileName
        return addFileWrapper(child)
    }

    /// Removes a child. Does nothing when it is none.
    open func removeFileWrapper(_ child: FileWrapper) {
        guard let key = keyForChildFileWrapper(child), var children = fileWrappers else { return }
        children[key] = nil
        contents = .directory(children)
    }

    /// The unique name of a child; `nil` when it is none.
    open func keyForChildFileWrapper(_ child: FileWrapper) -> String? {
        fileWrappers?.first { $0.value === child }?.key
    }

    @discardableResult
    private func insert(_ child: FileWrapper, under preferredName: String) -> String {
        let name = FileWrapperName.valid(preferredName)
        guard var children = fileWrappers else { return name }
        if child.preferredFilename == nil { child.preferredFilename = name }
        let key = FileWrapperName.unique(name) { children[$0] != nil }
        children[key] = child
        contents = .directory(children)
        return key
    }
}
