import Foundation

/// A file, a directory or a symbolic link in memory. It is read from disk and written to disk as a whole.
///
/// A wrapper that is created from a URL reads the contents on first use, unless the option `.immediate` is set. A
/// directory has its children under unique names. A hierarchy of more than 256 nested directories, such as a directory
/// wrapper that contains itself, can be neither read nor written: an error is thrown. A hierarchy of more than 96
/// nested directories cannot be serialized. A wrapper must not be used from several threads at once, as on Apple's
/// platforms.
///
/// Source: Foundation, `NSFileWrapper.h`. Foundation on Linux does not have this class.
open class FileWrapper: NSObject, NSSecureCoding {
    /// Options for reading a wrapper.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The whole hierarchy is read at once, so that later changes on disk have no effect.
        public static var immediate: ReadingOptions { ReadingOptions(rawValue: 1 << 0) }
        /// Files are read into memory and never mapped.
        public static var withoutMapping: ReadingOptions { ReadingOptions(rawValue: 1 << 1) }
    }

    /// Options for writing a wrapper.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The former contents stay until the new contents are complete and synchronized to disk. Without this option,
        /// the replacement is atomic, too, but may be lost if the machine crashes.
        public static var atomic: WritingOptions { WritingOptions(rawValue: 1 << 0) }
        /// Writing sets ``FileWrapper/filename`` to the name under which the wrapper is written, also in its children.
        public static var withNameUpdating: WritingOptions { WritingOptions(rawValue: 1 << 1) }
    }

    enum Contents {
        case file(Data)
        /// A file whose contents will be read on first use.
        case unreadFile(URL, ReadingOptions)
        case directory([String: FileWrapper])
        case unreadDirectory(URL, ReadingOptions)
        case link(URL)
    }

    var contents: Contents
    /// The size, modification time and inode number that the file had when it was last read or written.
    var stamp: FileStamp?

    /// The name that the wrapper gets when it is added to a directory or written.
    open var preferredFilename: String?
    /// The name under which the file was last read or written.
    open var filename: String?
    /// The file's attributes. The keys are raw values of `FileAttributeKey`. Reading sets this property to the
    /// attributes of the file. Writing applies `posixPermissions` and `modificationDate` to the written file.
    open var fileAttributes: [String: Any] = [:]

    // MARK: - Initialization

    /// Reads the file, directory or link at a URL. A link is not followed.
    ///
    /// - Throws: `CocoaError`, if nothing exists at the URL or it cannot be read.
    public init(url: URL, options: ReadingOptions = []) throws {
        contents = .file(Data())
        super.init()
        try load(url, options, depth: 0)
    }

    /// Reads a descendant of the wrapper that is being read. `depth` is the number of directories above the descendant,
    /// up to and including that wrapper.
    init(url: URL, options: ReadingOptions, depth: Int) throws {
        contents = .file(Data())
        super.init()
        try load(url, options, depth: depth)
    }

    /// Releases the children in a loop, because the recursive release of nested wrappers could overflow the stack.
    deinit {
        FileWrapperDepth.releaseChildren(of: self)
    }

    func takeChildren() -> [FileWrapper] {
        guard case .directory(let children) = contents else { return [] }
        contents = .directory([:])
        return Array(children.values)
    }

    /// Creates a directory with the given children. A child without a preferred name gets its key as the preferred
    /// name.
    public init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
        contents = .directory([:])
        super.init()
        for (name, child) in childrenByPreferredName.sorted(by: { $0.key < $1.key }) {
            if child.preferredFilename == nil { child.preferredFilename = name }
            insert(child, under: name)
        }
    }

    /// Creates a regular file with contents.
    public init(regularFileWithContents contents: Data) {
        self.contents = .file(contents)
        super.init()
    }

    /// Creates a symbolic link to the given URL. A relative URL stays relative.
    public init(symbolicLinkWithDestinationURL url: URL) {
        contents = .link(url)
        super.init()
    }

    /// Creates a wrapper from the value of another wrapper's ``serializedRepresentation``; `nil` for other data.
    public init?(serializedRepresentation serializeRepresentation: Data) {
        guard let form = SerializedWrapper.decode(serializeRepresentation) else { return nil }
        contents = .file(Data())
        super.init()
        restore(form)
    }

    /// Decodes a wrapper from an archive. Returns `nil` if the archive contains no wrapper.
    public required init?(coder inCoder: NSCoder) {
        guard let data = inCoder.decodeObject(of: NSData.self, forKey: "serializedRepresentation"),
            let form = SerializedWrapper.decode(Data(referencing: data))
        else { return nil }
        contents = .file(Data())
        super.init()
        restore(form)
    }

    /// Whether secure coding is supported: `true`.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the whole hierarchy into an archive.
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

    /// The contents of a regular file; `nil` for a directory or link, and if the file was changed or removed before it
    /// was read.
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

    /// The target of a symbolic link; `nil` for a file or directory.
    open var symbolicLinkDestinationURL: URL? {
        if case .link(let url) = contents { return url }
        return nil
    }

    /// The children of a directory by their unique names; `nil` for a file or link, and if the directory was removed
    /// before it was read.
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

    /// Reads the file, directory or link at a URL, and replaces the contents of the wrapper.
    ///
    /// - Throws: `CocoaError`, if nothing exists at the URL or it cannot be read; in this case the wrapper is
    ///   unchanged.
    open func read(from url: URL, options: ReadingOptions = []) throws {
        try load(url, options, depth: 0)
    }

    /// Whether the item at a URL matches this wrapper: it has the same kind, and the same inode number, size and
    /// modification time as when it was read or written. A directory must have the same names, and each child must
    /// match.
    open func matchesContents(of url: URL) -> Bool { matches(url, depth: 0) }

    /// Writes the whole hierarchy to a URL, replacing an existing item.
    ///
    /// The hierarchy is built under a hidden name in the same directory and then renamed. After an error the former
    /// item is unchanged.
    ///
    /// - Parameter originalContentsURL: The URL that the wrapper was read from. If a file was not read yet, and cannot
    ///   be read now because it was changed or removed, its contents are copied from this URL.
    /// - Throws: `CocoaError`.
    open func write(to url: URL, options: WritingOptions = [], originalContentsURL: URL?) throws {
        try writeWhole(to: url, options, original: originalContentsURL)
    }

    /// The whole hierarchy as data, for ``init(serializedRepresentation:)``; `nil` if a part of it could not be read.
    open var serializedRepresentation: Data? { serialized }

    // MARK: - Children

    /// Adds a child to this directory under the child's preferred name. If another child has this name, a new name is
    /// derived from it.
    ///
    /// - Returns: The name under which the child was added. If this wrapper is not a directory, the child is not added,
    ///   and the preferred name is returned.
    @discardableResult
    open func addFileWrapper(_ child: FileWrapper) -> String {
        insert(child, under: child.preferredFilename ?? child.filename ?? "")
    }

    /// Adds a regular file to a directory; see ``addFileWrapper(_:)``.
    @discardableResult
    open func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
        let child = FileWrapper(regularFileWithContents: data)
        child.preferredFilename = fileName
        return addFileWrapper(child)
    }

    /// Removes the given child. Does nothing if the wrapper is not a child of this directory.
    open func removeFileWrapper(_ child: FileWrapper) {
        guard let key = keyForChildFileWrapper(child), var children = fileWrappers else { return }
        children[key] = nil
        contents = .directory(children)
    }

    /// Returns the unique name of the given child; `nil` if the wrapper is not a child of this directory.
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
