import Dispatch
import Foundation
import Images
import ItemProvider

/// The name of the pasteboard of the last search.
public let UIPasteboardNameFind = "com.apple.UIKit.pboard.find"

/// A pasteboard, through which programs exchange items: the general one for copy and paste, or a named one.
///
/// The commands `purvey copy` and `purvey paste` use the general pasteboard. An item on a pasteboard is a promise: its
/// data is produced when a client reads it. A program that ends normally first produces the promised data of the
/// general pasteboard.
///
/// ```swift
/// UIPasteboard.general.string = "text"
/// ```
///
/// Functions that read or write send requests to the daemon. Functions that return a value load it from the process
/// that offers it. They block the calling thread, as on Apple's platforms. Call them on the main thread or on a thread
/// that the program started, not in a task. In a program that is not linked with the module `Exchange`, pasteboards are
/// local to the process.
///
/// Sendable because its only state is a constant name, constant boards and a constant timeout.
///
/// Source: UIKit, `UIPasteboard.h`.
open class UIPasteboard: NSObject, @unchecked Sendable {
    /// The name of a pasteboard.
    public struct Name: Hashable, RawRepresentable, Sendable {
        /// The name as text.
        public let rawValue: String
        /// Creates a name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// Creates a name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name of the general pasteboard.
        public static let general = Name("com.apple.UIKit.pboard.general")
    }

    /// An option for putting items on a pasteboard.
    public struct OptionsKey: Hashable, RawRepresentable, Sendable {
        /// The option as text.
        public let rawValue: String
        /// Creates an option.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The `Date` at which the items are removed.
        public static let expirationDate = OptionsKey(rawValue: "UIPasteboardOptionExpirationDate")
        /// Whether the items are visible to this process alone; a Boolean.
        public static let localOnly = OptionsKey(rawValue: "UIPasteboardOptionLocalOnly")
    }

    /// The general pasteboard.
    open class var general: UIPasteboard { UIPasteboard(.general, SharedBoards.current) }

    /// The pasteboard's name.
    open var name: Name { ownName }

    private let ownName: Name
    let boards: any ItemBoards
    /// The maximum time that a reader waits for a process that does not reply.
    private let patience: DispatchTimeInterval
    /// The time that a reader waits by default.
    private static let usualPatience = DispatchTimeInterval.seconds(60)

    /// A reader whose deadline is counted from now. A promised value that does not arrive before the deadline is read
    /// as missing.
    var reading: PasteboardReading { PasteboardReading(within: patience) }

    /// Creates a pasteboard with a unique name. Subclasses call this initializer.
    public override init() {
        ownName = Name("org.purvey.unique.\(UUID().uuidString)")
        boards = SharedBoards.current
        patience = Self.usualPatience
        super.init()
    }

    /// Creates a pasteboard.
    ///
    /// - Parameter patience: the time that a reader waits.
    package init(_ name: Name, _ boards: any ItemBoards, patience: DispatchTimeInterval? = nil) {
        ownName = name
        self.boards = boards
        self.patience = patience ?? Self.usualPatience
        super.init()
    }

    /// Creates a pasteboard by its name.
    ///
    /// Returns `nil` for an invalid name: empty, with control characters, or of more than 244 bytes in UTF-8.
    ///
    /// - Parameter create: whether to create the pasteboard. If `false`, it must exist: a process must have put items
    ///   on it since it was last removed.
    public convenience init?(name pasteboardName: Name, create: Bool) {
        self.init(pasteboardName, SharedBoards.current, create: create)
    }

    package convenience init?(_ name: Name, _ boards: any ItemBoards, create: Bool) {
        self.init(name, boards)
        guard !name.rawValue.isEmpty, OfferBounds.isBoardName(board) else { return nil }
        guard create || name == .general || (try? boards.isTouched(board)) == true else { return nil }
    }

    /// Returns a pasteboard with a unique name.
    open class func withUniqueName() -> UIPasteboard {
        UIPasteboard(Name("org.purvey.unique.\(UUID().uuidString)"), SharedBoards.current)
    }

    /// Removes the contents of a named pasteboard. Has no effect on the general pasteboard.
    open class func remove(withName pasteboardName: Name) {
        guard pasteboardName != .general else { return }
        let pasteboard = UIPasteboard(pasteboardName, SharedBoards.current)
        try? pasteboard.boards.remove(pasteboard.board)
        NotificationCenter.default.post(name: removedNotification, object: pasteboard)
    }

    /// The name of the board that stores the pasteboard's items, see ``ItemBoards``.
    var board: String { name == .general ? "general" : "pasteboard." + name.rawValue }

    /// Whether the contents outlive the program that put them there: `true` for the general pasteboard.
    open var isPersistent: Bool { name == .general }

    /// Does nothing: only the general pasteboard is persistent.
    open func setPersistent(_ persistent: Bool) {}

