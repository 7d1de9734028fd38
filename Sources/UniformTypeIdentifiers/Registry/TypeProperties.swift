import Foundation

/// The properties of one declared type in one snapshot of the registry.
package final class TypeProperties: Sendable {
    /// Whether the type is declared, and not only named as a parent.
    package let isDeclared: Bool
    /// Whether the type has only an imported declaration.
    package let isImported: Bool
    /// Indexes of the types this one is declared to conform to, in declaration order.
    package let parents: [Int]
    /// The filename extensions and the MIME types, in declaration order. The first of each is the preferred one.
    package let extensions: [String]
    package let mimeTypes: [String]
    /// The tags of other classes, such as `com.apple.ostype`, by class.
    package let otherTags: [String: [String]]
    /// The type's own description.
    package let description: String?
    package let version: Int?
    package let referenceURL: URL?
    /// The bundle that declares the type; nil for the system's types.
    package let bundle: URL?
    /// The closure of conformance, reflexive and transitive: the indexes of all types that the type conforms to.
    let ancestors: TypeSet

    init(
        isDeclared: Bool, isImported: Bool = false, parents: [Int], extensions: [String], mimeTypes: [String],
        otherTags: [String: [String]] = [:], description: String?, version: Int? = nil, referenceURL: URL? = nil,
        bundle: URL? = nil, ancestors: TypeSet
    ) {
        self.isDeclared = isDeclared
        self.isImported = isImported
        self.parents = parents
        self.extensions = extensions
        self.mimeTypes = mimeTypes
        self.otherTags = otherTags
        self.description = description
        self.version = version
        self.referenceURL = referenceURL
        self.bundle = bundle
        self.ancestors = ancestors
    }

    /// Whether the type is the type with the index `other`, or conforms to it.
    @inline(__always)
    package func conforms(to other: Int) -> Bool {
        ancestors.contains(other)
    }
}

extension TypeProperties: Equatable {
    package static func == (left: TypeProperties, right: TypeProperties) -> Bool {
        left === right
            || left.isDeclared == right.isDeclared && left.isImported == right.isImported
                && left.parents == right.parents && left.extensions == right.extensions
                && left.mimeTypes == right.mimeTypes && left.otherTags == right.otherTags
                && left.description == right.description && left.version == right.version
                && left.referenceURL == right.referenceURL && left.bundle == right.bundle
                && left.ancestors == right.ancestors
    }
}
