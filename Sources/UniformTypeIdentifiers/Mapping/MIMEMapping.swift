/// Which types MIME types of the freedesktop database are, in one snapshot of the declared types.
struct MIMEMapping {
    let database: MIMEDatabase
    let snapshot: TypeSnapshot

    /// The type of a MIME type: the declared one, of data if there is a choice, else the dynamic one.
    func type(of mime: String) -> UTType {
        declaredType(of: mime, conformingTo: .data) ?? declaredType(of: mime) ?? Self.dynamicType(of: mime)
    }

    /// The declared type of a MIME type: one that has it as a tag, or an alias of it, or is known to be the same.
    func declaredType(of mime: String, conformingTo supertype: UTType? = nil) -> UTType? {
        if let tagged = snapshot.firstType(withTag: mime, of: .mimeType, conformingTo: supertype) {
            return tagged
        }
        if let identifier = KnownMIMETypes.equivalents[mime], let index = snapshot.index(ofIdentifier: identifier),
            snapshot.accepts(index, conformingTo: supertype)
        {
            return UTType(identity: snapshot.identities[index])
        }
        let canonical = database.canonical(mime)
        if canonical != mime {
            return declaredType(of: canonical, conformingTo: supertype)
        }
        guard let index = snapshot.aliases(in: database)[mime], snapshot.accepts(index, conformingTo: supertype) else {
            return nil
        }
        return UTType(identity: snapshot.identities[index])
    }

    /// Whether a MIME type is none of the declared types, and conforms to `supertype`.
    func isDynamic(_ mime: String, conformingTo supertype: UTType?) -> Bool {
        guard declaredType(of: mime) == nil else { return false }
        guard let supertype else { return true }
        // All types that are not of the file system itself are of data.
        if supertype == .data, !mime.hasPrefix("inode/") {
            return true
        }
        return closure(of: [Self.dynamicType(of: mime)]).contains {
            $0 == supertype || $0.conformsWhenDeclared(to: supertype)
        }
    }

    /// All types that a type conforms to by the database, and the type: declared types whose own parents are left out,
    /// and dynamic ones with all of theirs.
    func closure(of types: [UTType]) -> [UTType] {
        var found: [UTType] = []
        var pending = types
        while let type = pending.popLast() {
            guard !found.contains(type) else { continue }
            found.append(type)
            if let mime = type.identity.payload?.mimeTypes(in: database).first {
                pending += parents(of: mime)
            }
        }
        return found
    }

    /// The dynamic type of a MIME type, the same as `UTType(mimeType:)` makes.
    static func dynamicType(of mime: String) -> UTType {
        UTType(
            dynamic: DynamicIdentifier(
                parents: [CoreTypes.data], tagClass: UTTagClass.mimeType.rawValue, tag: mime.lowercased()))
    }

    /// The types that a MIME type is directly a special case of: what the database says, and what it does not know.
    func parents(of mime: String) -> [UTType] {
        var parents = database.parents(of: mime).map { type(of: $0) }
        parents += KnownMIMETypes.abstractParents(of: mime).compactMap { UTType(known: $0) }
        // Only the nearest: data is implied by most others.
        return parents.enumerated().filter { place, parent in
            !parents.enumerated().contains { other, nearer in
                place != other && nearer.isDeclared && parent.isDeclared && nearer.conforms(to: parent)
                    && (nearer != parent || other < place)
            }
        }.map(\.element)
    }
}

extension CoreTypes {
    /// The identifier of the root of all types that are a sequence of bytes.
    static let data = "public.data"
}

extension MIMEDatabase {
    /// The name by which the database knows a MIME type given in any case, aliases resolved; nil if it does not know it.
    func knownName(of mime: String) -> String? {
        if names.number(of: mime) != nil {
            return canonical(mime)
        }
        return Self.spellings[mime.lowercased()].map { canonical($0) }
    }

    /// Names with capital letters in the shared database, by their lower-case form.
    private static let spellings: [String: String] = {
        var spellings: [String: String] = [:]
        for name in shared?.names.names ?? [] {
            let folded = name.lowercased()
            if folded != name {
                spellings[folded] = name
            }
        }
        return spellings
    }()
}

extension TypeSnapshot {
    /// Types by what their declared MIME types are aliases of. Made when first needed.
    func aliases(in database: MIMEDatabase) -> [String: Int] {
        if let made = aliasTable.load() {
            return made.indexes
        }
        var indexes: [String: Int] = [:]
        for (index, facts) in facts.enumerated() {
            for mime in facts.mimeTypes {
                let canonical = database.canonical(mime)
                if canonical != mime, indexes[canonical] == nil {
                    indexes[canonical] = index
                }
            }
        }
        return aliasTable.storeIfNil(AliasTable(indexes)).indexes
    }

    /// The table, in a form that can be stored atomically.
    final class AliasTable: Sendable {
        let indexes: [String: Int]

        init(_ indexes: [String: Int]) {
            self.indexes = indexes
        }
    }
}
