import FileProvider
import FileProviderEngine
import LinuxSystem

/// Everything that files ever held here, as far as it is known.
struct HeldWords: Sendable {
    /// What was written.
    let held: [ItemNumber: Set<String>]
    /// The folder of the engine's life.
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
        // An empty file holds what others hold too.
        words.remove("")
        return words
    }
}
