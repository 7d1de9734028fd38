/// What the sections measured, in order.
struct Report: Sendable {
    /// A line of the report.
    enum Entry: Sendable {
        case figure(Figure)
        /// What could not be measured on this machine, and why.
        case skipped(name: String, reason: String)
        /// What there is nobody to hold against on this machine, and why.
        case peerless(name: String, reason: String)
        /// What went wrong while measuring.
        case failed(name: String, reason: String)
    }

    private(set) var sections: [(name: String, entries: [Entry])] = []

    /// Starts the next section; what is added from now on belongs to it.
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

    /// Says that something could not be measured here. It does not count as a missed target.
    mutating func skip(_ name: String, because reason: String) {
        append(.skipped(name: name, reason: reason))
    }

    /// Says that a peer is not there. Without it nobody knows whether the targets are met, so it counts as a missed one, unless whoever
    /// runs the benchmark says otherwise.
    mutating func miss(_ peer: String, because reason: String) {
        append(.peerless(name: peer, reason: reason))
    }

    mutating func fail(_ name: String, because reason: String) {
        append(.failed(name: name, reason: reason))
    }

    /// The peers that are not there.
    var missingPeers: [String] {
        let names = sections.flatMap(\.entries).compactMap { entry in
            if case .peerless(let name, _) = entry { name } else { nil as String? }
        }
        return Set(names).sorted()
    }

    /// Whether nothing failed and every target was met.
    ///
    /// - Parameter allowingMissingPeers: whether peers that are not there do not count.
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
