import FileProvider
import FileProviderEngine
import ItemStore
import LinuxSystem

/// All words that local files are known to have held.
struct HeldWords: Sendable {
    /// The words that were written to each file.
    let held: [ItemNumber: Set<String>]
    /// The path of the directory of the engine's life.
    let life: String

    func of(_ row: IndexedItem) -> Set<String> {
        var words = held[row.number] ?? []
        let place = row.content == .edited ? "data/edits" : "cache/content"
        if row.content != .dataless,
            let file = try? FileDescriptor.open("\(life)/\(place)/\(row.number.rawValue)", .readOnly),
            let bytes = try? file.readToEnd(limit: 1 << 20)
        {
            words.insert(String(decoding: bytes, as: UTF8.self))
        }
        // An empty file is equal to any other empty file.
        words.remove("")
        return words
    }
}
