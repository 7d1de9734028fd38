import Glibc

/// Capabilities of the kernel on which the tests run.
package enum Kernel {
    /// Whether a process can take over the mounts of one that has died. Linux 6.16 is the first version that drops
    /// cached names at once.
    package static var handsOver: Bool {
        var name = utsname()
        uname(&name)
        let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let parts = release.split(separator: ".").prefix(2).compactMap { Int($0.prefix { $0.isNumber }) }
        return parts.count == 2 && (parts[0], parts[1]) >= (6, 16)
    }
}
