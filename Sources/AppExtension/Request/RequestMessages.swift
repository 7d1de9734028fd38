import Conduit
import Foundation
import ItemProvider
import LinuxSystem

/// An extension item as a message. Its attachments are manifests: to load one, the receiver asks the sender for a
/// socket.
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
struct OpenAttachmentCall: Call {
    static var method: UInt64 { 2 }
    let identifier: UUID

    init(identifier: UUID) { self.identifier = identifier }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    func encode(to encoder: inout MessageEncoder) { encoder.encode(identifier, forKey: 0) }

    struct Reply: Message {
        /// The socket; `nil` if the attachment does not exist any more.
        let socket: FileDescriptor?

        init(socket: FileDescriptor?) { self.socket = socket }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            socket = try decoder.decodeIfPresent(forKey: 0)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encodeIfPresent(socket, forKey: 0) }
    }
}

/// Asks the host to open a URL. Sent by an extension.
struct OpenURLCall: Call {
    static var method: UInt64 { 3 }
    let url: String

    init(url: String) { self.url = url }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        url = try decoder.decode(forKey: 0)
    }

    func encode(to encoder: inout MessageEncoder) { encoder.encode(url, forKey: 0) }

    struct Reply: Message {
        let wasOpened: Bool

        init(wasOpened: Bool) { self.wasOpened = wasOpened }

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            wasOpened = try decoder.decode(forKey: 0)
        }

        func encode(to encoder: inout MessageEncoder) { encoder.encode(wasOpened, forKey: 0) }
    }
}

/// Notifies an extension of a change of its host's state. The extension posts the notification of that name.
struct HostNotice: Notice {
    static var method: UInt64 { 1 }
    let name: String

    init(name: String) { self.name = name }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        name = try decoder.decode(forKey: 0)
    }

    func encode(to encoder: inout MessageEncoder) { encoder.encode(name, forKey: 0) }
}
