import Foundation
import LinuxSystem

/// One run of a program, from its start to its end.
package struct ProgramRun: Sendable {
    package let ending: ChildProgram.Ending
    /// The bytes that the program wrote to standard output.
    package let output: Data
    /// The text that the program wrote to standard error.
    package let errors: String

    /// The output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }

    /// The program's exit status, as a shell reports it.
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
