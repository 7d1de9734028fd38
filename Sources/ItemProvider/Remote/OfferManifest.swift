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
    /// Whether the provider's client creates previews itself. Only consumers that may load every representation get
    /// them.
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
    /// The position among the provider's representations. The position does not change when other representations are
    /// left out of a list.
    package let index: Int
    package let typeIdentifier: String
    /// The raw value of `NSItemProviderRepresentationVisibility`.
    package let visibility: Int
    /// The raw value of `NSItemProviderFileOptions`.
    package let fileOptions: Int
    /// Whether the representation has an object that was registered with `registerItem`.
    package let hasItem: Bool

    package init(index: Int, typeIdentifier: String, visibility: Int, fileOptions: Int, hasItem: Bool = false) {
        self.index = index
        self.typeIdentifier = typeIdentifier
        self.visibility = visibility
        self.fileOptions = fileOptions
        self.hasItem = hasItem
    }
}

extension RepresentationManifest: SchemaMessage {
    package static let schema = Schema(
        Self.init, Field(0, \.index), Field(1, \.typeIdentifier), Field(2, \.visibility), Field(3, \.fileOptions),
        Field(4, \.hasItem, default: false))
}

extension OfferManifest: SchemaMessage {
    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, \.name), Field(2, \.representations),
        Field(3, \.hasPreview, default: false))
}