    /// A number that increases whenever a process replaces or removes the contents. It stays the same when the owner of
    /// an ``NSPasteboard`` adds data, and when items expire.
    open var changeCount: Int { (try? boards.changeCount(of: board)) ?? 0 }

    // MARK: - Notifications

    /// A notification that this process has changed the contents. There is no notification of changes by other
    /// processes; they only change ``changeCount``.
    public class var changedNotification: NSNotification.Name { .init("UIPasteboardChangedNotification") }
    /// The key of the added types in the notification's `userInfo`.
    public class var changedTypesAddedUserInfoKey: String { "UIPasteboardChangedTypesAddedKey" }
    /// The key of the removed types in the notification's `userInfo`.
    public class var changedTypesRemovedUserInfoKey: String { "UIPasteboardChangedTypesRemovedKey" }
    /// A notification that this process has removed a pasteboard.
    public class var removedNotification: NSNotification.Name { .init("UIPasteboardRemovedNotification") }

    // MARK: - Item providers

    /// The items. Assigning to this property replaces the contents.
    open var itemProviders: [NSItemProvider] {
        get { (try? boards.items(of: board)) ?? [] }
        set { setItemProviders(newValue, localOnly: false, expirationDate: nil) }
    }

    /// Replaces the contents with items. Items and types beyond the limits are left out: types with an empty
    /// identifier or with one of more than 1,024 bytes, an item's types after the 256th, items without any type, and
    /// items after the 20,000th. Even if the new items are refused, the old ones are removed.
    ///
    /// - Parameters:
    ///   - localOnly: whether the items are visible to this process alone.
    ///   - expirationDate: the date at which the items are removed. Items with an expiration date are also removed when
    ///     this process ends.
    open func setItemProviders(_ itemProviders: [NSItemProvider], localOnly: Bool, expirationDate: Date?) {
        let before = Set(types)
        let items = localOnly ? itemProviders.map { $0.restrictedToThisProcess() } : itemProviders
        let staysAfterwards = isPersistent && !localOnly && expirationDate == nil
        guard let changeCount = try? boards.replace(board, with: items, staysAfterwards: staysAfterwards) else {
            return
        }
        if let expirationDate { expire(at: expirationDate, changeCount: changeCount) }
        let after = Set(items.map(\.promise).offerable.flatMap(\.representations).map(\.typeIdentifier))
        NotificationCenter.default.post(
            name: Self.changedNotification, object: self,
            userInfo: [
                Self.changedTypesAddedUserInfoKey: after.subtracting(before).sorted(),
                Self.changedTypesRemovedUserInfoKey: before.subtracting(after).sorted(),
            ])
    }

