import FileTesting
import Glibc
import LinuxSystem

/// The descriptors and threads of a process at one moment, and which process it is.
package struct ProcessFootprint: Sendable {
    /// The time of the process's start, in the kernel's ticks: another process of the same number has another.
    package let start: String
    package let descriptors: Int
    package let threads: Int

    /// Threads that a process may keep for later work, beyond those that it had.
    package static let spareThreads = 32

    /// Looks at a process. Fails where there is none.
    package init(of process: pid_t) throws {
        let folder = "/proc/\(process)"
        let status = String(
            decoding: try FileDescriptor.open(folder + "/stat", .readOnly).readToEnd(limit: 4096), as: UTF8.self)
        // The name, in parentheses, may hold anything. The start is the field after 19 others.
        let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ")
        guard fields.count > 20, fields[1] != "Z" else { throw Errno.noSuchProcess }
        start = String(fields[20])
        descriptors = try FileDescriptor.open(folder + "/fd", [.readOnly, .directory]).entries().count
        threads = try FileDescriptor.open(folder + "/task", [.readOnly, .directory]).entries().count
    }

    /// Whether the process is the one of an earlier look, and has no more than it had.
    package func isRestored(from earlier: ProcessFootprint) -> Bool {
        start == earlier.start && descriptors <= earlier.descriptors
            && threads <= earlier.threads + Self.spareThreads
    }
}

extension ProcessFootprint: CustomStringConvertible {
    package var description: String { "\(descriptors) descriptors, \(threads) threads, started at \(start)" }
}
