import Foundation
import FoundationAdditions
import LinuxSystem
import UniformTypeIdentifiers

/// The implementation of `registerItem` and `loadItem`, which transfer objects and convert them to the requested class.
extension NSItemProvider {
    /// A completion handler that gets an item or an error.
    public typealias CompletionHandler = @Sendable ((any NSSecureCoding)?, (any Error)?) -> Void

    /// A handler that produces an item. It gets the completion handler, the class that the consumer can use (`nil`
    /// for any), and the options of the load.
    public typealias LoadHandler = @Sendable (CompletionHandler?, AnyClass?, [AnyHashable: Any]?) -> Void

    func register(item value: ItemValue?, typeIdentifier: String) {
        register(itemForTypeIdentifier: typeIdentifier) { completion, _, _ in
            if let value {
                completion?(value.object, nil)
            } else {
                completion?(nil, ItemProviderError.noItem(typeIdentifier))
            }
        }
    }

    func register(itemForTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
        promise.register(
            Representation(
                typeIdentifier: typeIdentifier, visibility: .all, fileOptions: [],
                keeper: .handler { _, completion in
                    loadHandler(
                        { item, error in
                            completion(
                                Result {
                                    try Self.value(item, error).supply(typeIdentifier: typeIdentifier)
                                })
                        }, NSData.self, nil)
                    return nil
                },
                item: { request, completion in
                    loadHandler(
                        { item, error in completion(Result { try Self.value(item, error) }) },
                        request.expectedClass?.type, request.options?.value)
                    return nil
                }))
    }

    private static func value(_ item: (any NSSecureCoding)?, _ error: (any Error)?) throws -> ItemValue {
        guard let item else { throw error ?? ItemProviderError.emptyAnswer() }
        return ItemValue(item)
    }

    /// Loads the object of the first representation that conforms to the given type.
    ///
    /// - Parameters:
    ///   - expectedClass: the class to convert the object to; `nil` returns the stored object.
    ///   - completion: called once, on a separate queue.
    func loadItem(
        _ typeIdentifier: String, _ expectedClass: AnyClass?, _ options: [AnyHashable: Any]?,
        completion: @escaping @Sendable (Result<ItemValue, any Error>) -> Void
    ) {
        guard let representation = promise.representation(conformingTo: typeIdentifier) else {
            let error = ItemProviderError.noRepresentation(of: typeIdentifier, registered: registeredTypeIdentifiers)
            return HandlerThreads.shared.run { completion(.failure(error)) }
        }
        let request = ItemRequest(
            expectedClass: expectedClass.map { SendableType($0) }, options: options.map { Disconnected($0) })
        let load = ItemLoad(representation, promise, request, completion)
        CancellableItem.cancellation?.hold { load.cancel() }
        load.start()
    }
}

/// The typed form of `loadItem`.
///
/// An addition to Apple's interface: on Apple's platforms the class is taken from the parameter of an Objective-C
/// block, which Swift cannot express.
extension NSItemProvider {
    /// Loads the first representation that conforms to the given type, and coerces it to a value of a Swift or
    /// Foundation type: `URL`, `Data`, `String`, `NSAttributedString`, `NSDictionary`, `NSArray`, `UIImage`,
    /// `FileWrapper`, or a class of the client's own that can be coded. An object of a client's class can be loaded
    /// from another process only if it contains no other classes except plain values; see
    /// ``registerItem(forTypeIdentifier:loadHandler:)``.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the value or an error:
    ///   `itemUnavailableError`, `unavailableCoercionError`, or the error of the load handler.
    public func loadItem<Value>(
        forTypeIdentifier typeIdentifier: String, as type: Value.Type, options: [AnyHashable: Any]? = nil,
        completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
        loadItem(typeIdentifier, Self.codingClass(of: type), options) { result in
            switch result {
            case .success(let item):
                if let value = item.object as? Value {
                    completionHandler(value, nil)
                } else {
                    completionHandler(nil, ItemProviderError.unexpectedClass(of: item.object, expected: Value.self))
                }
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Returns the class whose objects are coded for values of a type: the type itself, or the class to which it
    /// bridges; `nil` if it is neither a class nor bridged to one.
    private static func codingClass<Value>(of type: Value.Type) -> AnyClass? {
        func bridged<Bridgeable: _ObjectiveCBridgeable>(_ type: Bridgeable.Type) -> AnyClass {
            Bridgeable._ObjectiveCType.self
        }
        if let bridgeable = type as? any _ObjectiveCBridgeable.Type { return bridged(bridgeable) }
        return type as? AnyClass
    }
}

/// The key of an option of a load: the size in pixels of the requested image, as a `CGSize` or as an `NSValue` with
/// one.
public let NSItemProviderPreferredImageSizeKey = "NSItemProviderPreferredImageSizeKey"
/// A key in an item of type `com.apple.property-list`: the value that a web page's script passed to the extension.
public let NSExtensionJavaScriptPreprocessingResultsKey = "NSExtensionJavaScriptPreprocessingResultsKey"
/// A key in an item of type `com.apple.property-list`: the value that an extension passes to the web page's script when
/// the extension ends.
public let NSExtensionJavaScriptFinalizeArgumentKey = "NSExtensionJavaScriptFinalizeArgumentKey"

/// The `async` form of `loadItem`. Cancelling the waiting task cancels the load, and the function throws at once. The
/// load handler may continue, because it has no progress that could be cancelled.
package enum CancellableItem {
    /// The cancellation of the load that this task is starting. The load sets the function that cancels it. A
    /// task-local value reaches the load even if a subclass starts the load.
    @TaskLocal package static var cancellation: PendingCancellation?

    nonisolated(nonsending) static func run(
        _ start: (@escaping NSItemProvider.CompletionHandler) -> Void
    ) async throws -> any NSSecureCoding {
        let (pending, load) = (PendingCancellation(), PendingCancellation())
        let value: ItemValue = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = OneShotCompletion<Result<ItemValue, any Error>> { continuation.resume(with: $0) }
                pending.hold {
                    load.cancel()
                    answer.complete(.failure(ItemProviderError.cancelled()))
                }
                $cancellation.withValue(load) {
                    start { item, error in
                        answer.complete(
                            item.map { .success(ItemValue($0)) } ?? .failure(error ?? ItemProviderError.emptyAnswer()))
                    }
                }
            }
        } onCancel: {
            pending.cancel()
        }
        return value.object
    }
}
