extension Tag {
    /// Returns the type for a tag that no type declares. If the freedesktop database assigns the tag to a declared
    /// type, returns that type; otherwise a dynamic type.
    func undeclaredType(conformingTo supertype: UTType?) -> UTType {
        if let type = databaseType(conformingTo: supertype) {
            return type
        }
        return UTType(
            dynamic: DynamicIdentifier(
                parents: supertype.map { [$0.identifier] } ?? [], tagClass: tagClass.rawValue, tag: text))
    }

    /// Returns the declared type to which the freedesktop database assigns this tag, or `nil` if there is none.
    private func databaseType(conformingTo supertype: UTType?) -> UTType? {
        if tagClass == .mimeType, text.utf8.contains(UInt8(ascii: ";")) || text.utf8.contains(UInt8(ascii: " ")) {
            // A declared tag may have parameters. Therefore the tag is first looked up with its parameters but without
            // white space, and then without its parameters.
            let tight = text.filter { $0 != " " && $0 != "\t" }
            for candidate in [tight, String(essence)] {
                let declared = TypeRegistry.withCurrent {
                    $0.firstType(withTag: candidate, of: .mimeType, conformingTo: supertype)
                }
                if let declared {
                    return declared
                }
            }
        }
        guard let database = MIMEDatabase.shared else { return nil }
        let mimes: [String] =
            switch tagClass {
            case .filenameExtension: database.types(forExtension: text)
            case .mimeType: [database.knownName(of: String(essence)) ?? String(essence)]
            default: []
            }
        guard !mimes.isEmpty else { return nil }
        return TypeRegistry.withCurrent { snapshot in
            let mapping = MIMEMapping(database: database, snapshot: snapshot)
            for mime in mimes {
                if let type = mapping.declaredType(of: mime, conformingTo: supertype) {
                    return type
                }
                // The database prefers this MIME type to the following ones. No type is declared for it, so the tag
                // has a dynamic type.
                if mapping.isDynamic(mime, conformingTo: supertype) {
                    return nil
                }
            }
            return nil
        }
    }
}
