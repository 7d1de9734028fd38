import Dispatch
import Foundation
import Images
import ItemProvider
import UniformTypeIdentifiers

extension UIPasteboard {
    /// Returns the items at the positions in `itemSet`; all items if `itemSet` is `nil`. Returns `nil` if the
    /// pasteboard has no item at one of these positions.
    func selected(_ itemSet: IndexSet?) -> [NSItemProvider]? {
        let items = itemProviders
        guard let itemSet else { return items }
        guard itemSet.allSatisfy({ items.indices.contains($0) }) else { return nil }
        return itemSet.map { items[$0] }
    }
}

extension NSItemProvider {
    func hasOne(of types: [String]) -> Bool { types.contains { hasItemConformingToTypeIdentifier($0) } }

    /// Returns the same item in a form that is invisible to other processes.
    func restrictedToThisProcess() -> NSItemProvider {
        let copy = promise.changed { $0.restricted(to: .ownProcess) }
        copy.teamRepresentation = promise.teamRepresentation?.restricted(to: .ownProcess)
        return NSItemProvider(promise: copy)
    }
}

/// The creation of items from values.
enum PasteboardValue {
    /// Returns an item with a value of each type. A value under ``UIPasteboard/typeAutomatic`` is registered with the
    /// types of its class.
    static func provider(_ values: [String: Any]) -> NSItemProvider {
        let provider = NSItemProvider()
        for (type, value) in values.sorted(by: { $0.key < $1.key }) {
            if type == UIPasteboard.typeAutomatic {
                if let object = (value as AnyObject) as? any NSItemProviderWriting {
                    provider.registerObject(object, visibility: .all)
                }
            } else if let item = ItemValue(boxing: value) {
                provider.registerItem(forTypeIdentifier: type) { completion, _, _ in completion?(item.object, nil) }
            }
        }
        return provider
    }
}

/// A reader of several values with one common deadline. The deadline is needed because reading a pasteboard blocks the
/// caller, and a process may never provide a value that it has promised.
struct PasteboardReading {
    private let deadline: DispatchTime

    init(within patience: DispatchTimeInterval) { deadline = .now() + patience }

    /// Loads an item's data of the given type. Blocks until the data is loaded; returns `nil` on failure or after the
    /// deadline.
    func data(_ provider: NSItemProvider, _ type: String) -> Data? {
        wait { done in
            let progress = provider.loadDataRepresentation(forTypeIdentifier: type) { data, _ in done(data) }
            return { progress.cancel() }
        }
    }

    /// Loads an item's value of the given type. Blocks until the value is loaded; returns `nil` on failure or after the
    /// deadline.
    func value(_ provider: NSItemProvider, _ type: String) -> Any? {
        let loaded: (item: ItemValue?, error: (any Error)?)? = wait { done in
            let load = PendingCancellation()
            CancellableItem.$cancellation.withValue(load) {
                provider.loadItem(forTypeIdentifier: type) { item, error in done((item.map { ItemValue($0) }, error)) }
            }
            return { load.cancel() }
        }
        guard let object = loaded?.item?.object else {
            // An object of a class that this process cannot read is returned as its archive.
            let code = (loaded?.error as NSError?)?.code
            return code == NSItemProvider.ErrorCode.unavailableCoercionError.rawValue ? data(provider, type) : nil
        }
        guard let data = object as? NSData else { return Self.natural(object) }
        let classes: [any NSItemProviderReading.Type] = [NSURL.self, NSString.self, UIImage.self, UIColor.self]
        for aClass in classes
        where aClass.readableTypeIdentifiersForItemProvider.contains(where: { TypeIdentifier.conforms(type, to: $0) }) {
            if let value = try? aClass.object(withItemProviderData: Data(referencing: data), typeIdentifier: type) {
                return Self.natural(value)
            }
        }
        return Self.natural(object)
    }

    /// Returns the Swift value to which an object of Foundation bridges; any other object as it is.
    private static func natural(_ object: Any) -> Any {
        switch object {
        case let text as NSString: text as String
        case let url as NSURL: url as URL
        case let data as NSData: Data(referencing: data)
        default: object
        }
    }

    /// Starts a load and blocks the calling thread until the load has ended. Cancels the load after the deadline. The
    /// main thread, while it waits, also makes the calls to owners and delegates that other threads need.
    ///
    /// - Parameter start: gets the function to call with the value, and returns a function that cancels the load.
    func wait<Value: Sendable>(_ start: (@escaping @Sendable (Value?) -> Void) -> () -> Void) -> Value? {
        var cancel: (() -> Void)?
        let value = MainThread.wait(until: deadline) { cancel = start($0) }
        if value == nil { cancel?() }
        return value
    }
}
