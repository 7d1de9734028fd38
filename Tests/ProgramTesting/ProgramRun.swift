import Foundation
import LinuxSystem

/// One run of a program, from its start to its end.
package struct ProgramRun: Sendable {
    package let ending: ChildProgram.Ending
    /// What it wrote on standard output.
    package let output: Data
    /// What it wrote on standard error.
    package let errors: String

    /// The output, as text.
    package var text: String { String(decoding: output, as: UTF8.self) }

    /// Its exit status, as a shell gives it.
    package var status: CInt {
        switch ending {
        case .exited(let status): status
        case .signalled(let signal): 128 + signal
        case .unknown: -1
        }
    }
}

extension ProgramRun: CustomStringConvertible {
    package var description: String { "\(ending), output: \(text.suffix(4000)), errors: \(errors.suffix(4000))" }
}
