import FileProvider
import FileProviderEngine
import LinuxSystem

/// What was removed here: unless others had their way with it at the provider, it must not be seen again, not even for a moment.
final class Removals: Sendable {
    private struct State {
        /// What the provider had.
        var identifiers: Set<String> = []
        /// What removed files held.
        var words: Set<String> = []
        /// Where removed folders were that the provider may have got meanwhile.
        var places: Set<SentPlace> = []
        var complaints: [String] = []
    }

    private let arrivals: Arrivals
    // Taken before that of the arrivals.
    private let state = Lock(State())

    init(_ arrivals: Arrivals) { self.arrivals = arrivals }

    /// - Parameters:
    ///   - words: everything that the item ever held, if it is a file.
    func note(_ row: IndexedItem, in parent: String, _ words: Set<String>) {
        state.withLock { state in
            if row.isKnownToProvider { state.identifiers.insert(row.item.identifier) }
            state.words.formUnion(words)
            if row.item.kind == .folder { state.places.insert(SentPlace(parent: parent, name: row.name)) }
        }
    }

    /// Something has the name again.
    func noteMade(_ name: String, in parent: String) {
        state.withLock { _ = $0.places.remove(SentPlace(parent: parent, name: name)) }
    }

    /// A power failure may have taken removals back.
    func forget() {
        state.withLock { state in
            state.identifiers = []
            state.words = []
            state.places = []
        }
    }

    /// Something is seen here.
    func see(_ row: IndexedItem) -> String? {
        guard row.isKnownToProvider, !arrivals.isTouched(row.item.identifier) else { return nil }
        let identifier = row.item.identifier
        return state.withLock { state in
            let isGhost =
                state.identifiers.contains(identifier)
                || !state.words.isDisjoint(with: arrivals.words(in: identifier))
                || row.item.kind == .folder && arrivals.place(of: identifier).map(state.places.contains) ?? false
            guard isGhost else { return nil }
            let complaint = "\(row.name) is seen again: \(identifier), \(row.number.rawValue)"
            if !state.complaints.contains(complaint) { state.complaints.append(complaint) }
            return complaint
        }
    }

    var complaints: [String] { state.withLock { $0.complaints } }
}
