import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting

/// Items that were removed locally. Unless another client changed them at the provider, they must never appear again.
final class Removals: Sendable {
    private struct State {
        /// The keys of removed items that the provider had.
        var identifiers: Set<String> = []
        /// The words that removed files held, with the keys of these files. A file that another client changed
        /// meanwhile comes back beside its changed version.
        var words: [String: String] = [:]
        /// The places of directories that were removed before the provider replied to their creation, with the keys
        /// of other items that were created at the same places.
        var places: [SentLocation: Set<String>] = [:]
        var complaints: [String] = []
    }

    private let arrivals: Arrivals
    private let arePlacesKept: Bool
    // Lock order: before the lock of `arrivals`.
    private let state = Lock(State())

    /// - Parameter arePlacesKept: Whether a directory keeps its identifier when it is moved.
    init(_ arrivals: Arrivals, arePlacesKept: Bool) {
        self.arrivals = arrivals
        self.arePlacesKept = arePlacesKept
    }

    /// - Parameter words: All words that the item ever held, if it is a file.
    func note(_ row: IndexedItem, _ words: Set<String>, in index: Index) throws {
        let place = SentLocation(parent: try index.item(row.parent)?.item.identifier ?? "", name: row.name)
        let isReplaced = try index.item(named: row.name, in: row.parent) != nil
        let others = try arrivals.made(at: place).filter { key in
            try arrivals.identifier(ofKey: key).flatMap { try index.item(identifier: $0) } != nil
        }
        let key = arrivals.key(of: row.item)
        state.withLock { state in
            for word in words { state.words[word] = key }
            if row.isKnownToProvider {
                state.identifiers.insert(key)
            } else if row.item.kind == .folder, !isReplaced, arePlacesKept {
                state.places[place, default: []].formUnion(others)
            }
        }
    }

    /// Forgets all removals, as a power failure may have undone them.
    func forget() {
        state.withLock { state in
            state.identifiers = []
            state.words = [:]
            state.places = [:]
        }
    }

    /// Checks an item that appears, or that appears at another place. Returns a complaint if it was removed.
    func see(_ change: IndexChange, in index: Index) -> String? {
        switch change {
        case .added(let number, let parent, let name), .moved(let number, _, _, let parent, let name):
            guard let row = try? index.item(number) else { return nil }
            if row.isKnownToProvider { return see(row) }
            noteSent(name, in: parent, index)
            return nil
        case .changed(let number, _):
            // An item that another client removed is created anew.
            guard let row = try? index.item(number), !row.isKnownToProvider else { return nil }
            noteSent(row.name, in: row.parent, index)
            return nil
        case .removed: return nil
        }
    }

    /// Records that an item which the provider does not have yet is sent to this place.
    private func noteSent(_ name: String, in folder: ItemNumber, _ index: Index) {
        guard let folder = try? index.item(folder) else { return }
        state.withLock { state in
            _ = state.places.removeValue(forKey: SentLocation(parent: folder.item.identifier, name: name))
        }
    }

    /// Checks an item that is seen. Returns a complaint if it was removed.
    func see(_ row: IndexedItem) -> String? {
        let identifier = arrivals.key(of: row.item)
        guard row.isKnownToProvider, !arrivals.isTouched(identifier) else { return nil }
        return state.withLock { state in
            let place = row.item.kind == .folder ? arrivals.place(of: identifier) : nil
            let isGhost =
                state.identifiers.contains(identifier)
                || arrivals.words(in: identifier).contains { word in
                    state.words[word].map { !arrivals.isTouched($0) } ?? false
                }
                || place.flatMap { state.places[$0] }.map { !$0.contains(identifier) } ?? false
            guard isGhost else { return nil }
            let complaint = "\(row.name) is seen again: \(identifier), \(row.number.rawValue)"
            if !state.complaints.contains(complaint) { state.complaints.append(complaint) }
            return complaint
        }
    }

    var complaints: [String] { state.withLock { $0.complaints } }
}
