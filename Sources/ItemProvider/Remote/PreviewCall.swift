import Conduit
import Foundation
import FoundationAdditions
import Images
import UniformTypeIdentifiers

/// A request to a provider's process for the preview that its client creates.
package struct PreviewCall: Call, SchemaMessage {
    package static var method: UInt64 { 3 }
    package typealias Reply = ItemCall.Reply

    let request: ItemRequestMessage

    init(_ options: [AnyHashable: Any]?) {
        request = ItemRequestMessage(ItemRequest(expectedClass: nil, options: options.map { Disconnected($0) }))
    }

    private init(request: ItemRequestMessage) { self.request = request }

    package static let schema = Schema(Self.init(request:), Field(0, \.request))
}

extension PreviewCall {
    /// Runs the client's handler, and completes once with its result: data or an image. A file is sent as its data.
    /// Blocks while large data is packed.
    func answer(
        from handler: NSItemProvider.LoadHandler, _ completion: @escaping @Sendable (Reply) -> Void
    ) {
        let type = UTType.image.identifier
        handler(
            { item, error in
                let value = Result<ItemValue?, any Error> {
                    guard let item else { throw error ?? ItemProviderError.emptyAnswer() }
                    let value = try PreviewImage.checked(item)
                    guard value.object is NSURL else { return value }
                    let bridge = Bridge(
                        typeIdentifier: type, contentType: nil, suggestedName: nil, report: { _ in },
                        isCancelled: { false })
                    return try ItemCoercion(typeIdentifier: type, bridge: bridge).coerce(value, to: NSData.self)
                }
                completion(Reply(value, typeIdentifier: type))
            }, UIImage.self, request.request.options?.value)
    }
}
