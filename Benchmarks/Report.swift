/// The measurements of the sections, in order.
struct Report: Sendable {
    /// A line of the report.
    enum Entry: Sendable {
        case figure(Figure)
        /// A measurement that is not possible on this machine, and the reason.
        case skipped(name: String, reason: String)
        /// A peer that is missing on this machine, and the reason.
        case peerless(name: String, reason: String)
        /// A failed measurement, and the error.
        case failed(name: String, reason: String)
    }

    private(set) var sections: [(name: String, entries: [Entry])] = []

    /// Starts the next section. Later entries belong to it.
    mutating func begin(_ section: String) {
        sections.append((section, []))
    }

    mutating func add(_ figure: Figure) {
        append(.figure(figure))
    }

    /// Adds a figure; see ``Figure``.
    mutating func add(
        _ name: String, _ value: Double, _ unit: Figure.Unit, peer: Figure.Peer? = nil, target: Figure.Target = .none
    ) {
        add(Figure(name: name, value: value, unit: unit, peer: peer, target: target))
    }

    /// Records that a measurement is not possible on this machine. It does not count as a missed target.
    mutating func skip(_ name: String, because reason: String) {
        append(.skipped(name: name, reason: reason))
    }

    /// Records that a peer is missing. The targets that compare with the peer cannot be checked, so this counts as a
    /// missed target, unless the user allows missing peers.
    mutating func miss(_ peer: String, because reason: String) {
        append(.peerless(name: peer, reason: reason))
    }

    mutating func fail(_ name: String, because reason: String) {
        append(.failed(name: name, reason: reason))
    }

    /// The names of missing peers.
    var missingPeers: [String] {
        let names = sections.flatMap(\.entries).compactMap { entry in
            if case .peerless(let name, _) = entry { name } else { nil as String? }
        }
        return Set(names).sorted()
    }

    /// Whether no measurement failed and every target was met.
    ///
    /// - Parameter allowingMissingPeers: whether missing peers are ignored.
    func isGood(allowingMissingPeers: Bool) -> Bool {
        sections.allSatisfy { section in
            section.entries.allSatisfy { entry in
                switch entry {
                case .figure(let figure): figure.isMet ?? true
                case .skipped: true
                case .peerless: allowingMissingPeers
                case .failed: false
                }
            }
        }
    }

    private mutating func append(_ entry: Entry) {
        guard !sections.isEmpty else { return }
        sections[sections.count - 1].entries.append(entry)
    }
}
