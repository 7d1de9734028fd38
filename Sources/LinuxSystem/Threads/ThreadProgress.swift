import CLinux
import Glibc

/// A record of the processor time that a thread has used so far. Other threads later use the record to determine
/// whether the thread has made progress since.
package struct ThreadProgress: Sendable {
    private let thread: pthread_t
    private let identifier: pid_t
    private let clock: clockid_t
    private let used: Int
    private let time: Int

    /// Records the processor time of the calling thread.
    package init() {
        thread = pthread_self()
        identifier = clinux_gettid()
        var clock = clockid_t()
        pthread_getcpuclockid(thread, &clock)
        self.clock = clock
        used = Self.read(clock) ?? 0
        time = Self.read(CLOCK_MONOTONIC) ?? 0
    }

    package var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// The processor time in nanoseconds that the thread has used since this record, or `nil` if the thread has ended.
    package var processorTime: Int? { Self.read(clock).map { $0 - used } }

    /// The time since this record, in nanoseconds.
    package var age: Int { (Self.read(CLOCK_MONOTONIC) ?? 0) - time }

    /// Whether the thread runs, or waits for a processor or a page of its memory (states R and D of proc(5)). The value
    /// is `true` if the state cannot be read, and `false` if the thread has ended.
    package var isRunnable: Bool {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open("/proc/self/task/\(identifier)/stat", .readOnly)
        } catch {
            return error != .noSuchFile
        }
        let line = [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
            count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
        }
        // The state follows the thread's name, which may contain anything.
        guard let name = line.lastIndex(of: UInt8(ascii: ")")), name + 2 < line.endIndex else { return !line.isEmpty }
        return [UInt8(ascii: "R"), UInt8(ascii: "D")].contains(line[name + 2])
    }

    private static func read(_ clock: clockid_t) -> Int? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
