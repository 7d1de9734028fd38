/// Maps the MIME types of the freedesktop database to uniform types, according to one snapshot of the declared types.
struct MIMEMapping {
    let database: MIMEDatabase
    let snapshot: TypeSnapshot

    /// Returns the uniform type of a MIME type: the declared type, preferably one that conforms to `public.data`, or a
    /// dynamic type if none is declared.
    func type(of mime: String) -> UTType {
        declaredType(of: mime, conformingTo: .data) ?? declaredType(of: mime) ?? Self.dynamicType(of: mime)
    }

    /// Returns the declared type of a MIME type; `nil` if there is none. It is a type that has the MIME type or an
    /// alias of it as a tag, or a type that is known to be equivalent.
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

    /// Whether a MIME type has no declared type, and conforms to `supertype`.
    func isDynamic(_ mime: String, conformingTo supertype: UTType?) -> Bool {
        guard declaredType(of: mime) == nil else { return false }
        guard let supertype else { return true }
        // All MIME types except those of the file system's own objects (`inode/`) conform to data.
        if supertype == .data, !mime.hasPrefix("inode/") {
            return true
        }
        return closure(of: [Self.dynamicType(of: mime)]).contains {
            $0 == supertype || $0.conformsWhenDeclared(to: supertype)
        }
    }

    /// Returns the given types and, for each dynamic one, all types that it conforms to according to the database. The
    /// supertypes of declared types are not followed.
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

    /// Returns the dynamic type of a MIME type. `UTType(mimeType:)` creates the same type.
    static func dynamicType(of mime: String) -> UTType {
        UTType(
            dynamic: DynamicIdentifier(
                parents: [CoreTypes.data], tagClass: UTTagClass.mimeType.rawValue, tag: mime.lowercased()))
    }

    /// Returns the direct supertypes of a MIME type: those in the database, and further ones that the database lacks.
    func parents(of mime: String) -> [UTType] {
        var parents = database.parents(of: mime).map { type(of: $0) }
        parents += KnownMIMETypes.abstractParents(of: mime).compactMap { UTType(known: $0) }
        // A supertype is left out if another one conforms to it. For example, most types have a supertype that conforms
        // to `public.data`.
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
    /// Returns the database's canonical name of a MIME type that is given in lower case; nil if the database does not
    /// have the type. The names in the database may have capital letters.
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
    /// Returns a table from the canonical name of a MIME type to the index of the first type that declares an alias of
    /// this MIME type. The table is computed at first use.
    func aliases(in database: MIMEDatabase) -> [String: Int] {
        if let made = aliasTable.load() {
            return made.indexes
        }
        var indexes: [String: Int] = [:]
        for (index, properties) in properties.enumerated() {
            for mime in properties.mimeTypes {
                let canonical = database.canonical(mime)
                if canonical != mime, indexes[canonical] == nil {
                    indexes[canonical] = index
                }
            }
        }
        return aliasTable.storeIfNil(AliasTable(indexes)).indexes
    }

    /// The table that ``aliases(in:)`` returns, as an object that can be stored atomically.
    final class AliasTable: Sendable {
        let indexes: [String: Int]

        init(_ indexes: [String: Int]) {
            self.indexes = indexes
        }
    }
}
