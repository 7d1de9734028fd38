import Dispatch
import Foundation
import Images
import ItemProvider

/// The name of the pasteboard with what was last searched for.
public let UIPasteboardNameFind = "com.apple.UIKit.pboard.find"

/// A place where programs leave items for each other: the general one for copy and paste, and named ones.
///
/// The general pasteboard is the one of `purvey copy` and `purvey paste`. What is put on a pasteboard is a promise: nothing is
/// produced before somebody reads it, except that a program which ends in good order is asked to keep its promises first.
///
/// Functions that read or write ask the daemon, and those that give a value load it from the process that offers it: they block
/// the calling thread, as on Apple's platforms, and belong on the main thread or one of the program's own, not in a task. In a
/// program that is not linked with the exchange, pasteboards are of this process alone.
///
/// Sendable because it has no state of its own but its constant name and place.
///
/// Source: UIKit, `UIPasteboard.h`.
open class UIPasteboard: NSObject, @unchecked Sendable {
    /// The name of a pasteboard.
    public struct Name: Hashable, RawRepresentable, Sendable {
        /// The name as text.
        public let rawValue: String
        /// A name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// A name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name of the general pasteboard.
        public static let general = Name("com.apple.UIKit.pboard.general")
    }

    /// What can be asked for when items are put on a pasteboard.
    public struct OptionsKey: Hashable, RawRepresentable, Sendable {
        /// The option as text.
        public let rawValue: String
        /// An option.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A `Date` at which the items are taken off.
        public static let expirationDate = OptionsKey(rawValue: "UIPasteboardOptionExpirationDate")
        /// `true` keeps the items within this process.
        public static let localOnly = OptionsKey(rawValue: "UIPasteboardOptionLocalOnly")
    }

    /// The general pasteboard.
    open class var general: UIPasteboard { UIPasteboard(.general, SharedBoards.current) }

    /// The pasteboard's name.
    open var name: Name { ownName }

    private let ownName: Name
    let boards: any ItemBoards
    /// How long whoever reads is kept waiting by a process that does not answer.
    private let patience: DispatchTimeInterval
    /// The longest that reading a pasteboard takes, whatever is on it.
    private static let usualPatience = DispatchTimeInterval.seconds(60)

    /// Begins to read. What does not come within a minute from a process that has promised it counts as not there.
    var reading: PasteboardReading { PasteboardReading(within: patience) }

    /// A pasteboard with a name that nobody else has: what a class that derives from this one begins with.
    public override init() {
        ownName = Name("org.purvey.unique.\(UUID().uuidString)")
        boards = SharedBoards.current
        patience = Self.usualPatience
        super.init()
    }

    /// - Parameter patience: how long whoever reads is kept waiting.
    package init(_ name: Name, _ boards: any ItemBoards, patience: DispatchTimeInterval? = nil) {
        ownName = name
        self.boards = boards
        self.patience = patience ?? Self.usualPatience
        super.init()
    }

    /// A pasteboard by its name.
    ///
    /// `nil` for a name that no pasteboard can have: without anything in it, with control characters, or of more than 244 bytes
    /// in UTF-8.
    ///
    /// - Parameter create: whether to make it; otherwise there is one only where something was put on it since it was last
    ///   removed, by whatever process.
    public convenience init?(name pasteboardName: Name, create: Bool) {
        self.init(pasteboardName, SharedBoards.current, create: create)
    }

    package convenience init?(_ name: Name, _ boards: any ItemBoards, create: Bool) {
        self.init(name, boards)
        guard !name.rawValue.isEmpty, OfferBounds.isBoardName(board) else { return nil }
        guard create || name == .general || (try? boards.isTouched(board)) == true else { return nil }
    }

    /// A pasteboard with a name that nobody else has.
    open class func withUniqueName() -> UIPasteboard {
        UIPasteboard(Name("org.purvey.unique.\(UUID().uuidString)"), SharedBoards.current)
    }

    /// Takes everything off a named pasteboard. Does nothing to the general one.
    open class func remove(withName pasteboardName: Name) {
        guard pasteboardName != .general else { return }
        let pasteboard = UIPasteboard(pasteboardName, SharedBoards.current)
        try? pasteboard.boards.remove(pasteboard.board)
        NotificationCenter.default.post(name: removedNotification, object: pasteboard)
    }

