import Dispatch
import Foundation
import Images
import ItemProvider
import UniformTypeIdentifiers

extension UIPasteboard {
    /// These items, all without a set; `nil` where one of them is not there.
    func selected(_ itemSet: IndexSet?) -> [NSItemProvider]? {
        let items = itemProviders
        guard let itemSet else { return items }
        guard itemSet.allSatisfy({ items.indices.contains($0) }) else { return nil }
        return itemSet.map { items[$0] }
    }
}

extension NSItemProvider {
    func hasOne(of types: [String]) -> Bool { types.contains { hasItemConformingToTypeIdentifier($0) } }

    /// The same item, which no other process sees.
    func restrictedToThisProcess() -> NSItemProvider {
        let copy = promise.changed { $0.restricted(to: .ownProcess) }
        copy.teamRepresentation = promise.teamRepresentation?.restricted(to: .ownProcess)
        return NSItemProvider(promise: copy)
    }
}

/// How an item is made of values.
enum PasteboardValue {
    /// An item with a value of each type. Under ``UIPasteboard/typeAutomatic`` a value's own types are taken.
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

/// Reads values of items within one patience for all of them: whoever reads a pasteboard is blocked meanwhile, and a process
/// that has promised something may never answer.
struct PasteboardReading {
    private let deadline: DispatchTime

    init(within patience: DispatchTimeInterval) { deadline = .now() + patience }

    /// Blocks until the data is there; `nil` where it cannot be had.
    func data(_ provider: NSItemProvider, _ type: String) -> Data? {
        wait { done in
            let progress = provider.loadDataRepresentation(forTypeIdentifier: type) { data, _ in done(data) }
            return { progress.cancel() }
        }
    }

    /// Blocks until the value is there; `nil` where it cannot be had.
    func value(_ provider: NSItemProvider, _ type: String) -> Any? {
        let loaded: (item: ItemValue?, error: (any Error)?)? = wait { done in
            let load = PendingCancellation()
            CancellableItem.$cancellation.withValue(load) {
                provider.loadItem(forTypeIdentifier: type) { item, error in done((item.map { ItemValue($0) }, error)) }
            }
            return { load.cancel() }
        }
        guard let object = loaded?.item?.object else {
            // An object of a class that this process cannot read is its archive.
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

    /// Foundation's objects as the Swift values they stand for.
    private static func natural(_ object: Any) -> Any {
        switch object {
        case let text as NSString: text as String
        case let url as NSURL: url as URL
        case let data as NSData: Data(referencing: data)
        default: object
        }
    }

    /// Blocks the calling thread until a load has ended; one that nobody waits for any more is cancelled. On the main thread,
    /// promises of this process are kept meanwhile.
    ///
    /// - Parameter start: gets the function to call with the value, and gives what cancels the load.
    func wait<Value: Sendable>(_ start: (@escaping @Sendable (Value?) -> Void) -> () -> Void) -> Value? {
        var cancel: (() -> Void)?
        let value = MainThread.wait(until: deadline) { cancel = start($0) }
        if value == nil { cancel?() }
        return value
    }
}
