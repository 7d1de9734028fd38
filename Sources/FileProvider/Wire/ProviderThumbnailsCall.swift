import Conduit
import LinuxSystem

/// Small pictures of files. Its progress is in files.
package struct ProviderThumbnailsCall: ProviderCall {
    package typealias Value = ProviderThumbnails
    package typealias Reply = ProviderReply<ProviderThumbnails>
    package static var method: UInt64 { 33 }
    /// At most ``mostItems``.
    package let identifiers: [String]
    /// The longest side that is of use, in pixels.
    package let side: Int

    /// The most items of a call: so many descriptors fit into the answer.
    package static let mostItems = ConnectionLimits.descriptorsPerMessage
    /// A picture of more bytes is none.
    package static let largestPicture = 8 << 20

    package init(identifiers: [String], side: Int) {
        self.identifiers = identifiers
        self.side = side
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifiers = try decoder.decode(forKey: 0)
        side = try decoder.decode(forKey: 1)
        guard identifiers.count <= Self.mostItems, 1...8192 ~= side else {
            throw .invalid("\(identifiers.count) thumbnails of \(side) pixels")
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifiers, forKey: 0)
        encoder.encode(side, forKey: 1)
    }
}

/// What a provider gave, each item at most once. Items that it said nothing about are not in it.
package struct ProviderThumbnails: Message {
    package let thumbnails: [ProviderThumbnail]

    package init(thumbnails: [ProviderThumbnail]) { self.thumbnails = thumbnails }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        thumbnails = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(thumbnails, forKey: 0) }
}

/// What a provider gave for one item: a picture, or why there is none; neither where there just is none.
package struct ProviderThumbnail: Message {
    package let identifier: String
    /// A sealed memory file, in whatever format: nothing of it was looked at.
    package let picture: FileDescriptor?
    package let failure: ProviderFailure?

    package init(identifier: String, picture: FileDescriptor?, failure: ProviderFailure?) {
        self.identifier = identifier
        self.picture = picture
        self.failure = failure
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        picture = try decoder.decodeIfPresent(forKey: 1)
        failure = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encodeIfPresent(picture, forKey: 1)
        encoder.encodeIfPresent(failure, forKey: 2)
    }
}
