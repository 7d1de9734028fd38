import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting

/// The contents that arrived at the provider, and the items that contain them, by item key. After the arrival, another
/// client may change and remove them.
final class Arrivals: Sendable {
    private struct State {
        /// The keys of the items that each word arrived in, and of their directories.
        var items: [String: Set<String>] = [:]
        /// The words that arrived in each item.
        var words: [String: Set<String>] = [:]
        /// The places at which the engine created items.
        var places: [String: SentLocation] = [:]
        /// Items that another client changed or removed, or that were changed or removed locally.
        var touched: Set<String> = []
        /// Items that another client changed or removed.
        var others: Set<String> = []
        /// Items that another client renamed, directories to which it added an item, and the directories of the items
        /// that it changed.
        var used: Set<String> = []
    }

    // Leaf lock.
    private let state = Lock(State())
    private let provider: MemoryProvider

    init(_ provider: MemoryProvider) { self.provider = provider }

    /// Returns the identifier of the item with a key, or `nil` if the provider does not have the item.
    func identifier(ofKey key: String) -> String? { provider.item(ofKey: key)?.identifier }

    /// Returns the key of an item of the engine's index.
    func key(of item: ProviderItem) -> String { provider.key(of: item) }

    private func key(ofFolder identifier: String) -> String { provider.item(of: identifier)?.key ?? identifier }

    /// Returns the keys of a directory and of those above it.
    private func keys(upFrom identifier: String) -> Set<String> {
        var keys: Set<String> = [key(ofFolder: identifier)]
        var folder = provider.item(of: identifier)
        while let current = folder, current.identifier != ProviderItem.rootIdentifier {
            keys.insert(current.key)
            folder = provider.item(of: current.parent)
        }
        return keys
    }

    /// Records an item that the engine created.
    func noteMade(_ item: ProviderItem, _ contents: FileDescriptor?) {
        state.withLock { $0.places[item.key] = SentLocation(parent: item.parent, name: item.filename) }
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

    /// Records an item that another client changed or removed. If it is removed locally, too, it may reappear, and
    /// its directory with it.
    func noteOthers(_ item: ProviderItem) {
        let folders = keys(upFrom: item.parent)
        state.withLock { state in
            state.others.insert(item.key)
            state.used.formUnion(folders)
        }
    }

    /// Records an item that the engine moved to another directory.
    func noteMoved(_ item: ProviderItem) {
        let folder = key(ofFolder: item.parent)
        state.withLock { if $0.others.contains(item.key) { $0.used.insert(folder) } }
    }

    /// Records that another client renamed an item or added an item to it. If it and the directories above are removed
    /// locally, they may reappear.
    func noteUse(_ identifier: String) {
        let keys = keys(upFrom: identifier)
        state.withLock { $0.used.formUnion(keys) }
    }

    /// Whether another client changed an item in any way.
    func isTouched(_ key: String) -> Bool {
        state.withLock { $0.touched.contains(key) || $0.used.contains(key) }
    }

    /// Returns the items that a word arrived in, and their directories.
    func items(of word: String) -> Set<String> { state.withLock { $0.items[word] ?? [] } }

    /// Returns all words that the engine sent for an item.
    func words(in key: String) -> Set<String> { state.withLock { $0.words[key] ?? [] } }

    /// Returns the place at which the engine created an item, or `nil` if another client created it.
    func place(of key: String) -> SentLocation? { state.withLock { $0.places[key] } }

    /// Returns the keys of the items that the engine created at a place.
    func made(at place: SentLocation) -> [String] {
        state.withLock { state in state.places.filter { $0.value == place }.map(\.key) }
    }

    /// Whether another client may have changed an item that the word arrived in.
    func isOthers(_ word: String) -> Bool {
        state.withLock { state in state.items[word].map { !$0.isDisjoint(with: state.touched) } ?? false }
    }
}
