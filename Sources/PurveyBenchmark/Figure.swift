/// One measured value, the peer it is held against, and what it is asked to be.
struct Figure: Sendable {
    /// What a value counts.
    enum Unit: String, Sendable {
        /// Printed in the scale that fits: ns, us, ms or s.
        case seconds
        /// Printed in MB/s or GB/s, powers of ten.
        case bytesPerSecond
        /// Printed in KiB, MiB or GiB.
        case bytes
        /// A number of things.
        case count
    }

    /// The measure that decides whether the figure is good enough.
    enum Target: Sendable {
        case atMost(Double)
        case atLeast(Double)
        /// The value divided by the peer's.
        case ratioAtMost(Double)
        case ratioAtLeast(Double)
        /// Shown for information only.
        case none
    }

    /// Somebody else's value for the same work, measured in the same run.
    struct Peer: Sendable {
        let name: String
        let value: Double
    }

    let name: String
    let value: Double
    let unit: Unit
    var peer: Peer?
    var target = Target.none

    /// This figure's value over the peer's.
    var ratio: Double? {
        guard let peer, peer.value != 0 else { return nil }
        return value / peer.value
    }

    /// Whether the target is met; `nil` where there is none.
    var isMet: Bool? {
        switch target {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        case .ratioAtMost(let limit): ratio.map { $0 <= limit } ?? false
        case .ratioAtLeast(let limit): ratio.map { $0 >= limit } ?? false
        case .none: nil
        }
    }
}
