/// One measured value, with the value of a peer and a target.
struct Figure: Sendable {
    /// The unit of a value.
    enum Unit: String, Sendable {
        /// Seconds, printed as ns, us, ms or s.
        case seconds
        /// Bytes per second, printed as MB/s or GB/s in powers of ten.
        case bytesPerSecond
        /// Bytes, printed as KiB, MiB or GiB.
        case bytes
        /// A count.
        case count
    }

    /// The target by which the figure is judged.
    enum Target: Sendable {
        case atMost(Double)
        case atLeast(Double)
        /// A limit for the value divided by the peer's value.
        case ratioAtMost(Double)
        case ratioAtLeast(Double)
        /// No target: the figure is for information only.
        case none
    }

    /// The value of another program for the same work, measured in the same run.
    struct Peer: Sendable {
        let name: String
        let value: Double
    }

    let name: String
    let value: Double
    let unit: Unit
    var peer: Peer?
    var target = Target.none

    /// This figure's value divided by the peer's.
    var ratio: Double? {
        guard let peer, peer.value != 0 else { return nil }
        return value / peer.value
    }

    /// Whether the target is met; `nil` without a target.
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
