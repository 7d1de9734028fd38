import Conduit
import LinuxSystem

/// A request for thumbnails of files. The provider reports the number of completed files as progress.
package struct ProviderThumbnailsCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderThumbnails
    package typealias Reply = ProviderReply<ProviderThumbnails>
    package static var method: UInt64 { 33 }
    /// The identifiers of the items, at most ``mostItems``.
    package let identifiers: [String]
    /// The wanted length of the longer side of a thumbnail, in pixels.
    package let side: Int

    /// The maximum number of items in one request. The reply contains a file descriptor for each item, and a message
    /// cannot contain more descriptors.
    package static let mostItems = ConnectionLimits.descriptorsPerMessage
    /// The maximum number of bytes of a thumbnail; a larger one is rejected.
    package static let largestPicture = 8 << 20

    package init(identifiers: [String], side: Int) {
        self.identifiers = identifiers
        self.side = side
    }

    package static let schema = Schema(Self.init, Field(0, \.identifiers), Field(1, \.side))
        .checked { call throws(MessageError) in
            guard call.identifiers.count <= mostItems, 1...8192 ~= call.side else {
                throw .invalid("\(call.identifiers.count) thumbnails of \(call.side) pixels")
            }
        }
}

/// A provider's thumbnails, at most one per item. Items for which the provider did not reply are left out.
package struct ProviderThumbnails: SchemaMessage {
    package let thumbnails: [ProviderThumbnail]

    package init(thumbnails: [ProviderThumbnail]) { self.thumbnails = thumbnails }

    package static let schema = Schema(Self.init, Field(0, \.thumbnails))
}

/// A provider's thumbnail of one item, or the provider's failure. Both are `nil` if the item has no thumbnail.
package struct ProviderThumbnail: SchemaMessage {
    package let identifier: String
    /// A sealed memory file with a picture in any format. The picture was not validated.
    package let picture: FileDescriptor?
    package let failure: ProviderError?

    package init(identifier: String, picture: FileDescriptor?, failure: ProviderError?) {
        self.identifier = identifier
        self.picture = picture
        self.failure = failure
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.picture), Field(2, \.failure))
}
