/// What is known of a dynamic type beyond its tag: its payload's parents, and what the freedesktop database makes of it.
///
/// Made once for each identity, when it is first needed, and kept: a type that a bundle declares later is found by new
/// lookups.
final class DynamicFacts: Sendable {
    /// The types it conforms to directly.
    let parents: [UTType]
    /// All types it conforms to, as far as types without declared parents are concerned: declared types whose own
    /// parents are not listed, and dynamic ones with all of theirs. Flat, so that a database whose types go round in a
    /// circle does no harm.
    let ancestors: [UTType]
    /// The indexes of the declared ones among the ancestors.
    private let declaredAncestors: [Int]
    /// The MIME type that the database has for the tag.
    let mime: String?

    init(_ payload: DynamicIdentifier) {
        let named = payload.parents.compactMap { UTType(known: $0) }
        // A parent can be dynamic itself. Its identifier is part of this one's, so this comes to an end soon.
        let nested = named + named.flatMap { $0.identity.dynamicFacts?.ancestors ?? [] }
        let found = MIMEDatabase.shared.flatMap { database in
            TypeRegistry.withCurrent {
                Self.databaseFacts(payload, named, MIMEMapping(database: database, snapshot: $0))
            }
        }
        mime = found?.mime
        let implied = found?.ancestors ?? []
        // What the payload names and the database implies need not be said twice.
        parents =
            (found?.parents ?? [])
            + named.filter { name in !implied.contains { $0 == name || $0.conformsWhenDeclared(to: name) } }
        ancestors = implied + nested
        declaredAncestors = ancestors.map(\.identity.index).filter { $0 >= 0 }
    }

    /// Facts of the first MIME type of the tag that agrees with the payload: one that is none of the things the payload
    /// says the type is, is about something else.
    private static func databaseFacts(
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
        for index in declaredAncestors where snapshot.facts[index].conforms(to: other) {
            return true
        }
        return false
    }
}

extension DynamicIdentifier {
    /// The MIME types that the database has for the tag, the best first.
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
    /// Whether the type is declared and conforms to `type`, told without the facts of dynamic types.
    func conformsWhenDeclared(to type: UTType) -> Bool {
        TypeRegistry.withCurrent { snapshot in
            guard let index = snapshot.index(of: identity), let other = snapshot.index(of: type.identity) else {
                return false
            }
            return snapshot.facts[index].conforms(to: other)
        }
    }
}
