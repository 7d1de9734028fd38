import FileProvider
import FileProviderEngine
import LinuxSystem
import ProviderTesting

/// What arrived at the provider, and in which items, by their keys: from then on it is others' too, to change and to remove.
final class Arrivals: Sendable {
    private struct State {
        /// Of each word the items, and the folders that these were in.
        var items: [String: Set<String>] = [:]
        /// What arrived in each item.
        var words: [String: Set<String>] = [:]
        /// Where items were made from here.
        var places: [String: SentPlace] = [:]
        /// What others changed or removed, or somebody here.
        var touched: Set<String> = []
        /// What others changed or removed.
        var others: Set<String> = []
        /// What others gave another name, or put something into, and the folders of what they changed.
        var used: Set<String> = []
    }

    // Innermost.
    private let state = Lock(State())
    private let provider: MemoryProvider

    init(_ provider: MemoryProvider) { self.provider = provider }

    /// `nil` where the item is gone.
    func identifier(ofKey key: String) -> String? { provider.item(ofKey: key)?.identifier }

    private func key(ofFolder identifier: String) -> String { provider.item(of: identifier)?.key ?? identifier }

    /// An item was made from here.
    func noteMade(_ item: ProviderItem, _ contents: FileDescriptor?) {
        state.withLock { $0.places[item.key] = SentPlace(parent: item.parent, name: item.filename) }
        if let contents { note(contents, item) }
    }

    func note(_ contents: FileDescriptor, _ item: ProviderItem) {
        guard let bytes = try? contents.reopen(.readOnly).readToEnd(limit: 1 << 20) else { return }
        let word = String(decoding: bytes, as: UTF8.self)
        let folder = key(ofFolder: item.parent)
        state.withLock { state in
            state.items[word, default: []].formUnion([item.key, folder])
            state.words[item.key, default: []].insert(word)
        }
    }

    func touch(_ key: String) { state.withLock { _ = $0.touched.insert(key) } }

    /// Others changed or removed an item. Where it is removed here too it may come back, and its folder with it.
    func noteOthers(_ item: ProviderItem) {
        let folder = key(ofFolder: item.parent)
        state.withLock { state in
            state.others.insert(item.key)
            state.used.insert(folder)
        }
    }

    /// An item was moved to a folder from here.
    func noteMoved(_ item: ProviderItem) {
        let folder = key(ofFolder: item.parent)
        state.withLock { if $0.others.contains(item.key) { $0.used.insert(folder) } }
    }

    func noteUse(_ identifier: String) {
        let key = key(ofFolder: identifier)
        state.withLock { _ = $0.used.insert(key) }
    }

    /// Whether others did anything to an item.
    func isTouched(_ key: String) -> Bool {
        state.withLock { $0.touched.contains(key) || $0.used.contains(key) }
    }

    /// The items that a word arrived in, and their folders.
    func items(of word: String) -> Set<String> { state.withLock { $0.items[word] ?? [] } }

    /// Everything that arrived in an item from here.
    func words(in key: String) -> Set<String> { state.withLock { $0.words[key] ?? [] } }

    /// Where an item was made from here; `nil` where others made it.
    func place(of key: String) -> SentPlace? { state.withLock { $0.places[key] } }

    /// What was made in a place from here.
    func made(at place: SentPlace) -> [String] {
        state.withLock { state in state.places.filter { $0.value == place }.map(\.key) }
    }

    /// Whether others may have had their way with what arrived.
    func isOthers(_ word: String) -> Bool {
        state.withLock { state in state.items[word].map { !$0.isDisjoint(with: state.touched) } ?? false }
    }
}
