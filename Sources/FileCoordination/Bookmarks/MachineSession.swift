import Foundation

/// The time from one start of the machine to the next.
package enum MachineSession {
    /// What the kernel calls this one; `nil` where it does not tell.
    package static let current: String? = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return name.isEmpty ? nil : name
    }()
}
