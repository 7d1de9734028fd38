import FileTesting
import Glibc
import LinuxSystem

/// The number of a process's descriptors and threads at one moment, and the identity of the process.
package struct ProcessFootprint: Sendable {
    /// The start time of the process, in the kernel's ticks. It distinguishes the process from a later one with the
    /// same PID.
    package let start: String
    package let descriptors: Int
    package let threads: Int

    /// The number of additional threads that a process may retain for later work.
    package static let spareThreads = 32

    /// Reads the footprint of a process. Throws an error if the process does not exist.
    package init(of process: pid_t) throws {
        let folder = "/proc/\(process)"
        let status = String(
            decoding: try FileDescriptor.open(folder + "/stat", .readOnly).readToEnd(limit: 4096), as: UTF8.self)
        // The name, in parentheses, may hold anything. The start is the field after 19 others.
        let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ")
        guard fields.count > 20, fields[1] != "Z" else { throw Errno.noSuchProcess }
        start = String(fields[20])
        // Files of /proc are left out. The daemon keeps some open for programs to which the kernel denies namespaces,
        // which happens at any time on a busy machine. Attackers send none.
        let table = try FileDescriptor.open(folder + "/fd", [.readOnly, .directory])
        descriptors = try table.entries().count { entry in
            (try? table.target(ofLink: entry.name))?.starts(with: "/proc/".utf8) != true
        }
        threads = try FileDescriptor.open(folder + "/task", [.readOnly, .directory]).entries().count
    }

    /// Whether this is the same process as in an earlier footprint, without more descriptors, and with at most
    /// ``spareThreads`` more threads.
    package func isRestored(from earlier: ProcessFootprint) -> Bool {
        start == earlier.start && descriptors <= earlier.descriptors
            && threads <= earlier.threads + Self.spareThreads
    }
}

extension ProcessFootprint: CustomStringConvertible {
    package var description: String { "\(descriptors) descriptors, \(threads) threads, started at \(start)" }
}
