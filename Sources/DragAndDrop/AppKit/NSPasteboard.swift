import FileCoordination
import Foundation
import ItemProvider

/// A place where programs leave items for each other, as programs for the Mac know it: the same places that ``UIPasteboard``
/// stands for, so that what is copied with one is pasted with the other.
///
/// A program takes a pasteboard over, by ``clearContents()`` or ``declareTypes(_:owner:)``, and writes to it until another
/// program does the same: then its writing fails. What it promises is asked for when somebody wants it, in whatever process; a
/// program that ends in good order is asked first for what is on the general pasteboard.
///
/// Functions that read or write ask the daemon, and those that give a value load it from the process that offers it: they block
/// the calling thread, as on Apple's platforms, and give up after a minute. They belong on the main thread or one of the
/// program's own, not in a task. Owners and data providers are called on the main thread, also while it waits here itself.
///
/// Sendable because it has no state of its own but its constant name and place.
///
/// Source: AppKit, `NSPasteboard.h`.
open class NSPasteboard: NSObject, @unchecked Sendable {
    /// The pasteboard of copy and paste.
    open class var general: NSPasteboard { sharedGeneral }
    private static let sharedGeneral = NSPasteboard(name: .general)

    private let ownName: Name
    let store: PasteboardStore
    /// Set for an owner that is asked for data: what it gives goes there, whatever is on the pasteboard by then.
    private let filled: ItemContents?

    /// A pasteboard by its name. One with a name that no pasteboard can have (without anything in it, with control characters, or
    /// of more than 244 bytes in UTF-8) is there in a program without a daemon only; elsewhere it cannot be had.
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

    /// A pasteboard with a name that nobody else has.
    open class func withUniqueName() -> NSPasteboard { NSPasteboard(name: uniqueName) }

    static var uniqueName: Name { Name("org.purvey.unique.\(UUID().uuidString)") }

    /// The pasteboard's name.
    open var name: NSPasteboard.Name { ownName }

    /// Grows whenever the pasteboard is taken over, by whatever process. It stays while its owner writes more.
    open var changeCount: Int { (try? store.boards.changeCount(of: ownName.board)) ?? 0 }

