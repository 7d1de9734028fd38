import CSandbox
import LinuxSystem

/// The reason why a confined program did not start.
package struct ConfinementError: Error, CustomStringConvertible {
    /// The step that failed.
    package let step: String
    package let errno: Errno

    package var description: String { "\(step): \(errno)" }

    /// Whether the control group could not be joined.
    package let isOfControlGroup: Bool

    init(_ stage: CInt, _ errno: Errno) {
        self.errno = errno
        isOfControlGroup = stage == CInt(bitPattern: CSANDBOX_STAGE_CONTROL_GROUP.rawValue)
        step =
            switch UInt32(bitPattern: stage) {
            case CSANDBOX_STAGE_FORK.rawValue: "a process cannot be made"
            case CSANDBOX_STAGE_RULES.rawValue: "the rules for its files cannot be made"
            case CSANDBOX_STAGE_DESCRIPTORS.rawValue: "its descriptors cannot be put in place"
            case CSANDBOX_STAGE_LIMITS.rawValue: "its resources cannot be limited"
            case CSANDBOX_STAGE_LANDLOCK.rawValue: "its files cannot be confined"
            case CSANDBOX_STAGE_FILTER.rawValue: "its system calls cannot be filtered"
            case CSANDBOX_STAGE_DIRECTORY.rawValue: "its folder cannot be entered"
            case CSANDBOX_STAGE_NAMESPACES.rawValue: "its namespaces cannot be made"
            case CSANDBOX_STAGE_CAPABILITIES.rawValue: "its capabilities cannot be dropped"
            case CSANDBOX_STAGE_CONTROL_GROUP.rawValue: "its control group cannot be joined"
            case CSANDBOX_STAGE_ROOT.rawValue: "its root directory cannot be made"
            default: "the program cannot be run"
            }
    }
}
