import Glibc

/// Measurement of time: medians of several rounds on the monotonic clock.
enum Measure {
    /// Returns the median, which is the mean of the two middle values for an even number of values; 0 for none.
    static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the time of one run in seconds.
    static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let start = now()
        try work()
        return Double(now() - start) / 1e9
    }

    /// Returns the median time in seconds, after one round that is not counted.
    static func median(rounds: Int = 5, _ work: () throws -> Void) rethrows -> Double {
        try work()
        var times: [Double] = []
        for _ in 0..<rounds { times.append(try seconds(work)) }
        return median(times)
    }

    /// Returns the median times of two functions in seconds. Their rounds alternate, so that other load affects both
    /// alike.
    static func medians(
        rounds: Int = 5, _ ours: () throws -> Void, _ theirs: () throws -> Void
    ) rethrows -> (ours: Double, theirs: Double) {
        try medians(rounds: rounds, cleanUp: {}, ours, theirs)
    }

    /// Returns the median times of two functions in seconds, after one round that is not counted. Their rounds
    /// alternate, so that other load affects both alike.
    ///
    /// - Parameter cleanUp: runs after each function, and is not timed.
    static func medians(
        rounds: Int = 5, cleanUp: () -> Void, _ ours: () throws -> Void, _ theirs: () throws -> Void
    ) rethrows -> (ours: Double, theirs: Double) {
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        for round in 0...rounds {
            let our = try seconds(ours)
            cleanUp()
            let their = try seconds(theirs)
            cleanUp()
            if round == 0 { continue }
            times.ours.append(our)
            times.theirs.append(their)
        }
        return (median(times.ours), median(times.theirs))
    }

    /// Returns the monotonic clock in nanoseconds.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Uses a result, so that the compiler cannot optimize its computation away.
    @inline(never)
    @_optimize(none)
    static func keep<Value>(_ value: Value) {}

    /// Touches memory and frees it, so that the next measurement gets pages that the host has already backed.
    static func warmMemory(byteCount: Int) {
        let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { return }
        for offset in stride(from: 0, to: byteCount, by: 4096) {
            address.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        munmap(address, byteCount)
    }
}
