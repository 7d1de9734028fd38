// swift-format-ignore-file

import os

/// A program that imports the module `os` alone.
final class Telemetry {
    static let signposter = OSSignposter(subsystem: "com.example", category: .pointsOfInterest)
    private let log = OSLog(subsystem: "com.example", category: "telemetry")
    private let logger = Logger(subsystem: "com.example", category: "telemetry")
    private let count = OSAllocatedUnfairLock(initialState: 0)
    private let gate = OSAllocatedUnfairLock()
    private var lock = os_unfair_lock()
    private var total = 0

    func record(_ bytes: Int) -> Int {
        let state = Self.signposter.beginInterval("record", id: Self.signposter.makeSignpostID(), "\(bytes) bytes")
        defer { Self.signposter.endInterval("record", state) }
        os_log(.info, log: log, "%{public}d bytes", bytes)
        os_log(.debug, "no stream")
        os_log(.debug, log: log, "interpolated \(bytes, privacy: .public)")
        os_log("plain", log: log)
        os_log("old order: %{public}@", log: log, type: .debug, NSNumber(value: bytes))
        logger.debug("\(bytes, format: .hex(includePrefix: true), align: .right(columns: 12), privacy: .public)")
        logger.debug("\(Double(bytes) / 3, format: .fixed(precision: 2)) \("name", align: .left(columns: 8))")
        os_unfair_lock_lock(&lock)
        total += bytes
        os_unfair_lock_unlock(&lock)
        gate.lock()
        gate.unlock()
        return count.withLock { $0 += 1; return $0 }
    }
}
