import Conduit
import Foundation
import ItemProvider
import LinuxSystem

/// An extension item as a message. Its attachments are manifests: to load an attachment, the receiver requests a socket
/// from the sender.
package struct ExtensionItemMessage: SchemaMessage {
    let parts: ItemParts
    let attachments: [OfferManifest]

    init(parts: ItemParts, attachments: [OfferManifest]) {
        self.parts = parts
        self.attachments = attachments
    }

    package static let schema = Schema(
        {
            ExtensionItemMessage(parts: ItemParts(title: $0, text: $1, userInfo: $2), attachments: $3)
        },
        Field(0, \ExtensionItemMessage.parts.title), Field(1, \.parts.text), Field(2, \.parts.userInfo),
        Field(3, \.attachments))
}

/// A call with which a host begins a request. The reply follows when the extension ends the request. If the host
/// cancels the call, the request is cancelled.
package struct BeginRequestCall: Call, SchemaMessage {
    package static var method: UInt64 { 1 }
    let items: [ExtensionItemMessage]

    init(items: [ExtensionItemMessage]) { self.items = items }

    package static let schema = Schema(Self.init, Field(0, \.items))

    package enum Reply: SchemaMessage {
        case completed([ExtensionItemMessage])
        case cancelled(FailureMessage)

        package static let schema = Schema<Reply>(tag: nil) {
            Case(0, Self.completed, Field(0, \.self)) { if case .completed(let items) = $0 { items } else { nil } }
            Case(1, Self.cancelled, Field(1, \.self)) { if case .cancelled(let failure) = $0 { failure } else { nil } }
        }
    }
}

/// A call for a socket to one of the attachments that the receiver of the call has sent.
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

/// A call with which an extension asks its host to open a URL.
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

/// A notice with which a host reports a change of its state. The extension posts the notification of the given name.
package struct HostNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 1 }
    package let name: String

    package init(name: String) { self.name = name }

    package static let schema = Schema(Self.init, Field(0, \.name))
}
