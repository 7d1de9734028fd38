extension MIMEDatabase {
    /// Returns the canonical name of a type: the target of an alias, else the name itself.
    package func canonical(_ mime: String) -> String {
        guard let type = names.number(of: mime) else { return mime }
        let target = relations.canonical(type)
        return target == type ? mime : names[target]
    }

    /// Returns the direct supertypes of a type, declared ones first.
    ///
    /// Implied supertypes are included: `text/plain` for every text type, and `application/octet-stream` for types
    /// without a nearer one. `inode/` types have none, because they have no bytes.
    package func parents(of mime: String) -> [String] {
        if let type = names.number(of: mime) { return relations.parents(of: type).map { names[$0] } }
        return mime.hasPrefix("inode/") ? [] : [names[mime.hasPrefix("text/") ? wellKnown.text : wellKnown.binary]]
    }

    /// Returns the file extensions of a type without the dot, the usual one first.
    package func extensions(of mime: String) -> [String] {
        let mime = canonical(mime)
        let declared = records.record(of: mime).extensions
        guard declared.isEmpty, let type = names.number(of: mime) else { return declared }
        // A database without the XML files: the patterns have the extensions too, but not in order of preference.
        return fileNames.extensions(of: type)
    }

    /// Returns the description of a type in English, such as "ODS spreadsheet"; `nil` if the database has none.
    package func description(of mime: String) -> String? {
        records.record(of: canonical(mime)).description
    }
}
