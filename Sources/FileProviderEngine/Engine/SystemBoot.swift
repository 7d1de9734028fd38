import LinuxSystem

/// The present boot of the machine.
enum SystemBoot {
    /// An identifier that changes with each boot; empty if the system does not provide one.
    static let identifier: String = {
        let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", .readOnly)
        return (try? file?.readToEnd(limit: 64)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }()
}
