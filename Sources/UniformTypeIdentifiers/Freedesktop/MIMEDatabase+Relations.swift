extension MIMEDatabase {
    /// The name under which the database keeps a type: for an alias what it stands for, else the name itself.
    package func canonical(_ mime: String) -> String {
        guard let type = names.number(of: mime) else { return mime }
        let target = relations.canonical(type)
        return target == type ? mime : names[target]
    }

    /// The types of which a type is a direct special case, declared ones first.
    ///
    /// Also what is implied: `text/plain` for every text type, `application/octet-stream` for types of which nothing
    /// nearer is known; nothing for `inode/` types, which have no bytes.
    package func parents(of mime: String) -> [String] {
        if let type = names.number(of: mime) { return relations.parents(of: type).map { names[$0] } }
        return mime.hasPrefix("inode/") ? [] : [names[mime.hasPrefix("text/") ? wellKnown.text : wellKnown.binary]]
    }

    /// The file extensions of a type without the dot, the usual one first.
    package func extensions(of mime: String) -> [String] {
        let mime = canonical(mime)
        let declared = records.record(of: mime).extensions
        guard declared.isEmpty, let type = names.number(of: mime) else { return declared }
        // A database without the files for people: the patterns have the extensions too, in no telling order.
        return fileNames.extensions(of: type)
    }

    /// What a type is called in English, such as "ODS spreadsheet"; `nil` where the database has no words for it.
    package func description(of mime: String) -> String? {
        records.record(of: canonical(mime)).description
    }
}
