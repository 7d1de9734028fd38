/// The limit on the bytes per second that all transfers of a client together may send, or may receive.
///
/// libcurl's own limit applies to one transfer only, and a server that sends faster may exceed it by 100 buffers.
struct BandwidthLimit {
    /// Bytes per second; `nil` for no limit.
    private let rate: Int?
    /// The number of bytes that may be transferred now. Below 0, transfers wait.
    private var balance = 0.0
    private var lastLook = ContinuousClock.now

    /// The maximum number of bytes that a transfer sends at a time while a limit applies.
    static let piece = 16 << 10

    /// The seconds for which unused bandwidth accumulates.
    private static let memory = 0.25

    init(_ rate: Int?) { self.rate = rate.map { max(1, $0) } }

    var isLimited: Bool { rate != nil }

    /// Whether bytes may be transferred now.
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
