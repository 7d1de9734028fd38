import CLinux
import Glibc

/// A program that this process has started.
///
/// It has exactly the descriptors it was given, its signals are as the system has them, and nobody's locks or threads.
package struct ChildProgram: Sendable {
    package let processID: pid_t

    package init(processID: pid_t) {
        self.processID = processID
    }

    /// How a program ended.
    package enum Ending: Hashable, Sendable {
        /// It ended by itself; 0 means success.
        case exited(CInt)
        /// A signal ended it.
        case signalled(CInt)
        /// It has ended, but somebody else in this process waited for it and has the answer.
        case unknown
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the file to run; `PATH` is not searched.
    ///   - arguments: what follows the program's name.
    ///   - environment: `NAME=value` each; `nil` is this process's own.
    ///   - descriptors: what its descriptors 0, 1, 2 … are; `nil` is `/dev/null`. It has no others.
    ///   - workingFolder: where it starts; `nil` is where this process is. A relative `path` is found from there.
    ///   - newSession: whether it leads a session of its own, so that the end of ours does not end it.
    package static func start(
        _ path: String, arguments: [String], environment: [String]? = nil, descriptors: [FileDescriptor?],
        workingFolder: String? = nil, newSession: Bool = false
    ) throws(Errno) -> ChildProgram {
        let numbers = descriptors.map { $0?.rawValue ?? -1 }
        var processID: pid_t = 0
        let error = withStrings([path] + arguments) { arguments in
            withStrings(environment ?? []) { variables in
                clinux_spawn(
                    &processID, path, arguments, environment == nil ? environ : variables, numbers,
                    CInt(numbers.count), workingFolder, newSession ? 1 : 0)
            }
        }
        withExtendedLifetime(descriptors) {}
        guard error == 0 else { throw Errno(rawValue: error) }
        return ChildProgram(processID: processID)
    }

    /// Waits for the end. Blocks; call it once.
    package func wait() throws(Errno) -> Ending {
        var status: CInt = 0
        do {
            try retrying { waitpid(processID, &status, 0) }
        } catch {
            guard error.rawValue == ECHILD else { throw error }
            return .unknown
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    package static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        return pointers.withUnsafeMutableBufferPointer { buffer in
            // The array has at least the closing nil, so it has a base address.
            guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
            return body(base)
        }
    }
}