    /// Whether another object stands for the same pasteboard.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPasteboard else { return false }
        return other.ownName == ownName && other.store === store
    }

    /// That of the name.
    open override var hash: Int { ownName.hashValue }

    /// Takes everything off a pasteboard of one's own naming, which nobody needs any more. Does nothing to the general one.
    open func releaseGlobally() {
        guard ownName != .general else { return }
        _ = store.takeOver(ownName.board)
    }

    // MARK: - Taking over

    /// Makes this process the owner of the pasteboard, and takes everything off it.
    ///
    /// - Returns: the new change count; 0 where the pasteboard cannot be had.
    @discardableResult
    open func prepareForNewContents(with options: NSPasteboard.ContentsOptions = []) -> Int { clearContents() }

    /// Makes this process the owner of the pasteboard, and takes everything off it.
    ///
    /// - Returns: the new change count; 0 where the pasteboard cannot be had.
    @discardableResult
    open func clearContents() -> Int { store.takeOver(ownName.board) ?? 0 }

    /// Makes this process the owner of the pasteboard, with one item of these types. Their data is set afterwards, or the owner
    /// is asked for it when somebody wants it.
    ///
    /// - Parameter newOwner: an ``NSPasteboardTypeOwner``. It is not retained: what is promised is there for as long as it lives.
    /// - Returns: the new change count; 0 where the pasteboard cannot be had.
    @discardableResult
    open func declareTypes(_ newTypes: [NSPasteboard.PasteboardType], owner newOwner: Any?) -> Int {
        let owner = (newOwner as? any NSPasteboardTypeOwner).map { TypeOwner($0, store) }
        let item = ItemContents()
        item.promise(newTypes, by: owner?.promise(ownName))
        _ = item.bind(to: self)
        return store.takeOver(ownName.board, with: item.types.isEmpty ? [] : [item], owner: owner) ?? 0
    }

    /// Adds types to the first item of a pasteboard that is this process's, see ``declareTypes(_:owner:)``.
    ///
    /// - Returns: the change count; 0 where the pasteboard is not this process's any more.
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

    /// Adds objects to a pasteboard that is this process's, each as an item.
    ///
    /// - Returns: whether all were written. None is where the pasteboard is not this process's, or an object gives nothing for
    ///   any type, or is an item that is on a pasteboard already.
    @discardableResult
    open func writeObjects(_ objects: [any NSPasteboardWriting]) -> Bool {
        guard !objects.isEmpty, let contents = store.contents(of: ownName.board) else { return false }
        var added: [ItemContents] = []
        defer {
            // Bound until it is known whether they are written.
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

    /// Sets the data of a type of the first item; `nil` takes back what was set.
    ///
    /// - Returns: `false` where the pasteboard is not this process's.
    @discardableResult
    open func setData(_ data: Data?, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        // Nothing to be had is what a declared type has until somebody gives it.
        guard let data else { return set({ $0.promise([dataType], by: nil) }) }
        return set { $0.set(data, for: dataType) != nil }
    }

    /// Sets what a property list holds as a type of the first item.
    ///
    /// - Returns: `false` where the pasteboard is not this process's, or the value is none that a property list holds.
    @discardableResult
    open func setPropertyList(_ plist: Any, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        guard let data = PasteboardData.data(of: plist, as: dataType) else { return false }
        return setData(data, forType: dataType)
    }

    /// Sets a string as a type of the first item.
    ///
    /// - Returns: `false` where the pasteboard is not this process's.
    @discardableResult
    open func setString(_ string: String, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        setPropertyList(string, forType: dataType)
    }

    private func set(_ body: (ItemContents) -> Bool) -> Bool {
        if let filled { return body(filled) }
        guard let contents = store.contents(of: ownName.board) else { return false }
        return write(to: contents, body)
    }

    /// Changes the first item, which is made where there is none. Others are told only of what they do not know: a new type.
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

    /// The items; `nil` where the pasteboard cannot be had. Nothing of them is loaded yet.
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

    /// Reads an object of each item: of the first of the classes that can read it.
    ///
    /// - Parameters:
    ///   - classArray: ``NSPasteboardReading`` classes in order of preference, such as `NSURL.self` and `NSString.self`, and
    ///     `NSPasteboardItem.self`, which takes what no class before it can read.
    ///   - options: see ``ReadingOptionKey``.
    /// - Returns: the objects, of which there are none where no class can read anything; `nil` where the pasteboard cannot be had.
    open func readObjects(
        forClasses classArray: [AnyClass], options: [NSPasteboard.ReadingOptionKey: Any]? = nil
    ) -> [Any]? {
        pasteboardItems?.compactMap { item in
            classArray.lazy.compactMap { PasteboardReader($0, self, options)?.object(from: item) }.first
        }
    }

    /// Whether one of the classes can read an item, see ``readObjects(forClasses:options:)``. Nothing is loaded to tell, but URLs
    /// where the options ask for files of certain types.
    open func canReadObject(
        forClasses classArray: [AnyClass], options: [NSPasteboard.ReadingOptionKey: Any]? = nil
    ) -> Bool {
        (pasteboardItems ?? []).contains { item in
            classArray.contains { PasteboardReader($0, self, options)?.canRead(item) == true }
        }
    }

    /// Whether an item has a type that is, or is a kind of, one of these.
    open func canReadItem(withDataConformingToTypes types: [String]) -> Bool {
        (pasteboardItems ?? []).contains { item in
            item.types.contains { own in types.contains { TypeIdentifier.conforms(own.rawValue, to: $0) } }
        }
    }

    /// Which of the pasteboard's items this is; `NSNotFound` for one that is not on it, or not any more.
    open func index(of pasteboardItem: NSPasteboardItem) -> Int {
        pasteboardItems?.firstIndex { $0.isSame(as: pasteboardItem) } ?? NSNotFound
    }

    /// The types of all items, each once; `nil` where the pasteboard cannot be had.
    open var types: [NSPasteboard.PasteboardType]? {
        pasteboardItems?.flatMap(\.types).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The first of these types that the pasteboard has.
    open func availableType(from types: [NSPasteboard.PasteboardType]) -> NSPasteboard.PasteboardType? {
        let items = pasteboardItems ?? []
        return types.first { type in items.contains { $0.availableType(from: [type]) != nil } }
    }

    /// The data of a type, of the first item that has it. Promised data is asked for now.
    open func data(forType dataType: NSPasteboard.PasteboardType) -> Data? {
        pasteboardItems?.lazy.compactMap { $0.data(forType: dataType) }.first
    }

    /// What a property list holds, of the first item that has it.
    open func propertyList(forType dataType: NSPasteboard.PasteboardType) -> Any? {
        pasteboardItems?.lazy.compactMap { $0.propertyList(forType: dataType) }.first
    }

    /// The strings of all items that have one of the type, a line each.
    open func string(forType dataType: NSPasteboard.PasteboardType) -> String? {
        let strings = (pasteboardItems ?? []).compactMap { $0.string(forType: dataType) }
        return strings.isEmpty ? nil : strings.joined(separator: "\n")
    }

    // MARK: - Files

    /// Writes a file or folder, as `fileContents` and as the type of contents with its extension, to a pasteboard that is this
    /// process's.
    ///
    /// - Returns: `false` where the file cannot be read, or the pasteboard is not this process's.
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

    /// Reads what ``write(_:)`` wrote; `nil` where there is none.
    open func readFileWrapper() -> FileWrapper? {
        data(forType: .fileContents).flatMap { FileWrapper(serializedRepresentation: $0) }
    }

    /// Reads a file or folder and writes it to the disk, in place of none that is there.
    ///
    /// - Parameters:
    ///   - type: `fileContents`, or the type of contents with an extension; `nil` takes the one of the name's extension and, where
    ///     that is not there, `fileContents`.
    ///   - filename: the path to write to.
    /// - Returns: the path; `nil` where there is no such file on the pasteboard, or it cannot be written.
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

    /// The types of which data can be had as a type: itself and, for a string, text in other encodings.
    open class func types(filterableTo type: NSPasteboard.PasteboardType) -> [NSPasteboard.PasteboardType] {
        type == .string ? [type] + texts : [type]
    }
}

extension NSPasteboard.Name {
    /// The board that stands for the pasteboard.
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
    /// The name of the pasteboard that a board stands for.
    static func name(ofBoard board: String) -> Name {
        [Name.general, .drag, .find].first { $0.board == board }
            ?? Name(String(board.dropFirst("pasteboard.".count)))
    }
}
