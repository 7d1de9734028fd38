import FileCoordination
import Foundation
import ItemProvider

/// A pasteboard, through which programs exchange items, with the interface of Mac programs. Both this class and
/// ``UIPasteboard`` use the same pasteboards: an item that is copied with one class can be pasted with the other.
///
/// A program becomes the owner of a pasteboard by ``clearContents()`` or ``declareTypes(_:owner:)``, and may write to
/// it until another program becomes the owner. Promised data is requested when a client in any process loads it. A
/// program that ends normally first provides all promised data of the general pasteboard.
///
/// ```swift
/// let pasteboard = NSPasteboard.general
/// pasteboard.clearContents()
/// pasteboard.setString("text", forType: .string)
/// ```
///
/// Functions that read or write send requests to the daemon. Functions that return a value load it from the process
/// that offers it. They block the calling thread, as on Apple's platforms, for up to a minute. Call them on the main
/// thread or on a thread that the program started, not in a task. Owners and data providers are called on the main
/// thread, even while it waits in one of these functions.
///
/// Sendable because its state is constant: a name, a store, and the contents to fill, which have their own lock.
///
/// Source: AppKit, `NSPasteboard.h`.
open class NSPasteboard: NSObject, @unchecked Sendable {
    /// The pasteboard of copy and paste.
    open class var general: NSPasteboard { sharedGeneral }
    private static let sharedGeneral = NSPasteboard(name: .general)

    private let ownName: Name
    let store: PasteboardStore
    /// The contents to fill, if this object is the pasteboard that is passed to an owner. The data that the owner sets
    /// goes into these contents, even if the pasteboard has other contents now.
    private let filled: ItemContents?

    /// Creates a pasteboard by its name. An invalid name (empty, with control characters, or of more than 244 bytes
    /// in UTF-8) works only in a program without a daemon.
    public init(name: NSPasteboard.Name) {
        ownName = name
        store = .shared
        filled = nil
        super.init()
    }

    package init(_ name: Name, _ store: PasteboardStore) {
        ownName = name
        self.store = store
        filled = nil
        super.init()
    }

    init(_ name: Name, _ store: PasteboardStore, filling item: ItemContents) {
        ownName = name
        self.store = store
        filled = item
        super.init()
    }

    /// Returns a pasteboard with a unique name.
    open class func withUniqueName() -> NSPasteboard { NSPasteboard(name: uniqueName) }

    static var uniqueName: Name { Name("org.purvey.unique.\(UUID().uuidString)") }

    /// The pasteboard's name.
    open var name: NSPasteboard.Name { ownName }

    /// A number that increases whenever a process becomes the owner of the pasteboard. It stays the same while the
    /// owner adds data.
    open var changeCount: Int { (try? store.boards.changeCount(of: ownName.board)) ?? 0 }

