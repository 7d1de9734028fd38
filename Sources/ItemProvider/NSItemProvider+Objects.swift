import Foundation
import FoundationAdditions

extension NSItemProvider {
    /// Creates an item that offers all types that an object can be written as.
    public convenience init(object: any NSItemProviderWriting) {
        self.init()
        registerObject(object, visibility: .all)
    }

    func register(writing object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility) {
        let shared = SharedObject(value: object)
        for typeIdentifier in object.writableTypeIdentifiersForItemProvider {
            let own = object.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
            registerDataRepresentation(
                forTypeIdentifier: typeIdentifier, visibility: visibility.restricted(by: own)
            ) { completion in
                shared.value.loadData(
                    withTypeIdentifier: typeIdentifier, forItemProviderCompletionHandler: completion)
            }
        }
    }

    func register(
        writingClass aClass: any NSItemProviderWriting.Type, visibility: NSItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (@escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void) -> Progress?
    ) {
        let writer = SendableType(aClass)
        for typeIdentifier in aClass.writableTypeIdentifiersForItemProvider {
            let own = aClass.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
            registerDataRepresentation(
                forTypeIdentifier: typeIdentifier, visibility: visibility.restricted(by: own)
            ) { completion in
                let progress = SuccessiveProgress()
                let making = loadHandler { object, error in
                    guard let object else { return completion(nil, error ?? ItemProviderError.emptyAnswer()) }
                    guard writer.made(object) else {
                        return completion(nil, ItemProviderError.unexpectedClass(of: object, expected: writer.type))
                    }
                    progress.goOn(
                        with: object.loadData(
                            withTypeIdentifier: typeIdentifier, forItemProviderCompletionHandler: completion))
                }
                progress.begin(making)
                return progress
            }
        }
    }

    /// Returns the representation from which to create an object of the given class, or `nil` if the class can read
    /// none. A representation of one of the class's types is preferred to a representation that only conforms to one of
    /// them.
    func bestRepresentation(for aClass: any NSItemProviderReading.Type) -> Representation? {
        let readable = aClass.readableTypeIdentifiersForItemProvider
        return readable.lazy.compactMap { self.promise.representation(of: $0) }.first
            ?? readable.lazy.compactMap { self.promise.representation(conformingTo: $0) }.first
    }

    package func loadReading(
        _ aClass: any NSItemProviderReading.Type,
        completion: @escaping @Sendable (Result<any NSItemProviderReading, any Error>) -> Void
    ) -> Progress {
        guard let representation = bestRepresentation(for: aClass) else {
            let error = ItemProviderError.cannotRead(as: "\(aClass)", registered: registeredTypeIdentifiers)
            return LoadOperation.fail(error) { _ in completion(.failure(error)) }
        }
        let reader = SendableType(aClass)
        return LoadOperation.start(representation, of: promise, as: .data) { result in
            completion(
                result.flatMap { $0.asData }.flatMap { data in
                    Result {
                        try reader.type.object(
                            withItemProviderData: data, typeIdentifier: representation.typeIdentifier)
                    }
                })
        }
    }
}

/// The methods for Swift values that bridge to reading and writing classes: `String`, `URL`, `Data`, …
///
/// Source: the Swift overlay of Foundation.
extension NSItemProvider {
    /// Registers all types that a value of type `T` can be written as. The value is created when a representation is
    /// loaded.
    public func registerObject<T>(
        ofClass: T.Type, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (@escaping @Sendable (T?, (any Error)?) -> Void) -> Progress?
    ) where T: _ObjectiveCBridgeable & SendableMetatype, T._ObjectiveCType: NSItemProviderWriting & SendableMetatype {
        registerObject(ofClass: T._ObjectiveCType.self, visibility: visibility) { completion in
            loadHandler { value, error in completion(value?._bridgeToObjectiveC(), error) }
        }
    }

    /// Whether a value of type `T` can be created from a registered representation.
    public func canLoadObject<T>(ofClass: T.Type) -> Bool
    where T: _ObjectiveCBridgeable & SendableMetatype, T._ObjectiveCType: NSItemProviderReading & SendableMetatype {
        canLoadObject(ofClass: T._ObjectiveCType.self)
    }

    /// Loads a value of type `T` from the best representation from which it can be created.
    public func loadObject<T>(
        ofClass: T.Type, completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void
    ) -> Progress
    where T: _ObjectiveCBridgeable & SendableMetatype, T._ObjectiveCType: NSItemProviderReading & SendableMetatype {
        loadObject(ofClass: T._ObjectiveCType.self) { object, error in
            guard let object else { return completionHandler(nil, error) }
            var value: T?
            if let object = object as? T._ObjectiveCType, T._conditionallyBridgeFromObjectiveC(object, result: &value) {
                completionHandler(value, nil)
            } else {
                completionHandler(nil, ItemProviderError.unexpectedClass(of: object, expected: T.self))
            }
        }
    }
}

extension NSItemProviderRepresentationVisibility {
    /// Returns the stricter of two visibilities. `group` is the same as `team` on Linux.
    fileprivate func restricted(by other: Self) -> Self {
        rawValue >= other.rawValue ? self : other
    }
}

/// An object of a client's class, carried into load handlers.
///
/// Sendable because the contract of `NSItemProviderWriting` requires this: `loadData` is called on an arbitrary queue,
/// and a class whose objects do not support this must not be registered. As in Apple's declaration, the compiler does
/// not check it.
struct SharedObject: @unchecked Sendable {
    let value: any NSItemProviderWriting
}

extension SendableType<any NSItemProviderWriting.Type> {
    /// Whether the object is an instance of this class or of a subclass.
    func made(_ object: any NSItemProviderWriting) -> Bool {
        func isOfClass<Writer: NSItemProviderWriting>(_ writer: Writer.Type) -> Bool { object is Writer }
        return isOfClass(self.type)
    }
}
