import Foundation

/// The time from one start of the machine to the next.
package enum MachineSession {
    /// The kernel's identifier of the current session; `nil` if it is unavailable.
    package static let current: String? = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return name.isEmpty ? nil : name
    }()
}