    private func expire(at date: Date, changeCount: Int) {
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + max(0, date.timeIntervalSinceNow)) { [self] in
            // Contents that any process has put on the board later are not removed.
            _ = try? boards.amend(board, with: [], expecting: changeCount)
        }
    }

    /// Replaces the contents with one item for each object.
    open func setObjects(_ objects: [any NSItemProviderWriting]) {
        setObjects(objects, localOnly: false, expirationDate: nil)
    }

    /// Replaces the contents with one item for each object, see ``setItemProviders(_:localOnly:expirationDate:)``.
    open func setObjects(_ objects: [any NSItemProviderWriting], localOnly: Bool, expirationDate: Date?) {
        setItemProviders(
            objects.map { NSItemProvider(object: $0) }, localOnly: localOnly, expirationDate: expirationDate)
    }

    // MARK: - Items as dictionaries from type to value

    /// The number of items.
    open var numberOfItems: Int { itemProviders.count }

    /// The types of the first item.
    open var types: [String] { itemProviders.first?.registeredTypeIdentifiers ?? [] }

    /// Returns the types of each item in `itemSet`, or of all items if `itemSet` is `nil`. Returns `nil` if the set
    /// contains a position without an item.
    open func types(forItemSet itemSet: IndexSet?) -> [[String]]? {
        selected(itemSet)?.map(\.registeredTypeIdentifiers)
    }

    /// Whether the first item has one of the given types, or a type that conforms to one of them.
    open func contains(pasteboardTypes: [String]) -> Bool {
        itemProviders.first.map { $0.hasOne(of: pasteboardTypes) } ?? false
    }

    /// Whether every item in `itemSet` has one of the given types, or a type that conforms to one of them. If `itemSet`
    /// is `nil`, examines all items. Returns `false` if there are no items to examine.
    open func contains(pasteboardTypes: [String], inItemSet itemSet: IndexSet?) -> Bool {
        guard let items = selected(itemSet), !items.isEmpty else { return false }
        return items.allSatisfy { $0.hasOne(of: pasteboardTypes) }
    }

    /// Returns the positions of the items that have one of the given types, or a type that conforms to one of them.
    open func itemSet(withPasteboardTypes pasteboardTypes: [String]) -> IndexSet? {
        IndexSet(itemProviders.enumerated().filter { $0.element.hasOne(of: pasteboardTypes) }.map(\.offset))
    }

    /// Returns the first item's data of the given type; `nil` if it has none.
    open func data(forPasteboardType pasteboardType: String) -> Data? {
        itemProviders.first.flatMap { reading.data($0, pasteboardType) }
    }

    /// Returns the data of the given type from each item in `itemSet` that has the type. If `itemSet` is `nil`, reads
    /// all items. Returns `nil` if the set contains a position without an item.
    open func data(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Data]? {
        let reading = reading
        return selected(itemSet)?.compactMap { reading.data($0, pasteboardType) }
    }

    /// Returns the first item's value of the given type: a string, a URL, an image, a color or the value of a property
    /// list, or data for any other type; `nil` if the item has none.
    open func value(forPasteboardType pasteboardType: String) -> Any? {
        itemProviders.first.flatMap { reading.value($0, pasteboardType) }
    }

    /// Returns the values of the given type from each item in `itemSet` that has the type. If `itemSet` is `nil`, reads
    /// all items. Returns `nil` if the set contains a position without an item.
    open func values(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Any]? {
        let reading = reading
        return selected(itemSet)?.compactMap { reading.value($0, pasteboardType) }
    }

    /// Replaces the contents with one item that has the given value. If the value cannot be encoded, the contents are
    /// empty.
    open func setValue(_ value: Any, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: value]])
    }

    /// Replaces the contents with one item that has the given data.
    open func setData(_ data: Data, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: data]])
    }

    /// The items with all their values. Assigning to this property replaces the contents.
    open var items: [[String: Any]] {
        get {
            let reading = reading
            return itemProviders.map { provider in
                provider.registeredTypeIdentifiers.reduce(into: [:]) { $0[$1] = reading.value(provider, $1) }
            }
        }
        set { setItems(newValue) }
    }

    /// Adds items to the contents. The existing items stay, including those of other processes.
    open func addItems(_ items: [[String: Any]]) {
        itemProviders += items.map(PasteboardValue.provider)
    }

    /// Replaces the contents with items.
    open func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) {
        setItemProviders(
            items.map(PasteboardValue.provider), localOnly: options[.localOnly] as? Bool ?? false,
            expirationDate: options[.expirationDate] as? Date)
    }

    // MARK: - Strings, URLs, images and colors

    // The singular properties read the first item. Setting a singular or a plural property replaces the contents.

    /// The first item's string; `nil` if the first item has no string, even if other items have one.
    open var string: String? {
        get { firstObject(NSString.self).map { $0 as String } }
        set { strings = newValue.map { [$0] } }
    }

    /// The strings of all items that have one.
    open var strings: [String]? {
        get { (objects(NSString.self) as [NSString]).map { $0 as String }.nilIfEmpty }
        set { setObjects((newValue ?? []).map { $0 as NSString }) }
    }

    /// The first item's URL.
    open var url: URL? {
        get { firstObject(NSURL.self).map { $0 as URL } }
        set { urls = newValue.map { [$0] } }
    }

    /// The URLs of all items that have one.
    open var urls: [URL]? {
        get { (objects(NSURL.self) as [NSURL]).map { $0 as URL }.nilIfEmpty }
        set { setObjects((newValue ?? []).map { $0 as NSURL }) }
    }

    /// The first item's image.
    open var image: UIImage? {
        get { firstObject(UIImage.self) }
        set { images = newValue.map { [$0] } }
    }

    /// The images of all items that have one.
    open var images: [UIImage]? {
        get { objects(UIImage.self).nilIfEmpty }
        set { setObjects(newValue ?? []) }
    }

    /// The first item's color.
    open var color: UIColor? {
        get { firstObject(UIColor.self) }
        set { colors = newValue.map { [$0] } }
    }

    /// The colors of all items that have one.
    open var colors: [UIColor]? {
        get { objects(UIColor.self).nilIfEmpty }
        set { setObjects(newValue ?? []) }
    }

    /// Whether at least one item has a string. No data is loaded.
    open var hasStrings: Bool { has(NSString.self) }
    /// Whether at least one item has a URL. No data is loaded.
    open var hasURLs: Bool { has(NSURL.self) }
    /// Whether at least one item has an image. No data is loaded.
    open var hasImages: Bool { has(UIImage.self) }
    /// Whether at least one item has a color. No data is loaded.
    open var hasColors: Bool { has(UIColor.self) }
}

extension UIPasteboard {
    /// Replaces the contents with one item for each value.
    public func setObjects<T>(_ objects: [T]) where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderWriting {
        setObjects(objects.map { $0._bridgeToObjectiveC() })
    }

    /// Replaces the contents with one item for each value, see ``setItemProviders(_:localOnly:expirationDate:)``.
    public func setObjects<T>(_ objects: [T], localOnly: Bool, expirationDate: Date?)
    where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderWriting {
        setObjects(objects.map { $0._bridgeToObjectiveC() }, localOnly: localOnly, expirationDate: expirationDate)
    }
}
