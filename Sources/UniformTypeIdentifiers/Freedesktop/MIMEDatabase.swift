import Glibc

/// The freedesktop MIME database: the MIME types of files by name and content, and the relations between types.
///
/// Follows the Shared MIME-info Database specification. The database of a machine is the `mime.cache` files of its data
/// directories, which `update-mime-database` keeps up to date. The files are mapped once and read into tables that
/// serve any number of threads without a lock. The tables do not refer to the files afterwards. A process that has
/// opened the database does not see later changes.
///
/// Nothing in the files is trusted: see ``MIMECache``.
package final class MIMEDatabase: Sendable {
    let names: MIMETypeNames
    let relations: MIMETypeRelations
    let fileNames: FileNameIndex
    let magic: MagicProgram
    /// The types of XML vocabularies, by the namespace and name of the root element.
    let namespaces: [XMLRootElement: MIMETypeNames.ID]
    let records: MIMETypeRecords
    let wellKnown: WellKnown

    /// Types that the algorithm of the specification names.
    struct WellKnown: Sendable {
        let text: MIMETypeNames.ID
        let binary: MIMETypeNames.ID
        let empty: MIMETypeNames.ID
        let xml: MIMETypeNames.ID
        let launcher: MIMETypeNames.ID
    }

    /// The number of bytes from the start of a file that the rules for contents can use.
    package var contentLength: Int { min(max(magic.extent, Self.textLength), Self.longestContent) }

    /// The number of bytes that decide between text and binary data.
    static let textLength = 4096

    /// The maximum of ``contentLength`` in bytes, even if the rules can use more.
    private static let longestContent = 1 << 20

    /// Creates a database from cache files, the one of highest precedence first. Missing and broken files are left
    /// out. Returns `nil` if none is left.
    package init?(cachePaths: [String]) {
        var names = MIMETypeNames()
        wellKnown = WellKnown(
            text: names.intern("text/plain"), binary: names.intern("application/octet-stream"),
            empty: names.intern("application/x-zerosize"), xml: names.intern("application/xml"),
            launcher: names.intern("application/x-desktop"))
        var caches: [(file: MIMECache, types: MIMECacheTypes)] = []
        for path in cachePaths {
            guard let file = MIMECache(path: path), let types = file.types(&names) else { continue }
            caches.append((file, types))
        }
        guard !caches.isEmpty else { return nil }
        var deleted: Set<MIMETypeNames.ID> = []
        var patterns:
            (suffixes: [FileNameIndex.Pattern], literals: [FileNameIndex.Pattern], globs: [FileNameIndex.Pattern])
        patterns = ([], [], [])
        var namespaces: [XMLRootElement: MIMETypeNames.ID] = [:]
        for (_, types) in caches {
            patterns.suffixes += types.suffixes.filter { !deleted.contains($0.type) }
            patterns.literals += types.literals.filter { !deleted.contains($0.type) }
            patterns.globs += types.globs.filter { !deleted.contains($0.type) }
            deleted.formUnion(types.withoutEarlierGlobs)
            for (root, type) in types.namespaces where namespaces[root] == nil { namespaces[root] = type }
        }
        relations = MIMETypeRelations(caches.map(\.types), names: names, wellKnown)
        fileNames = FileNameIndex(suffixes: patterns.suffixes, literals: patterns.literals, globs: patterns.globs)
        magic = MagicProgram(caches)
        records = MIMETypeRecords(caches.map(\.file.path))
        self.namespaces = namespaces
        self.names = names
    }
}

extension MIMEDatabase {
    /// The database of this machine and user; `nil` if there is none.
    ///
    /// Its caches are `mime/mime.cache` in `XDG_DATA_HOME` and then in each of `XDG_DATA_DIRS` (XDG Base Directory
    /// Specification). The database is opened at first use.
    package static let shared: MIMEDatabase? = MIMEDatabase(
        cachePaths: dataDirectories { name in getenv(name).map { String(cString: $0) } }.map { $0 + "/mime/mime.cache" }
    )

    /// Returns the data directories, the most important first. Relative ones are ignored, as the specification
    /// requires.
    package static func dataDirectories(_ environment: (String) -> String?) -> [String] {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let home = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let system = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        var directories: [String] = []
        for directory in [home].compactMap({ $0 }) + system.split(separator: ":").map(String.init)
        where directory.hasPrefix("/") && !directories.contains(directory) {
            directories.append(directory)
        }
        return directories
    }
}

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
    /// without another supertype. `inode/` types have no supertypes, because they have no bytes.
    package func parents(of mime: String) -> [String] {
        if let type = names.number(of: mime) { return relations.parents(of: type).map { names[$0] } }
        return mime.hasPrefix("inode/") ? [] : [names[mime.hasPrefix("text/") ? wellKnown.text : wellKnown.binary]]
    }

    /// Returns the file extensions of a type without the dot, the usual one first.
    package func extensions(of mime: String) -> [String] {
        let mime = canonical(mime)
        let declared = records.record(of: mime).extensions
        guard declared.isEmpty, let type = names.number(of: mime) else { return declared }
        // If the database has no XML file of the type, the extensions are taken from the patterns, although these are
        // not in order of preference.
        return fileNames.extensions(of: type)
    }

    /// Returns the description of a type in English, such as "ODS spreadsheet"; `nil` if the database has none.
    package func description(of mime: String) -> String? {
        records.record(of: canonical(mime)).description
    }
}
