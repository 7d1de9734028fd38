/// The freedesktop MIME database: which MIME type a file has by its name and by its content, and how types relate.
///
/// Follows the Shared MIME-info Database specification. The database of a machine is the `mime.cache` files of its data
/// directories, which `update-mime-database` keeps up to date; they are opened once and read from any thread without a
/// lock. A database that was changed is seen by the next process.
///
/// Nothing in the files is trusted: see ``MIMECache``.
package final class MIMEDatabase: Sendable {
    /// The caches with what they say about types, the one of highest precedence first.
    let caches: [(file: MIMECache, types: MIMECacheTypes)]
    let names: MIMETypeNames
    let relations: MIMETypeRelations
    let magic: MagicProgram
    /// Vocabularies of XML by their namespace and element name.
    let namespaces: [XMLRootElement: MIMETypeNames.ID]
    /// For each cache, the types whose patterns in it a cache of higher precedence has deleted.
    let deletedGlobs: [Set<MIMETypeNames.ID>]
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

    /// How many bytes from the start of a file the rules for contents can make use of.
    package var contentLength: Int { max(magic.extent, Self.textLength) }

    /// How many bytes decide between text and binary data.
    static let textLength = 4096

    /// A database made of cache files, the one of highest precedence first. Files that are missing or broken are left
    /// out; `nil` when none is left.
    package init?(cachePaths: [String]) {
        var names = MIMETypeNames()
        let wellKnown = WellKnown(
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
        var deletedGlobs: [Set<MIMETypeNames.ID>] = []
        for (_, types) in caches {
            deletedGlobs.append(deleted)
            deleted.formUnion(types.withoutEarlierGlobs)
        }
        var namespaces: [XMLRootElement: MIMETypeNames.ID] = [:]
        for (file, types) in caches { file.readNamespaces(types, into: &namespaces) }
        self.caches = caches
        self.wellKnown = wellKnown
        self.relations = MIMETypeRelations(caches.map(\.types), names: names, wellKnown)
        self.magic = MagicProgram(caches)
        self.namespaces = namespaces
        self.deletedGlobs = deletedGlobs
        self.records = MIMETypeRecords(caches.map(\.file.path))
        self.names = names
    }
}

extension MIMECache {
    /// Adds the XML vocabularies of this cache that are not known yet.
    fileprivate func readNamespaces(
        _ types: MIMECacheTypes, into namespaces: inout [XMLRootElement: MIMETypeNames.ID]
    ) {
        let list = entries(of: .namespaces, size: 12)
        for entry in 0..<list.count {
            let place = list.start + 12 * entry
            let type = types.offsets[word(place + 8)]
            guard type >= 0, let namespace = string(word(place)), let localName = string(word(place + 4)) else {
                continue
            }
            let root = XMLRootElement(
                localName: String(decoding: localName, as: UTF8.self),
                namespace: String(decoding: namespace, as: UTF8.self))
            if namespaces[root] == nil { namespaces[root] = type }
        }
    }
}
