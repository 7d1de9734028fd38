import CLinux
import Glibc

/// The system's real-time clock.
package enum WallClock {
    /// The time in seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
