import Conduit
import Foundation
import ItemProvider
import LinuxSystem

/// An extension item as a message. Its attachments are manifests: to load an attachment, the receiver requests a socket
/// from the sender.
struct ExtensionItemMessage: Message {
    let parts: ItemParts
    let attachments: [OfferManifest]

    init(parts: ItemParts, attachments: [OfferManifest]) {
        self.parts = parts
        self.attachments = attachments
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let title = try decoder.decodeIfPresent(ByteString.self, forKey: 0)
        let text = try decoder.decodeIfPresent(ByteString.self, forKey: 1)
        let userInfo = try decoder.decodeIfPresent(ByteString.self, forKey: 2)
        parts = ItemParts(
            title: title.map { Data($0.bytes) }, text: text.map { Data($0.bytes) },
            userInfo: userInfo.map { Data($0.bytes) })
        attachments = try decoder.decode(forKey: 3)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(parts.title.map { ByteString(Array($0)) }, forKey: 0)
        encoder.encodeIfPresent(parts.text.map { ByteString(Array($0)) }, forKey: 1)
        encoder.encodeIfPresent(parts.userInfo.map { ByteString(Array($0)) }, forKey: 2)
        encoder.encode(attachments, forKey: 3)
    }
}

/// Begins a request. Sent by a host. The reply follows when the extension ends the request; if the host cancels the
/// call, it cancels the request.
struct BeginRequestCall: Call {
    static var method: UInt64 { 1 }
    let items: [ExtensionItemMessage]

    init(items: [ExtensionItemMessage]) { self.items = items }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        items = try decoder.decode(forKey: 0)
    }

    func encode(to encoder: inout MessageEncoder) { encoder.encode(items, forKey: 0) }

    enum Reply: Message {
        case completed([ExtensionItemMessage])
        case cancelled(FailureMessage)

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            if let items = try decoder.decodeIfPresent([ExtensionItemMessage].self, forKey: 0) {
                self = .completed(items)
            } else {
                self = .cancelled(try decoder.decode(forKey: 1))
            }
        }

        func encode(to encoder: inout MessageEncoder) {
            switch self {
            case .completed(let items): encoder.encode(items, forKey: 0)
            case .cancelled(let failure): encoder.encode(failure, forKey: 1)
            }
        }
    }
}

/// Asks the other side for a socket to one of the attachments that it has sent.
package struct OpenAttachmentCall: Call, SchemaMessage {
    package static var method: UInt64 { 2 }
    package let identifier: UUID

    package init(identifier: UUID) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))

    package struct Reply: SchemaMessage {
        /// The socket; `nil` if the attachment does not exist any more.
        package let socket: FileDescriptor?

        package init(socket: FileDescriptor?) { self.socket = socket }

        package static let schema = Schema(Self.init, Field(0, \.socket))
    }
}

/// Asks the host to open a URL. Sent by an extension.
package struct OpenURLCall: Call, SchemaMessage {
    package static var method: UInt64 { 3 }
    package let url: String

    package init(url: String) { self.url = url }

    package static let schema = Schema(Self.init, Field(0, \.url))

    package struct Reply: SchemaMessage {
        package let wasOpened: Bool

        package init(wasOpened: Bool) { self.wasOpened = wasOpened }

        package static let schema = Schema(Self.init, Field(0, \.wasOpened))
    }
}

/// Notifies an extension of a change of its host's state. The extension posts the notification of that name.
package struct HostNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 1 }
    package let name: String

    package init(name: String) { self.name = name }

    package static let schema = Schema(Self.init, Field(0, \.name))
}
