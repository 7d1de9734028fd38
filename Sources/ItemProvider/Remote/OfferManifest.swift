import Conduit
import Foundation

/// The description of an item before it is loaded: its name and its representations.
package struct OfferManifest: Sendable, Equatable {
    /// The identifier, made by the provider's side, so that the same item can be offered again after a restart of the
    /// daemon.
    package let identifier: UUID
    /// `NSItemProvider.suggestedName`.
    package let name: String?
    /// The representations in order of fidelity, best first.
    package let representations: [RepresentationManifest]
    /// Whether the provider's client makes previews itself. They are for consumers that may load every
    /// representation.
    package let hasPreview: Bool

    package init(
        identifier: UUID, name: String?, representations: [RepresentationManifest], hasPreview: Bool = false
    ) {
        self.identifier = identifier
        self.name = name
        self.representations = representations
        self.hasPreview = hasPreview
    }
}

/// The description of one representation of an item before it is loaded.
package struct RepresentationManifest: Sendable, Equatable {
    /// The position among the provider's representations. It stays the same when others are left out of a list.
    package let index: Int
    package let typeIdentifier: String
    /// The raw value of `NSItemProviderRepresentationVisibility`.
    package let visibility: Int
    /// The raw value of `NSItemProviderFileOptions`.
    package let fileOptions: Int
    /// Whether the representation has an object of the coercing interface.
    package let hasItem: Bool

    package init(index: Int, typeIdentifier: String, visibility: Int, fileOptions: Int, hasItem: Bool = false) {
        self.index = index
        self.typeIdentifier = typeIdentifier
        self.visibility = visibility
        self.fileOptions = fileOptions
        self.hasItem = hasItem
    }
}

extension RepresentationManifest: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        index = try decoder.decode(forKey: 0)
        typeIdentifier = try decoder.decode(forKey: 1)
        visibility = try decoder.decode(forKey: 2)
        fileOptions = try decoder.decode(forKey: 3)
        hasItem = try decoder.decodeIfPresent(forKey: 4) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(index, forKey: 0)
        encoder.encode(typeIdentifier, forKey: 1)
        encoder.encode(visibility, forKey: 2)
        encoder.encode(fileOptions, forKey: 3)
        if hasItem { encoder.encode(true, forKey: 4) }
    }
}

extension OfferManifest: Message {
    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        name = try decoder.decodeIfPresent(forKey: 1)
        representations = try decoder.decode(forKey: 2)
        hasPreview = try decoder.decodeIfPresent(forKey: 3) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encodeIfPresent(name, forKey: 1)
        encoder.encode(representations, forKey: 2)
        if hasPreview { encoder.encode(true, forKey: 3) }
    }
}