    /// The board that stands for it.
    var board: String { name == .general ? "general" : "pasteboard." + name.rawValue }

    /// `true` for the general pasteboard: what is on it outlives the program that put it there.
    open var isPersistent: Bool { name == .general }

    /// Does nothing: which pasteboards persist is settled.
    open func setPersistent(_ persistent: Bool) {}

    /// Grows whenever the contents change, by whatever process.
    open var changeCount: Int { (try? boards.changeCount(of: board)) ?? 0 }

    // MARK: - Notifications

    /// Posted when this process has changed the contents. Other processes' changes show in ``changeCount``.
    public class var changedNotification: NSNotification.Name { .init("UIPasteboardChangedNotification") }
    /// In its `userInfo`: the types that were not there before.
    public class var changedTypesAddedUserInfoKey: String { "UIPasteboardChangedTypesAddedKey" }
    /// In its `userInfo`: the types that are not there any more.
    public class var changedTypesRemovedUserInfoKey: String { "UIPasteboardChangedTypesRemovedKey" }
    /// Posted when this process has removed a pasteboard.
    public class var removedNotification: NSNotification.Name { .init("UIPasteboardRemovedNotification") }

    // MARK: - Item providers

    /// The items; setting them replaces what was there.
    open var itemProviders: [NSItemProvider] {
        get { (try? boards.items(of: board)) ?? [] }
        set { setItemProviders(newValue, localOnly: false, expirationDate: nil) }
    }

