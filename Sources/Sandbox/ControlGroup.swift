import CLinux
import Glibc
import LinuxSystem

/// A control group that systemd delegated to this process. Each confined program gets a separate group in it.
///
/// A control group counts memory that resource limits do not count: page tables, socket buffers, and all memory files.
/// systemd delegates the control group of a unit that sets `Delegate=`, and records this in an extended attribute of
/// the group's directory (systemd.resource-control(5)). A group that has member processes cannot enable controllers for
/// groups beneath it (cgroups(7), "no internal processes"). Therefore this process moves to a separate group beneath
/// the delegated group.
package final class ControlGroup: Sendable {
    private let directory: FileDescriptor
    /// The controllers that are enabled for the groups beneath this group: `memory`, `pids` or both.
    package let controllers: [String]

    private static let wanted = ["memory", "pids"]
    private static let ownGroup = "daemon"

    /// The group that systemd delegated to this process; `nil` if there is none. The first use blocks on the system.
    package static let delegated: ControlGroup? = {
        guard let path = ownPath(), let directory = try? FileDescriptor.open(path, [.readOnly, .directory]),
            isDelegated(directory)
        else { return nil }
        return try? ControlGroup(directory)
    }()

    /// Creates the manager of a group that was delegated to this process. Moves this process to a group beneath the
    /// given group, and enables the controllers. Blocks on the system.
    ///
    /// - Throws: `Errno`. It is `notSupported` if the group has neither a memory nor a process controller.
    package init(_ directory: FileDescriptor) throws(Errno) {
        self.directory = directory
        let known = try text("cgroup.controllers", in: directory).split(whereSeparator: \.isWhitespace).map(String.init)
        let controllers = Self.wanted.filter { known.contains($0) }
        guard !controllers.isEmpty else { throw .notSupported }
        self.controllers = controllers
        if mkdirat(directory.rawValue, Self.ownGroup, 0o755) < 0, Errno.current != .fileExists { throw .current }
        let own = try directory.open(Self.ownGroup, [.readOnly, .directory])
        // Programs that this process has started are members, too. A program that ends meanwhile cannot be moved, which
        // is no error.
        for process in try text("cgroup.procs", in: directory).split(separator: "\n") {
            try? write(String(process), to: "cgroup.procs", in: own)
        }
        for name in controllers { try write("+" + name, to: "cgroup.subtree_control", in: directory) }
        sweep()
    }

    /// The control group of one program. The group is removed when the last reference to this object is released, after
    /// the program has ended.
    package final class Member: Sendable {
        private let parent: FileDescriptor
        private let name: String
        private let directory: FileDescriptor
        /// The file to which a process writes in order to join the group.
        package let entrance: FileDescriptor

        fileprivate init(_ name: String, in parent: FileDescriptor) throws(Errno) {
            self.parent = parent
            self.name = name
            try retrying { mkdirat(parent.rawValue, name, 0o755) }
            do throws(Errno) {
                directory = try parent.open(name, [.readOnly, .directory])
                entrance = try directory.open("cgroup.procs", .writeOnly)
            } catch {
                unlinkat(parent.rawValue, name, AT_REMOVEDIR)
                throw error
            }
        }

        deinit {
            // An ended program remains a member until it is reaped. A later sweep removes a group that cannot be
            // removed now.
            unlinkat(parent.rawValue, name, AT_REMOVEDIR)
        }

        fileprivate func limit(memory: UInt64, threads: Int, by controllers: [String]) throws(Errno) {
            if controllers.contains("memory") {
                try write(String(memory), to: "memory.max", in: directory)
                // Swapped memory is not counted as memory. Kernels without swap lack the file.
                try? write("0", to: "memory.swap.max", in: directory)
            }
            if controllers.contains("pids") { try write(String(threads), to: "pids.max", in: directory) }
        }

        /// Whether the kernel killed a process of the group because the group had reached its memory limit.
        package var hasRunOutOfMemory: Bool {
            guard let events = try? text("memory.events", in: directory) else { return false }
            return events.split(separator: "\n").contains { line in
                let words = line.split(separator: " ")
                return words.count == 2 && words[0] == "oom_kill" && words[1] != "0"
            }
        }
    }

    /// Creates the control group for a program. Blocks on the system.
    ///
    /// - Parameters:
    ///   - memory: the maximum amount of memory of all kinds, in bytes, that the program can use.
    ///   - threads: the maximum number of threads that the program can have.
    package func makeMember(memory: UInt64, threads: Int) throws(Errno) -> Member {
        let name = Self.prefix + String(UInt64.random(in: .min ... .max), radix: 16)
        let member = try Member(name, in: directory)
        try member.limit(memory: memory, threads: threads, by: controllers)
        return member
    }

    private static let prefix = "extension-"

    /// Removes the groups that a killed process has left. Groups that have member processes stay.
    private func sweep() {
        guard let entries = try? directory.entries() else { return }
        for entry in entries where entry.name.description.hasPrefix(Self.prefix) {
            unlinkat(directory.rawValue, entry.name.description, AT_REMOVEDIR)
        }
    }

    /// Returns the path of the directory of this process's group in the unified hierarchy; `nil` if it cannot be
    /// determined.
    private static func ownPath() -> String? {
        guard let groups = try? text(of: FileDescriptor.open("/proc/self/cgroup", .readOnly)),
            let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
        else { return nil }
        return "/sys/fs/cgroup" + line.dropFirst(3)
    }

    private static func isDelegated(_ directory: FileDescriptor) -> Bool {
        for name in ["trusted.delegate", "user.delegate"] {
            var value: CChar = 0
            if clinux_fgetxattr(directory.rawValue, name, &value, 1) == 1, value == CChar(UInt8(ascii: "1")) {
                return true
            }
        }
        return false
    }
}

private func text(_ name: String, in directory: FileDescriptor) throws(Errno) -> String {
    try text(of: directory.open(name, .readOnly))
}

private func text(of file: FileDescriptor) throws(Errno) -> String {
    String(decoding: try file.readToEnd(limit: 1 << 20), as: UTF8.self)
}

private func write(_ text: String, to name: String, in directory: FileDescriptor) throws(Errno) {
    let file = try directory.open(name, .writeOnly)
    let bytes = Array(text.utf8)
    // The text is written in one call, because each write is a command.
    try retrying { Glibc.write(file.rawValue, bytes, bytes.count) }
}
