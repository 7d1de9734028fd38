import WebDAVClient

/// The temporary items that this client has at the server: the files of exchanges, and the directories of probes.
///
/// Each has a random name, which is recorded before the item is created. Only a record shows that an item is temporary,
/// because users and other clients may use any name. The temporary items of other clients are not hidden.
struct TemporaryEntries: Sendable {
    let catalogue: SharedServerCatalogue
    let probes: ProbeRecords

    /// Returns the names of those entries of a folder that are temporary items of this client.
    func names(among entries: [DAVEntry], of folder: Int64) async throws -> Set<[UInt8]> {
        // Looks up only names that have the form of temporary names, so most listings need no look-up.
        let files = entries.map(\.name).filter { ServerWriter.token(in: $0) != nil }
        let directories = entries.filter { $0.isDirectory && ProbeRecords.hasForm($0.name) }
        var names: Set<[UInt8]> = []
        if !files.isEmpty {
            let found = try await catalogue.perform { catalogue in
                try files.filter { try catalogue.isTemporary($0, in: folder) }
            }
            names.formUnion(found.map { Array($0.utf8) })
        }
        if !directories.isEmpty {
            let found = try await Blocking.run { [probes] in directories.filter { probes.contains($0.address) } }
            names.formUnion(found.map { Array($0.name.utf8) })
        }
        return names
    }
}

/// Hides entries of listings from the user: the entries that the service hides, and this client's temporary items.
extension DAVAccount {
    var temporaryEntries: TemporaryEntries { TemporaryEntries(catalogue: catalogue, probes: probes) }

    /// Returns the entries of a folder without the hidden ones.
    func visible(_ entries: [DAVEntry], in folder: Int64) async throws -> [DAVEntry] {
        let visible = entries.filter { !service.isHidden($0) }
        let temporary = try await temporaryEntries.names(among: visible, of: folder)
        return temporary.isEmpty ? visible : visible.filter { !temporary.contains(Array($0.name.utf8)) }
    }

    /// Whether an entry of a folder is hidden.
    func hides(_ entry: DAVEntry, in folder: Int64) async throws -> Bool {
        try await visible([entry], in: folder).isEmpty
    }
}
