import FileProviderEngine
import Glibc

/// The capabilities of a daemon's keeper on this machine.
package enum Keepers {
    /// Whether a daemon can take over the mount of a daemon that died. This requires Linux 6.16.
    package static var haveMounts: Bool {
        var name = utsname()
        guard uname(&name) == 0 else { return false }
        let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 16)
    }
}

extension Fault {
    /// Whether the fault needs a daemon's keeper. During the first recovery, nothing is mounted yet.
    var isOfKeepers: Bool {
        if case .engine(let step) = place { kind == .kill && !step.isOfRecovery } else { false }
    }
}

extension EngineStep {
    var isOfRecovery: Bool { rawValue.hasPrefix("engine.recovery.") }
}
