import Foundation
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
    public let name: Name
    let boards: any ItemBoards

    package init(_ name: Name, _ boards: any ItemBoards) {
        self.name = name
        self.boards = boards
        super.init()
    }

    /// A pasteboard by its name.
    ///
    /// - Parameter create: whether to make it; otherwise there is one only where something was put on it.
    public convenience init?(name pasteboardName: Name, create: Bool) {
        self.init(pasteboardName, SharedBoards.current)
        guard create || pasteboardName == .general || changeCount > 0 else { return nil }
    }

    /// A pasteboard with a name that nobody else has.
    open class func withUniqueName() -> UIPasteboard {
        UIPasteboard(Name("org.purvey.unique.\(UUID().uuidString)"), SharedBoards.current)
    }

    /// Takes everything off a named pasteboard. Does nothing to the general one.
    open class func remove(withName pasteboardName: Name) {
        guard pasteboardName != .general else { return }
        let pasteboard = UIPasteboard(pasteboardName, SharedBoards.current)
        _ = try? pasteboard.boards.replace(pasteboard.board, with: [], staysAfterwards: false)
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

    /// Puts items on the pasteboard, in place of what was there.
    ///
    /// - Parameters:
    ///   - localOnly: keep them within this process.
    ///   - expirationDate: take them off then. Items that expire end with this process at the latest.
    open func setItemProviders(_ itemProviders: [NSItemProvider], localOnly: Bool, expirationDate: Date?) {
        let before = Set(types)
        let items = localOnly ? itemProviders.map { $0.restrictedToThisProcess() } : itemProviders
        let staysAfterwards = isPersistent && !localOnly && expirationDate == nil
        guard (try? boards.replace(board, with: items, staysAfterwards: staysAfterwards)) != nil else { return }
        if let expirationDate { expire(at: expirationDate, changeCount: changeCount) }
        let after = Set(itemProviders.flatMap(\.registeredTypeIdentifiers))
        NotificationCenter.default.post(
            name: Self.changedNotification, object: self,
            userInfo: [
                Self.changedTypesAddedUserInfoKey: after.subtracting(before).sorted(),
                Self.changedTypesRemovedUserInfoKey: before.subtracting(after).sorted(),
            ])
    }

    private func expire(at date: Date, changeCount: Int) {
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + max(0, date.timeIntervalSinceNow)) { [self] in
            // Something newer stays.
            guard self.changeCount == changeCount else { return }
            _ = try? boards.replace(board, with: [], staysAfterwards: false)
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
