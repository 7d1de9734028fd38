/// The properties of a dynamic type beyond its tag: the parents in its payload, and the freedesktop database's
/// information about the tag.
///
/// They are computed once for each identity, at first use. If a bundle declares the type later, new look-ups find the
/// declared type.
final class DynamicTypeProperties: Sendable {
    /// The types that the dynamic type conforms to directly.
    let parents: [UTType]
    /// The ancestors of the dynamic type: its parents and their supertypes. A declared ancestor is listed without its
    /// supertypes, a dynamic one with all of them. The list is flat, so a cycle in the database is harmless.
    let ancestors: [UTType]
    /// The indexes of the ancestors that are declared types.
    private let declaredAncestors: [Int]
    /// The MIME type that the database has for the tag.
    let mime: String?

    init(_ payload: DynamicIdentifier) {
        let named = payload.parents.compactMap { UTType(known: $0) }
        // A parent can be dynamic itself. Its identifier is contained in that of this type, and is therefore shorter,
        // so the recursion ends soon.
        let nested = named + named.flatMap { $0.identity.dynamicProperties?.ancestors ?? [] }
        let found = MIMEDatabase.shared.flatMap { database in
            TypeRegistry.withCurrent {
                Self.databaseProperties(payload, named, MIMEMapping(database: database, snapshot: $0))
            }
        }
        mime = found?.mime
        let implied = found?.ancestors ?? []
        // Parents that the database implies need not be listed twice.
        parents =
            (found?.parents ?? [])
            + named.filter { name in !implied.contains { $0 == name || $0.conformsWhenDeclared(to: name) } }
        ancestors = implied + nested
        declaredAncestors = ancestors.map(\.identity.index).filter { $0 >= 0 }
    }

    /// Returns the properties of the payload's tag in the database. If the tag has several MIME types, uses the first
    /// that conforms to the payload's parents, because the others are unrelated uses of the same tag. Returns `nil` if
    /// none conforms.
    private static func databaseProperties(
        _ payload: DynamicIdentifier, _ named: [UTType], _ mapping: MIMEMapping
    ) -> (mime: String, parents: [UTType], ancestors: [UTType])? {
        for mime in payload.mimeTypes(in: mapping.database) {
            let isSame = payload.tagClass == UTTagClass.mimeType.rawValue && mime.lowercased() == payload.tag
            let parents = isSame ? mapping.parents(of: mime) : [mapping.type(of: mime)]
            let ancestors = mapping.closure(of: parents)
            let agrees = named.allSatisfy { name in
                ancestors.contains { $0 == name || $0.conformsWhenDeclared(to: name) }
            }
            if agrees {
                return (mime, parents, ancestors)
            }
        }
        return nil
    }

    /// Whether one of the ancestors is `type` or conforms to it.
    @inline(__always)
    func isKind(of type: UTType, in snapshot: TypeSnapshot) -> Bool {
        guard let other = snapshot.index(of: type.identity) else { return ancestors.contains(type) }
        for index in declaredAncestors where snapshot.properties[index].conforms(to: other) {
            return true
        }
        return false
    }
}

extension DynamicIdentifier {
    /// Returns the MIME types that the database has for this identifier's tag, the best first.
    func mimeTypes(in database: MIMEDatabase) -> [String] {
        switch UTTagClass(rawValue: tagClass) {
        case .filenameExtension: database.types(forExtension: tag)
        case .mimeType:
            (Tag(tag, of: .mimeType)?.essence).flatMap { database.knownName(of: String($0)) }.map { [$0] } ?? []
        default: []
        }
    }
}

extension UTType {
    /// Whether this type is declared and conforms to `type`. Does not compute the properties of dynamic types.
    func conformsWhenDeclared(to type: UTType) -> Bool {
        TypeRegistry.withCurrent { snapshot in
            guard let index = snapshot.index(of: identity), let other = snapshot.index(of: type.identity) else {
                return false
            }
            return snapshot.properties[index].conforms(to: other)
        }
    }
}
