import LinuxSystem

/// The run of the machine that this is.
enum SystemBoot {
    /// Another one after each start; empty where the system does not say.
    static let identifier: String = {
        let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", .readOnly)
        return (try? file?.readToEnd(limit: 64)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }()
}
