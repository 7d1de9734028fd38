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
        withFacts { facts in
            tags[.filenameExtension] = facts.extensions.isEmpty ? nil : facts.extensions
            tags[.mimeType] = facts.mimeTypes.isEmpty ? nil : facts.mimeTypes
        }
        return tags
    }

    /// The type's tags of all classes, including those that ``tags`` leaves out.
    package var allTags: [UTTagClass: [String]] {
        var all = tags
        let others: [String: [String]]? = withFacts { $0.otherTags }
        for (tagClass, list) in others ?? [:] {
            all[UTTagClass(rawValue: tagClass)] = list
        }
        return all
    }

    /// The bundle that declares the type; nil for a type that the system declares, or that is undeclared.
    package var declaringBundle: URL? { withFacts(\.bundle) ?? nil }

    /// The first declared filename extension. For a dynamic type, its own extension, otherwise the usual one in the
    /// freedesktop database.
    public var preferredFilenameExtension: String? {
        preferredTag(of: .filenameExtension)
    }

    /// The first declared MIME type. For a dynamic type, its own MIME type, otherwise that in the freedesktop database.
    ///
    /// Nil for `public.data`, as on Apple's systems: `application/octet-stream` denotes that type, but has no
    /// information about the data.
    public var preferredMIMEType: String? {
        preferredTag(of: .mimeType)
    }

    /// Returns the preferred tag of any class.
    package func preferredTag(of tagClass: UTTagClass) -> String? {
        if let payload = identity.payload {
            return payload.tagClass == tagClass.rawValue ? payload.tag : databaseTags(of: tagClass).first
        }
        return withFacts { facts in
            switch tagClass {
            case .filenameExtension: facts.extensions.first
            case .mimeType: identity === UTType.data.identity ? nil : facts.mimeTypes.first
            default: facts.otherTags[tagClass.rawValue]?.first
            }
        } ?? nil
    }

    /// A description for users, in English. It is the type's own description, otherwise that of the nearest supertype.
    /// A dynamic type does not inherit a description; it has one if the freedesktop database has the tag.
    public var localizedDescription: String? {
        if isDynamic {
            return identity.dynamicFacts?.mime.flatMap { MIMEDatabase.shared?.description(of: $0) }
        }
        if let own = withFacts(\.description) ?? nil {
            return own
        }
        return supertypesByDistance.lazy.compactMap { $0.withFacts(\.description) ?? nil }.first
    }

    /// The version that the declaration states. Most declarations have none.
    public var version: Int? { withFacts(\.version) ?? nil }

    /// The URL of a description of the type that the declaration states. Most declarations have none.
    public var referenceURL: URL? { withFacts(\.referenceURL) ?? nil }

    /// Whether the type was made from a tag that no declared type has.
    public var isDynamic: Bool {
        identity.origin == .dynamic
    }

    /// Whether the system or a bundle declares the type.
    public var isDeclared: Bool { withFacts(\.isDeclared) ?? false }

    /// Whether the identifier is in the public domain, that is, starts with `public.`.
    public var isPublic: Bool {
        identifier.utf8.count > 7
            && identifier.utf8.prefix(7).elementsEqual("public.".utf8) { asciiLowercase($0) == $1 }
    }

    /// The declared filename extensions. For a dynamic type, its own extension and those in the freedesktop database.
    package var filenameExtensions: [String] { knownTags(of: .filenameExtension) }

    /// The declared MIME types. For a dynamic type, its own MIME type and the one in the freedesktop database.
    package var mimeTypes: [String] { knownTags(of: .mimeType) }

    private func knownTags(of tagClass: UTTagClass) -> [String] {
        let own = tags[tagClass] ?? []
        return own + databaseTags(of: tagClass).filter { tag in !own.contains { $0.lowercased() == tag.lowercased() } }
    }

    /// Returns the tags that the freedesktop database has for a dynamic type.
    private func databaseTags(of tagClass: UTTagClass) -> [String] {
        guard let mime = identity.dynamicFacts?.mime else { return [] }
        switch tagClass {
        case .filenameExtension: return MIMEDatabase.shared?.extensions(of: mime) ?? []
        case .mimeType: return [mime]
        default: return []
        }
    }

    /// Calls `body` with the properties of a declared type.
    func withFacts<Result>(_ body: (TypeFacts) -> Result) -> Result? {
        TypeRegistry.withCurrent { snapshot in
            snapshot.index(of: identity).map { body(snapshot.facts[$0]) }
        }
    }
}
