import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Records which local items are being imported. A provider that has lost its records requests an import of all items,
/// or of one directory with everything in it.
///
/// The engine then lists again every directory that has items in the index, and matches these items by name with the
/// items that the provider lists. A local item that the provider does not have is sent as a new item that may already
/// exist. Without an import, it would be removed.
///
/// An import stays recorded in the index until its end was reported to the provider, so that it continues after a
/// restart. If the index is lost, the import ends, because there are no items to match. Used only on the engine's
/// thread (see ``EngineContext``).
final class Reimports {
    private let context: EngineContext
    /// The top items of the imports that are recorded in the index.
    private var recorded: Set<ItemNumber> = []
    /// The top items of the recorded imports that have ended, but whose end was not yet reported to the provider.
    private var reported: Set<ItemNumber> = []

    private static let key = "reimports"

    init(_ context: EngineContext) { self.context = context }

    /// The topmost items of the active imports. Each is imported with everything in it.
    var tops: Set<ItemNumber> { recorded.subtracting(reported) }

    var isActive: Bool { !tops.isEmpty }

    /// Reads the imports that had not ended when the previous engine ended.
    func recover() throws(IndexError) {
        let bytes = try context.index.setting(Self.key) ?? []
        recorded = Set(
            String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { text in
                Int64(text).map { ItemNumber(rawValue: $0) }
            })
    }

    /// Records an import in the index.
    ///
    /// - Parameters:
    ///   - top: The item to import, with everything in it.
    ///   - folders: The directories that are to be listed for the import.
    func begin(_ top: ItemNumber, listing folders: [ItemNumber]) throws(ProviderError) {
        let recorded = recorded.union([top])
        try context.write { writer throws(IndexError) in
            for folder in folders { try writer.noteReidentified(folder, hasNewIdentifier: false) }
            try Self.write(recorded, &writer)
        }
        self.recorded = recorded
        reported.remove(top)
    }

    /// Marks the given imports as ended. They stay recorded until their end was reported to the provider.
    func beginReport(of ended: Set<ItemNumber>) { reported.formUnion(ended) }

    /// Removes the record of imports whose end was reported to the provider, unless they were begun once more
    /// meanwhile.
    func endReport(of ended: Set<ItemNumber>) throws(ProviderError) {
        let ended = ended.intersection(reported)
        let recorded = recorded.subtracting(ended)
        try context.write { writer throws(IndexError) in try Self.write(recorded, &writer) }
        self.recorded = recorded
        reported.subtract(ended)
    }

    private static func write(_ tops: Set<ItemNumber>, _ writer: inout IndexWriter) throws(IndexError) {
        let text = tops.map(\.rawValue).sorted().map(String.init).joined(separator: " ")
        try writer.setSetting(key, tops.isEmpty ? nil : Array(text.utf8))
    }

    /// Returns the given directory and the directories below it, as far as they were listed before. The given one comes
    /// first. Returns an empty array if the item was never listed.
    func listedFolders(in top: IndexedItem) throws(IndexError) -> [ItemNumber] {
        guard top.item.kind == .folder, top.listing != .never else { return [] }
        var folders = [top.number]
        var next = 0
        while next < folders.count {
            try context.index.children(of: folders[next]) { item in
                if item.item.kind == .folder, item.listing != .never, item.isKnownToProvider {
                    folders.append(item.number)
                }
                return true
            }
            next += 1
        }
        return folders
    }

    /// Returns the given item and everything in it, directories before the items in them. Omits items that the provider
    /// does not know, and items that were moved there only locally. Returns an empty array for the root,
    /// or if the item does not exist.
    func items(in top: ItemNumber) throws(IndexError) -> [IndexedItem] {
        guard let first = try context.index.item(top), first.number != .root else { return [] }
        var items = [first]
        var next = 0
        while next < items.count {
            let folder = items[next].item
            if folder.kind == .folder {
                try context.index.children(of: items[next].number) { item in
                    // An item that was moved into this directory only locally is in another directory at the provider.
                    // It may still exist in that directory.
                    let isElsewhere =
                        item.changes.contains(.place) && !item.item.parent.hasSameBytes(as: folder.identifier)
                    if !isElsewhere { items.append(item) }
                    return true
                }
            }
            next += 1
        }
        return items.filter(\.isKnownToProvider)
    }
}
