import Conduit
import FileCoordination
import Foundation
import Images
import LinuxSystem
import UniformTypeIdentifiers

/// A request to a provider's process for the object that was registered with `registerItem` for a representation.
package struct ItemCall: Call, SchemaMessage {
    package static var method: UInt64 { 2 }
    /// The position of the representation in the item's manifest.
    let index: Int
    let request: ItemRequestMessage

    init(index: Int, _ request: ItemRequest) {
        self.init(index: index, request: ItemRequestMessage(request))
    }

    private init(index: Int, request: ItemRequestMessage) {
        self.index = index
        self.request = request
    }

    package static let schema = Schema(Self.init(index:request:), Field(0, \.index), Field(1, \.request))

    /// The result of the load handler.
    package enum Reply: SchemaMessage {
        case value(ItemMessage)
        /// The object cannot be sent, so the consumer has to load the representation as data or as a file.
        case asItComes
        case failed(FailureMessage)

        package static let schema = Schema<Reply>(tag: nil) {
            Case(0, Self.value, Field(0, \.self)) { if case .value(let value) = $0 { value } else { nil } }
            Case(1, Self.failed, Field(1, \.self)) { if case .failed(let failure) = $0 { failure } else { nil } }
            Case(otherwise: Self.asItComes) { if case .asItComes = $0 { true } else { false } }
        }
    }
}

extension ItemCall.Reply {
    /// Creates the reply from a load handler's result. Blocks while large data is written to a memory file.
    init(_ result: Result<ItemValue?, any Error>, typeIdentifier: String) {
        do {
            guard let value = try result.get(), let message = try ItemMessage(value, typeIdentifier: typeIdentifier)
            else {
                self = .asItComes
                return
            }
            self = .value(message)
        } catch {
            self = .failed(FailureMessage(error))
        }
    }

    var isFailure: Bool {
        if case .failed = self { return true }
        return false
    }

    /// Returns the object, or `nil` if the representation is to be loaded as data or a file.
    ///
    /// - Parameter wanted: the class that the consumer requests. An object in an archive is read only if it has this
    ///   class or is a plain value.
    func value(as wanted: AnyClass?) throws -> ItemValue? {
        switch self {
        case .value(let message): try message.value(as: wanted)
        case .asItComes: nil
        case .failed(let failure): throw failure.error
        }
    }
}

