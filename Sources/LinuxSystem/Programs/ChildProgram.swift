import CLinux
import Glibc

/// A program that this process has started.
///
/// The program has exactly the given descriptors and default signal handling, and inherits no locks or threads.
package struct ChildProgram: Sendable {
    package let processID: pid_t

    package init(processID: pid_t) {
        self.processID = processID
    }

    /// The way in which a program ended.
    package enum Ending: Hashable, Sendable {
        /// The program exited with the given status; 0 means success.
        case exited(CInt)
        /// A signal with the given number ended the program.
        case signalled(CInt)
        /// The program has ended, but its status is unknown, because other code in this process has already waited for
        /// it.
        case unknown
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the path of the file to run. The directories in `PATH` are not searched.
    ///   - arguments: the arguments after the program's name.
    ///   - environment: the environment variables, each as `NAME=value`; `nil` for this process's environment.
    ///   - descriptors: the program's descriptors, which get the numbers 0, 1, 2 and so on. An element `nil` stands for
    ///     `/dev/null`. The program has no other descriptors.
    ///   - workingFolder: the program's working directory; `nil` for that of this process. A relative `path` is
    ///     relative to this directory.
    ///   - newSession: whether the program runs in a new session, so that it continues to run when the session of this
    ///     process ends.
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

    /// Ends the program at once, and waits until it has ended. Must not be called after ``wait()``.
    package func kill() {
        Glibc.kill(processID, SIGKILL)
        _ = try? wait()
    }

    /// Blocks until the program has ended. Returns how it has ended. Must be called only once.
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
            // The array has at least the terminating nil, so it has a base address.
            guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
            return body(base)
        }
    }
}

/// Creates descriptors for programs that this process starts.
extension FileDescriptor {
    /// Creates a pipe to be used as a descriptor of a program. Both ends are close-on-exec.
    package static func pipe() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        try retrying { Glibc.pipe(&ends) }
        let pipe = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
        for end in ends { try retrying { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        return pipe
    }

    /// Duplicates the descriptor with the given number, such as `STDERR_FILENO`.
    package static func copy(of number: CInt) throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: try retrying { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }
}

/// Handles the descriptors for standard input, output and error.
package enum StandardDescriptors {
    /// Opens `/dev/null` in place of the standard descriptors that are missing at the start of the program. Otherwise,
    /// a file that is opened later would get one of their numbers, and receive output that is meant for the user.
    ///
    /// The input is opened for writing only, and each output for reading only. Therefore reading from the input and
    /// writing to an output fail with EBADF, as with a missing descriptor. Must be called before any other file is
    /// opened.
    package static func fillMissing() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // open(2) returns the lowest free number, which is `number`. If /dev/null does not exist, the descriptor
            // stays missing.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

extension ChildProgram.Ending: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .signalled(let signal): "signal \(signal)"
        case .unknown: "an unknown status"
        }
    }
}
