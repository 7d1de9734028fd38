import Conduit
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// The attachments that are passed over one connection between a host and an extension, in both directions. The
/// daemon is not involved: to load an attachment, one side asks the other for a socket.
final class AttachmentExchange: Sendable {
    // Leaf lock: sockets are served after it is released.
    private let offers = Mutex<[UUID: HostedOffer]>([:])

    /// Adds the handler of the other side's requests for sockets.
    func serve(on service: inout Service) {
        service.on(OpenAttachmentCall.self) { [weak self] request, call in
            do throws(Errno) {
                call.reply(OpenAttachmentCall.Reply(socket: try self?.open(request.identifier)))
            } catch {
                call.fail(domain: Self.domain, code: 1, message: "a socket to the attachment cannot be made: \(error)")
            }
        }
    }

    /// The error domain in messages that report the failure of an ``OpenAttachmentCall``.
    private static let domain = "PurveyAttachment"

    /// Returns a socket over which the other side can load an attachment; `nil` if the attachment does not exist any
    /// more.
    private func open(_ identifier: UUID) throws(Errno) -> FileDescriptor? {
        guard let offer = offers.withLock({ $0[identifier] }) else { return nil }
        let (near, far) = try SequencedPacketSocket.pair()
        try offer.accept(near.descriptor, permitted: Set(offer.all.map(\.index)))
        return far.descriptor
    }

    /// Converts items for the other side. Representations that are visible only in this process are left out.
    func messages(_ items: [NSExtensionItem]) -> [ExtensionItemMessage] {
        items.map { item in
            let manifests = (item.attachments ?? []).map { provider in
                let visible = provider.representations.enumerated().filter { $0.element.visibility == .all }
                let offer = HostedOffer(
                    identifier: UUID(),
                    representations: Dictionary(uniqueKeysWithValues: visible.map { ($0.offset, $0.element) }),
                    preview: provider.previewImageHandler)
                offers.withLock { $0[offer.identifier] = offer }
                return offer.manifest(name: provider.suggestedName)
            }
            return ExtensionItemMessage(parts: ItemParts(item), attachments: manifests)
        }
    }

    /// Converts items from the other side. Each attachment is loaded over a separate socket.
    func items(_ messages: [ExtensionItemMessage], from connection: Connection) -> [NSExtensionItem] {
        messages.map { message in
            let item = NSExtensionItem()
            message.parts.fill(item)
            item.attachments = message.attachments.map { manifest in
                RemoteItem(manifest) { completion in
                    connection.call(OpenAttachmentCall(identifier: manifest.identifier)) { result in
                        completion(Self.connect(result))
                    }
                }.makeProvider()
            }
            return item
        }
    }

    private static func connect(
        _ result: Result<OpenAttachmentCall.Reply, ConduitError>
    ) -> Result<Connection, any Error> {
        switch result {
        case .success(let reply):
            guard let socket = reply.socket else { return .failure(ItemProviderError.providerIsGone()) }
            return Result { try Connection(try SequencedPacketSocket(checking: socket)) }
        case .failure(let error):
            return .failure(error.loadError)
        }
    }

    /// Withdraws all attachments that this side has sent.
    func end() {
        let offers = offers.withLock { offers in
            defer { offers = [:] }
            return offers
        }
        for offer in offers.values { offer.end() }
    }
}