    /// Whether another object represents the same pasteboard.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPasteboard else { return false }
        return other.ownName == ownName && other.store === store
    }

    /// The hash value of the name.
    open override var hash: Int { ownName.hashValue }

    /// Removes the contents of a named pasteboard that is not needed any more. Has no effect on the general pasteboard.
    open func releaseGlobally() {
        guard ownName != .general else { return }
        _ = store.takeOver(ownName.board)
    }

    // MARK: - Taking over

    /// Makes this process the owner of the pasteboard, and removes its contents. The options have no effect on Linux.
    ///
    /// - Returns: the new change count; 0 if the pasteboard is not available.
    @discardableResult
    open func prepareForNewContents(with options: NSPasteboard.ContentsOptions = []) -> Int { clearContents() }

    /// Makes this process the owner of the pasteboard, and removes its contents.
    ///
    /// - Returns: the new change count; 0 if the pasteboard is not available.
    @discardableResult
    open func clearContents() -> Int { store.takeOver(ownName.board) ?? 0 }

    /// Makes this process the owner of the pasteboard, with one item of these types. The data of the types is set
    /// afterwards, or requested from the object `newOwner` when a client loads it.
    ///
    /// - Parameter newOwner: an ``NSPasteboardTypeOwner``. It is not retained. Its promises are valid as long as it
    ///   exists.
    /// - Returns: the new change count; 0 if the pasteboard is not available.
    @discardableResult
    open func declareTypes(_ newTypes: [NSPasteboard.PasteboardType], owner newOwner: Any?) -> Int {
        let owner = (newOwner as? any NSPasteboardTypeOwner).map { TypeOwner($0, store) }
        let item = ItemContents()
        item.promise(newTypes, by: owner?.promise(ownName))
        _ = item.bind(to: self)
        return store.takeOver(ownName.board, with: item.types.isEmpty ? [] : [item], owner: owner) ?? 0
    }

    /// Adds types to the first item of a pasteboard that this process owns, see ``declareTypes(_:owner:)``.
    ///
    /// - Returns: the change count; 0 if this process is not the owner any more.
    @discardableResult
    open func addTypes(_ newTypes: [NSPasteboard.PasteboardType], owner newOwner: Any?) -> Int {
        let owner = (newOwner as? any NSPasteboardTypeOwner).map { TypeOwner($0, store) }
        guard let contents = store.contents(of: ownName.board) else { return 0 }
        let isDone = write(to: contents) { $0.promise(newTypes, by: owner?.promise(ownName)) }
        guard isDone else { return 0 }
        if let owner { contents.add(owner) }
        return contents.changeCount
    }

    // MARK: - Writing

    /// Adds objects to a pasteboard that this process owns, each as an item.
    ///
    /// - Returns: whether all objects were written. No object is written if this process is not the owner, if an object
    ///   provides no data for any type, or if an item is on a pasteboard already.
    @discardableResult
    open func writeObjects(_ objects: [any NSPasteboardWriting]) -> Bool {
        guard !objects.isEmpty, let contents = store.contents(of: ownName.board) else { return false }
        var added: [ItemContents] = []
        defer {
            // Items that were not written are not bound to the pasteboard any more, so that they can be written again.
            for item in added { item.unbind() }
        }
        for object in objects {
            guard let item = ItemContents.written(by: object, to: self), item.bind(to: self) else { return false }
            added.append(item)
        }
        let isWritten = store.write(to: contents) { items in
            items += added
            return true
        }
        if isWritten { added = [] }
        return isWritten
    }

    /// Sets the first item's data of the given type; `nil` removes the data.
    ///
    /// - Returns: `false` if this process is not the owner.
    @discardableResult
    open func setData(_ data: Data?, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        // Without data, the type is only declared. A promise of its data ends.
        guard let data else { return set({ $0.promise([dataType], by: nil) }) }
        return set { $0.set(data, for: dataType) != nil }
    }

    /// Encodes a value as a property list, and sets the result as the first item's data of the given type.
    ///
    /// - Returns: `false` if this process is not the owner, or if a property list cannot contain the value.
    @discardableResult
    open func setPropertyList(_ plist: Any, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        guard let data = PasteboardData.data(of: plist, as: dataType) else { return false }
        return setData(data, forType: dataType)
    }

    /// Sets a string as the first item's data of the given type.
    ///
    /// - Returns: `false` if this process is not the owner.
    @discardableResult
    open func setString(_ string: String, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        setPropertyList(string, forType: dataType)
    }

    private func set(_ body: (ItemContents) -> Bool) -> Bool {
        if let filled { return body(filled) }
        guard let contents = store.contents(of: ownName.board) else { return false }
        return write(to: contents, body)
    }

    /// Changes the first item, after creating it if there is none. Writes to the board only if the item has a new type.
    private func write(to contents: PasteboardContents, _ body: (ItemContents) -> Bool) -> Bool {
        if let first = contents.items.first {
            let before = first.types
            guard body(first) else { return false }
            return first.types == before || store.write(to: contents) { _ in true }
        }
        let item = ItemContents()
        guard body(item), item.bind(to: self) else { return false }
        return store.write(to: contents) { items in
            items.insert(item, at: 0)
            return true
        }
    }

    // MARK: - Reading

    /// The items; `nil` if the pasteboard is not available. Their values are not loaded yet.
    open var pasteboardItems: [NSPasteboardItem]? {
        if let contents = store.contents(of: ownName.board) { return contents.items.map(\.handle) }
        guard let count = try? store.boards.changeCount(of: ownName.board),
            let providers = try? store.boards.items(of: ownName.board)
        else { return nil }
        let offered = providers.filter { !$0.hasItemConformingToTypeIdentifier(DragOperation.controlType) }
        return offered.enumerated().map { index, provider in
            NSPasteboardItem(
                OfferedItem(provider.promise, on: ownName.board, changeCount: count, index: index, store))
        }
    }

    /// Creates an object from each item. The object's class is the first of the given classes that can read the item.
    ///
    /// - Parameters:
    ///   - classArray: ``NSPasteboardReading`` classes in order of preference, such as `NSURL.self` and
    ///     `NSString.self`. `NSPasteboardItem.self` reads any item that no class before it can read.
    ///   - options: see ``ReadingOptionKey``.
    /// - Returns: the objects, possibly none; `nil` if the pasteboard is not available.
    open func readObjects(
        forClasses classArray: [AnyClass], options: [NSPasteboard.ReadingOptionKey: Any]? = nil
    ) -> [Any]? {
        pasteboardItems?.compactMap { item in
            classArray.lazy.compactMap { PasteboardReader($0, self, options)?.object(from: item) }.first
        }
    }

    /// Whether at least one of the given classes can read an item; see ``readObjects(forClasses:options:)``. Loads no
    /// data, except URLs if the options restrict the types of files.
    open func canReadObject(
        forClasses classArray: [AnyClass], options: [NSPasteboard.ReadingOptionKey: Any]? = nil
    ) -> Bool {
        (pasteboardItems ?? []).contains { item in
            classArray.contains { PasteboardReader($0, self, options)?.canRead(item) == true }
        }
    }

    /// Whether an item has one of the given types, or a type that conforms to one of them.
    open func canReadItem(withDataConformingToTypes types: [String]) -> Bool {
        (pasteboardItems ?? []).contains { item in
            item.types.contains { own in types.contains { TypeIdentifier.conforms(own.rawValue, to: $0) } }
        }
    }

    /// Returns the position of an item; `NSNotFound` if the pasteboard does not contain the item.
    open func index(of pasteboardItem: NSPasteboardItem) -> Int {
        pasteboardItems?.firstIndex { $0.isSame(as: pasteboardItem) } ?? NSNotFound
    }

    /// The types of all items, each once; `nil` if the pasteboard is not available.
    open var types: [NSPasteboard.PasteboardType]? {
        pasteboardItems?.flatMap(\.types).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the first of the given types that the pasteboard has; `nil` if it has none of them.
    open func availableType(from types: [NSPasteboard.PasteboardType]) -> NSPasteboard.PasteboardType? {
        let items = pasteboardItems ?? []
        return types.first { type in items.contains { $0.availableType(from: [type]) != nil } }
    }

    /// Returns the data of the given type from the first item that has the type; `nil` if it is not available. Requests
    /// promised data and waits for it.
    open func data(forType dataType: NSPasteboard.PasteboardType) -> Data? {
        pasteboardItems?.lazy.compactMap { $0.data(forType: dataType) }.first
    }

    /// Returns the value of the given type from the first item that has the type; `nil` if it is not available. The
    /// data of a text type is decoded as a string, and the data of any other type as a property list.
    open func propertyList(forType dataType: NSPasteboard.PasteboardType) -> Any? {
        pasteboardItems?.lazy.compactMap { $0.propertyList(forType: dataType) }.first
    }

    /// Returns the strings of all items that have the type, separated by line breaks.
    open func string(forType dataType: NSPasteboard.PasteboardType) -> String? {
        let strings = (pasteboardItems ?? []).compactMap { $0.string(forType: dataType) }
        return strings.isEmpty ? nil : strings.joined(separator: "\n")
    }

    // MARK: - Files

    /// Writes a file or directory to a pasteboard that this process owns. It is written as `fileContents` and as the
    /// type for contents of files with its extension.
    ///
    /// - Returns: `false` if the file cannot be read, or if this process is not the owner.
    @discardableResult
    open func writeFileContents(_ filename: String) -> Bool {
        guard let wrapper = try? FileWrapper(url: URL(fileURLWithPath: filename)) else { return false }
        return write(wrapper)
    }

    /// Writes a file wrapper, see ``writeFileContents(_:)``.
    @discardableResult
    open func write(_ wrapper: FileWrapper) -> Bool {
        guard let data = wrapper.serializedRepresentation else { return false }
        let name = wrapper.preferredFilename ?? wrapper.filename ?? ""
        let pathExtension = (name as NSString).pathExtension
        if let type = PasteboardType.fileContentsType(forPathExtension: pathExtension) {
            guard setData(data, forType: type) else { return false }
        }
        return setData(data, forType: .fileContents)
    }

    /// Reads a file wrapper that ``write(_:)`` wrote; returns `nil` if the pasteboard has none.
    open func readFileWrapper() -> FileWrapper? {
        data(forType: .fileContents).flatMap { FileWrapper(serializedRepresentation: $0) }
    }

    /// Reads a file or directory from the pasteboard and writes it to the disk. Does not replace an existing file.
    ///
    /// - Parameters:
    ///   - type: the type to read: `fileContents`, or the type of contents with an extension. If it is `nil`, the type
    ///     for the extension of `filename` is read, or `fileContents` if the pasteboard does not have that type.
    ///   - filename: the path to write to.
    /// - Returns: the path; `nil` if the pasteboard does not have the type, or if the file cannot be written.
    open func readFileContentsType(_ type: NSPasteboard.PasteboardType?, toFile filename: String) -> String? {
        let ofName = PasteboardType.fileContentsType(forPathExtension: (filename as NSString).pathExtension)
        let types = type.map { [$0] } ?? [ofName, .fileContents].compactMap { $0 }
        guard let data = types.lazy.compactMap({ self.data(forType: $0) }).first,
            let wrapper = FileWrapper(serializedRepresentation: data),
            !FileManager.default.fileExists(atPath: filename)
        else { return nil }
        do {
            try wrapper.write(to: URL(fileURLWithPath: filename), originalContentsURL: nil)
            return filename
        } catch {
            return nil
        }
    }

    /// Returns the types of data that can be read as the given type: the type itself and, for a string, the types of
    /// text in other encodings.
    open class func types(filterableTo type: NSPasteboard.PasteboardType) -> [NSPasteboard.PasteboardType] {
        type == .string ? [type] + texts : [type]
    }
}

extension NSPasteboard.Name {
    /// The name of the board that stores the pasteboard's items, see ``ItemBoards``.
    var board: String {
        switch self {
        case .general: "general"
        case .drag: DragOperation.board
        case .find: "pasteboard." + UIPasteboardNameFind
        default: "pasteboard." + rawValue
        }
    }
}

extension NSPasteboard {
    /// Returns the name of the pasteboard whose items are on a board.
    static func name(ofBoard board: String) -> Name {
        [Name.general, .drag, .find].first { $0.board == board }
            ?? Name(String(board.dropFirst("pasteboard.".count)))
    }
}