    /// Puts items on the pasteboard, in place of what was there. What no pasteboard can have is left out: types without an
    /// identifier or with one of more than 1,024 bytes, an item's types after the 256th, items without any type, and items after
    /// the 20,000th. Whatever comes of the new items, the old ones are not there any more.
    ///
    /// - Parameters:
    ///   - localOnly: keep them within this process.
    ///   - expirationDate: take them off then. Items that expire end with this process at the latest.
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
            // Something newer stays, whoever put it there.
            _ = try? boards.amend(board, with: [], expecting: changeCount)
        }
    }

    /// Puts objects on the pasteboard, in place of what was there.
    open func setObjects(_ objects: [any NSItemProviderWriting]) {
        setObjects(objects, localOnly: false, expirationDate: nil)
    }

    /// Puts objects on the pasteboard, in place of what was there, see ``setItemProviders(_:localOnly:expirationDate:)``.
    open func setObjects(_ objects: [any NSItemProviderWriting], localOnly: Bool, expirationDate: Date?) {
        setItemProviders(
            objects.map { NSItemProvider(object: $0) }, localOnly: localOnly, expirationDate: expirationDate)
    }

    // MARK: - Items as dictionaries from type to value

    /// How many items there are.
    open var numberOfItems: Int { itemProviders.count }

    /// The types of the first item.
    open var types: [String] { itemProviders.first?.registeredTypeIdentifiers ?? [] }

    /// The types of each of these items; of all without a set.
    open func types(forItemSet itemSet: IndexSet?) -> [[String]]? {
        selected(itemSet)?.map(\.registeredTypeIdentifiers)
    }

    /// Whether the first item has one of these types.
    open func contains(pasteboardTypes: [String]) -> Bool {
        itemProviders.first.map { $0.hasOne(of: pasteboardTypes) } ?? false
    }

    /// Whether every one of these items has one of these types; all items without a set.
    open func contains(pasteboardTypes: [String], inItemSet itemSet: IndexSet?) -> Bool {
        guard let items = selected(itemSet), !items.isEmpty else { return false }
        return items.allSatisfy { $0.hasOne(of: pasteboardTypes) }
    }

    /// Which items have one of these types.
    open func itemSet(withPasteboardTypes pasteboardTypes: [String]) -> IndexSet? {
        IndexSet(itemProviders.enumerated().filter { $0.element.hasOne(of: pasteboardTypes) }.map(\.offset))
    }

    /// The first item's data of a type.
    open func data(forPasteboardType pasteboardType: String) -> Data? {
        itemProviders.first.flatMap { reading.data($0, pasteboardType) }
    }

    /// The data of a type of each of these items that has it.
    open func data(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Data]? {
        let reading = reading
        return selected(itemSet)?.compactMap { reading.data($0, pasteboardType) }
    }

    /// The first item's value of a type: a string of a text, a URL, an image, a color, what a property list holds; else data.
    open func value(forPasteboardType pasteboardType: String) -> Any? {
        itemProviders.first.flatMap { reading.value($0, pasteboardType) }
    }

    /// The value of a type of each of these items that has it.
    open func values(forPasteboardType pasteboardType: String, inItemSet itemSet: IndexSet?) -> [Any]? {
        let reading = reading
        return selected(itemSet)?.compactMap { reading.value($0, pasteboardType) }
    }

    /// Puts one value on the pasteboard, in place of what was there. A value that cannot be coded is left out.
    open func setValue(_ value: Any, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: value]])
    }

    /// Puts data on the pasteboard, in place of what was there.
    open func setData(_ data: Data, forPasteboardType pasteboardType: String) {
        setItems([[pasteboardType: data]])
    }

    /// The items with all their values; setting them replaces what was there.
    open var items: [[String: Any]] {
        get {
            let reading = reading
            return itemProviders.map { provider in
                provider.registeredTypeIdentifiers.reduce(into: [:]) { $0[$1] = reading.value(provider, $1) }
            }
        }
        set { setItems(newValue) }
    }

    /// Puts more items on the pasteboard. What is there and of other processes stays as it is.
    open func addItems(_ items: [[String: Any]]) {
        itemProviders += items.map(PasteboardValue.provider)
    }

    /// Puts items on the pasteboard, in place of what was there.
    open func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) {
        setItemProviders(
            items.map(PasteboardValue.provider), localOnly: options[.localOnly] as? Bool ?? false,
            expirationDate: options[.expirationDate] as? Date)
    }

    // MARK: - The usual values

    // The singular is the first item's, and setting either replaces everything.

    /// The first item's string; `nil` where that item has none, whatever others have.
    open var string: String? {
        get { firstObject(NSString.self).map { $0 as String } }
        set { strings = newValue.map { [$0] } }
    }

    /// All strings.
    open var strings: [String]? {
        get { (objects(NSString.self) as [NSString]).map { $0 as String }.nilIfEmpty }
        set { setObjects((newValue ?? []).map { $0 as NSString }) }
    }

    /// The first item's URL.
    open var url: URL? {
        get { firstObject(NSURL.self).map { $0 as URL } }
        set { urls = newValue.map { [$0] } }
    }

    /// All URLs.
    open var urls: [URL]? {
        get { (objects(NSURL.self) as [NSURL]).map { $0 as URL }.nilIfEmpty }
        set { setObjects((newValue ?? []).map { $0 as NSURL }) }
    }

    /// The first item's image.
    open var image: UIImage? {
        get { firstObject(UIImage.self) }
        set { images = newValue.map { [$0] } }
    }

    /// All images.
    open var images: [UIImage]? {
        get { objects(UIImage.self).nilIfEmpty }
        set { setObjects(newValue ?? []) }
    }

    /// The first item's color.
    open var color: UIColor? {
        get { firstObject(UIColor.self) }
        set { colors = newValue.map { [$0] } }
    }

    /// All colors.
    open var colors: [UIColor]? {
        get { objects(UIColor.self).nilIfEmpty }
        set { setObjects(newValue ?? []) }
    }

    /// Whether there is a string. Nothing is loaded to tell.
    open var hasStrings: Bool { has(NSString.self) }
    /// Whether there is a URL. Nothing is loaded to tell.
    open var hasURLs: Bool { has(NSURL.self) }
    /// Whether there is an image. Nothing is loaded to tell.
    open var hasImages: Bool { has(UIImage.self) }
    /// Whether there is a color. Nothing is loaded to tell.
    open var hasColors: Bool { has(UIColor.self) }
}

extension UIPasteboard {
    /// Puts values on the pasteboard, in place of what was there.
    public func setObjects<T>(_ objects: [T]) where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderWriting {
        setObjects(objects.map { $0._bridgeToObjectiveC() })
    }

    /// Puts values on the pasteboard, in place of what was there, see ``setItemProviders(_:localOnly:expirationDate:)``.
    public func setObjects<T>(_ objects: [T], localOnly: Bool, expirationDate: Date?)
    where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderWriting {
        setObjects(objects.map { $0._bridgeToObjectiveC() }, localOnly: localOnly, expirationDate: expirationDate)
    }
}
