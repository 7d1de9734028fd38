/// The limit of the bytes per second that all transfers of a client move in one direction.
///
/// libcurl's own limit is per transfer, and may be exceeded by 100 buffers if the server sends faster.
struct BandwidthLimit {
    /// Bytes per second; `nil` for no limit.
    private let rate: Int?
    /// The number of bytes that may be moved now. Below 0, transfers wait.
    private var balance = 0.0
    private var lastLook = ContinuousClock.now

    /// The bytes that a transfer moves at a time.
    static let piece = 16 << 10

    /// The time in seconds for which unused bandwidth can be used later.
    private static let memory = 0.25

    init(_ rate: Int?) { self.rate = rate.map { max(1, $0) } }

    var isLimited: Bool { rate != nil }

    /// Whether bytes may be moved now.
    mutating func permits(at now: ContinuousClock.Instant) -> Bool {
        guard let rate else { return true }
        balance = min(balance + (now - lastLook) / .seconds(1) * Double(rate), Double(rate) * Self.memory)
        lastLook = now
        return balance >= 0
    }

    /// Counts bytes that were transferred.
    mutating func count(_ bytes: Int) {
        if isLimited { balance -= Double(bytes) }
    }

    /// The time until further bytes may be transferred.
    var wait: Duration {
        guard let rate, balance < 0 else { return .zero }
        return .seconds(-balance / Double(rate))
    }
}

/// The limits of a client's transfers. Only the client's thread uses them.
final class BandwidthLimits {
    var download: BandwidthLimit
    var upload: BandwidthLimit

    init(download: Int?, upload: Int?) {
        self.download = BandwidthLimit(download)
        self.upload = BandwidthLimit(upload)
    }
}