/// An object as a message. An object of a class that both sides know has a specific form. Any other object is archived.
/// Archives can name any class, so the consumer decides which classes it accepts.
package struct ItemMessage: SchemaMessage {
    private enum Kind: Int, MessageValue {
        case text = 0
        case url = 1
        case data = 2
        /// CBOR, see ``PropertyListItem``.
        case propertyList = 3
        case attributedText = 4
        case image = 5
        case fileWrapper = 6
        /// A keyed archive, see ``KeyedArchive``.
        case archive = 7
    }

    private let kind: Kind
    private let bytes: SupplyMessage
    /// The scale of an image, in pixels per point.
    private let scale: Double?

    /// Whether the object is data. In this case, the representation can be loaded as the same data.
    var isPlainData: Bool { kind == .data }

    /// The contents, for storing the message.
    package var supply: Supply { bytes.supply }

    /// Creates a message from an object.
    ///
    /// - Returns: `nil` if the object represents a file.
    /// - Throws: `unavailableCoercionError` if the object cannot be archived.
    init?(_ value: ItemValue, typeIdentifier: String) throws {
        let data: Data
        var scale: Double?
        switch value.object {
        case let url as NSURL:
            // A path is useless to a process that may not open it, so the file itself is sent instead.
            let standsForFile = url.isFileURL && !TypeIdentifier.conforms(typeIdentifier, to: UTType.url.identifier)
            if standsForFile { return nil }
            (kind, data) = (.url, (url as URL).absoluteURL.dataRepresentation)
        case let text as NSString: (kind, data) = (.text, Data((text as String).utf8))
        case let contents as NSData: (kind, data) = (.data, Data(referencing: contents))
        case let text as NSAttributedString: (kind, data) = (.attributedText, try AttributedText.encode(text))
        case let image as UIImage:
            (kind, data) = (.image, image.encoded)
            scale = Double(image.scale)
        case let wrapper as FileWrapper:
            guard let serialized = wrapper.serializedRepresentation else { return nil }
            (kind, data) = (.fileWrapper, serialized)
        default:
            if let list = PropertyListItem.encode(value.object) {
                (kind, data) = (.propertyList, Data(list.encoded))
            } else if let archive = KeyedArchive.archive(value.object) {
                (kind, data) = (.archive, archive)
            } else {
                throw ItemProviderError.make(
                    .unavailableCoercionError,
                    "An item of class \(Swift.type(of: value.object)) cannot be handed to another process")
            }
        }
        self.scale = scale
        bytes = SupplyMessage(try SupplyPacking.pack(.bytes(data), isCancelled: { false }, report: { _ in }))
    }

    private init(kind: Kind, bytes: SupplyMessage, scale: Double?) {
        self.kind = kind
        self.bytes = bytes
        self.scale = scale
    }

    package static let schema = Schema(
        Self.init(kind:bytes:scale:), Field(0, \.kind), Field(1, \.bytes), Field(2, \.scale))

    /// Creates the object.
    ///
    /// - Throws: `unavailableCoercionError` if the bytes are not of the stated kind, and for an archive of a class
    ///   that the consumer neither knows nor requests.
    func value(as wanted: AnyClass?) throws -> ItemValue {
        let bridge = Bridge(
            typeIdentifier: UTType.data.identifier, contentType: nil, suggestedName: nil, report: { _ in },
            isCancelled: { false })
        let data = try bridge.deliver(bytes.supply, as: .data).asData.get()
        let object: (any NSSecureCoding)? =
            switch kind {
            case .text: String(validating: data, as: UTF8.self).map { $0 as NSString }
            case .url: URL(dataRepresentation: data, relativeTo: nil).map { $0 as NSURL }
            case .data: data as NSData
            case .propertyList: PropertyListItem.decode(data)
            case .attributedText: AttributedText.decode(data).map { NSAttributedString(attributedString: $0) }
            case .image: UIImage(data: data, scale: CGFloat(scale ?? 1))
            case .fileWrapper: FileWrapper(serializedRepresentation: data)
            case .archive: Self.unarchive(data, as: wanted)
            }
        guard let object else {
            throw ItemProviderError.make(
                .unavailableCoercionError,
                kind == .archive
                    ? "The item is the archive of an object that cannot be read as \(wanted.map { "\($0)" } ?? "any known class")"
                    : "The item arrived as bytes that are no \(kind)")
        }
        return ItemValue(object)
    }

    /// Returns the form of an archive that the consumer may get: the bytes if it requests data, otherwise an object of
    /// the requested class or a plain value.
    private static func unarchive(_ data: Data, as wanted: AnyClass?) -> (any NSSecureCoding)? {
        if wanted == NSData.self { return data as NSData }
        return wanted.flatMap { KeyedArchive.unarchive(data, as: $0) } ?? KeyedArchive.unarchivePlain(data)
    }
}

extension Representation {
    /// Creates the object of `registerItem` now, so that it outlives this process.
    ///
    /// - Parameter completion: called once, unless the client's handler never completes: with `nil` if no object can be
    ///   sent, or if the object is only the representation's data.
    package func keepItem(_ completion: @escaping @Sendable (ItemMessage?) -> Void) {
        guard let item else { return completion(nil) }
        let answer = OneShotCompletion(completion)
        HandlerThreads.shared.runHandler { [typeIdentifier] in
            _ = item(ItemRequest(expectedClass: nil, options: nil)) { result in
                guard case .value(let message) = ItemCall.Reply(result, typeIdentifier: typeIdentifier),
                    !message.isPlainData
                else { return answer.complete(nil) }
                answer.complete(message)
            }
        }
    }
}
