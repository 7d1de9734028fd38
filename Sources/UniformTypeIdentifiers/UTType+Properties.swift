import Foundation

extension UTType {
    /// The type's tags by class, in declaration order; classes without a tag are left out.
    ///
    /// A declared type has filename extensions and MIME types in this dictionary. A dynamic type has only the tag
    /// that it was made from.
    public var tags: [UTTagClass: [String]] {
        if let payload = identity.payload {
            return [UTTagClass(rawValue: payload.tagClass): [payload.tag]]
        }
        var tags: [UTTagClass: [String]] = [:]
        withProperties { properties in
            tags[.filenameExtension] = properties.extensions.isEmpty ? nil : properties.extensions
            tags[.mimeType] = properties.mimeTypes.isEmpty ? nil : properties.mimeTypes
        }
        return tags
    }

    /// The type's tags of all classes, including those that ``tags`` leaves out.
    package var allTags: [UTTagClass: [String]] {
        var all = tags
        let others: [String: [String]]? = withProperties { $0.otherTags }
        for (tagClass, list) in others ?? [:] {
            all[UTTagClass(rawValue: tagClass)] = list
        }
        return all
    }

    /// The bundle that declares the type; nil for a type that the system declares, or that is undeclared.
    package var declaringBundle: URL? { withProperties(\.bundle) ?? nil }

    /// The first declared filename extension; nil if there is none. For a dynamic type, the extension that it was made
    /// from, or the usual one that the freedesktop database has for its tag.
    public var preferredFilenameExtension: String? {
        preferredTag(of: .filenameExtension)
    }

    /// The first declared MIME type; nil if there is none. For a dynamic type, the MIME type that it was made from, or
    /// the one that the freedesktop database has for its tag.
    ///
    /// Nil for `public.data`, as on Apple's systems: `application/octet-stream` denotes that type, but has no
    /// information about the data.
    public var preferredMIMEType: String? {
        preferredTag(of: .mimeType)
    }

    /// Returns the type's preferred tag of the given class; nil if it has none.
    package func preferredTag(of tagClass: UTTagClass) -> String? {
        if let payload = identity.payload {
            return payload.tagClass == tagClass.rawValue ? payload.tag : databaseTags(of: tagClass).first
        }
        return withProperties { properties in
            switch tagClass {
            case .filenameExtension: properties.extensions.first
            case .mimeType: identity === UTType.data.identity ? nil : properties.mimeTypes.first
            default: properties.otherTags[tagClass.rawValue]?.first
            }
        } ?? nil
    }

    /// A description for users, in English; nil if there is none. A declared type without a description has that of its
    /// nearest supertype. A dynamic type has the description that the freedesktop database has for its tag.
    public var localizedDescription: String? {
        if isDynamic {
            return identity.dynamicProperties?.mime.flatMap { MIMEDatabase.shared?.description(of: $0) }
        }
        if let own = withProperties(\.description) ?? nil {
            return own
        }
        return supertypesByDistance.lazy.compactMap { $0.withProperties(\.description) ?? nil }.first
    }

    /// The version, given in the type's declaration. Most declarations have none.
    public var version: Int? { withProperties(\.version) ?? nil }

    /// The URL, given in the type's declaration, of a page that describes the type. Most declarations have none.
    public var referenceURL: URL? { withProperties(\.referenceURL) ?? nil }

    /// Whether the type was made from a tag that no declared type has.
    public var isDynamic: Bool {
        identity.origin == .dynamic
    }

    /// Whether the system or a bundle declares the type.
    public var isDeclared: Bool { withProperties(\.isDeclared) ?? false }

    /// Whether the identifier is in the public domain, that is, starts with `public.`.
    public var isPublic: Bool {
        identifier.utf8.count > 7
            && identifier.utf8.prefix(7).elementsEqual("public.".utf8) { asciiLowercase($0) == $1 }
    }

    /// The declared filename extensions. For a dynamic type, the extension that it was made from, and those that the
    /// freedesktop database has for its tag.
    package var filenameExtensions: [String] { knownTags(of: .filenameExtension) }

    /// The declared MIME types. For a dynamic type, the MIME type that it was made from, or the one that the
    /// freedesktop database has for its tag.
    package var mimeTypes: [String] { knownTags(of: .mimeType) }

    private func knownTags(of tagClass: UTTagClass) -> [String] {
        let own = tags[tagClass] ?? []
        return own + databaseTags(of: tagClass).filter { tag in !own.contains { $0.lowercased() == tag.lowercased() } }
    }

    /// Returns the tags of the given class that the freedesktop database has for this type; empty if this type is not
    /// dynamic.
    private func databaseTags(of tagClass: UTTagClass) -> [String] {
        guard let mime = identity.dynamicProperties?.mime else { return [] }
        switch tagClass {
        case .filenameExtension: return MIMEDatabase.shared?.extensions(of: mime) ?? []
        case .mimeType: return [mime]
        default: return []
        }
    }

    /// Calls `body` with this type's declared properties. Returns nil, without a call, if the type is not declared and
    /// not named as a parent.
    func withProperties<Result>(_ body: (TypeProperties) -> Result) -> Result? {
        TypeRegistry.withCurrent { snapshot in
            snapshot.index(of: identity).map { body(snapshot.properties[$0]) }
        }
    }
}
