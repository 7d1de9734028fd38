import CLinux
import Glibc
import LinuxSystem

/// Starts the daemon `purveyd` for this user.
package enum DaemonLauncher {
    /// Returns the path of the daemon's program, which ``ProgramSearch`` finds. The environment variable for the path
    /// is `PURVEY_DAEMON`.
    package static func findProgram() throws(ExchangeError) -> String {
        do throws(ProgramSearchError) {
            return try ProgramSearch.find("purveyd", variable: "PURVEY_DAEMON")
        } catch {
            throw .daemonUnavailable(error.description)
        }
    }

    /// Starts the daemon, and waits until it accepts connections. Blocks, usually for some tens of milliseconds.
    ///
    /// If another process starts a daemon at the same time, only one daemon remains, and both processes connect to it.
    package static func start(_ locations: Locations) throws(ExchangeError) {
        let program = try findProgram()
        let answer: String
        let ending: ChildProgram.Ending
        do {
            let (child, messages) = try startListening(program, locations: locations)
            answer = try StartMessages.collect(from: messages, seconds: 150)
            ending = try child.wait()
        } catch {
            throw .daemonUnavailable("\(program) cannot be started: \(error)")
        }
        switch ending {
        case .exited(0), .unknown: return
        case .exited, .signalled:
            throw .daemonUnavailable(answer.isEmpty ? "\(program) ended with \(ending) while it started" : answer)
        }
    }

    /// Starts the daemon's program, and returns the reading end of its standard error. After that, only the program has
    /// the writing end open. Therefore the end of the messages is reached when the program ends or closes its standard
    /// error.
    private static func startListening(
        _ program: String, locations: Locations
    ) throws(Errno) -> (ChildProgram, FileDescriptor) {
        let (ours, theirs) = try StartMessages.channel()
        let child = try ChildProgram.start(
            program, arguments: ["--socket", locations.socket], environment: locations.environmentOfDaemon(),
            descriptors: [nil, nil, theirs], workingFolder: "/")
        return (child, ours)
    }
}

/// The messages that a program, while it starts, sends to the program that started it.
package enum StartMessages {
    /// Creates a channel for messages. Returns the reading end and the writing end. The channel is a socket pair,
    /// because both ends are close-on-exec from the start, unlike those of a pipe.
    package static func channel() throws(Errno) -> (FileDescriptor, FileDescriptor) {
        var ends: (CInt, CInt) = (-1, -1)
        try retrying {
            withUnsafeMutableBytes(of: &ends) {
                clinux_seqpacket_pair($0.assumingMemoryBound(to: CInt.self).baseAddress)
            }
        }
        return (FileDescriptor(owning: ends.0), FileDescriptor(owning: ends.1))
    }

    /// Blocks until the other end of the socket pair is closed in all processes. Returns the text that was written to
    /// that end. Throws `ETIMEDOUT` after the given number of seconds.
    package static func collect(from descriptor: FileDescriptor, seconds: Int) throws(Errno) -> String {
        var text: [UInt8] = []
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let left = (deadline.tv_sec - now.tv_sec) * 1000 + (deadline.tv_nsec - now.tv_nsec) / 1_000_000
            guard left > 0 else { throw Errno(rawValue: ETIMEDOUT) }
            var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLIN), revents: 0)
            guard try retrying({ poll(&request, 1, CInt(left)) }) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor.rawValue, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0 {
                let error = Errno.current
                if error == .interrupted || error == .wouldBlock { continue }
                if error == .connectionReset { break }
                throw error
            }
            if text.count < 16 << 10 { text += buffer[..<count] }
        }
        while text.last == UInt8(ascii: "\n") { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The error that a program of Purvey was not found. It names the searched places and a remedy.
package struct ProgramSearchError: Error, CustomStringConvertible {
    package let description: String
}

/// Finds a program of Purvey that another program of Purvey starts.
package enum ProgramSearch {
    /// Returns the path of the program with the given name. The path is the value of the environment variable
    /// `variable`. If the variable is not set, the program is searched for in the directory of the running program, and
    /// then in the directories of `PATH`.
    package static func find(_ name: String, variable: String) throws(ProgramSearchError) -> String {
        if let named = getenv(variable).map({ String(cString: $0) }), !named.isEmpty {
            guard named.hasPrefix("/"), isProgram(named) else {
                throw ProgramSearchError(
                    description: "\(variable) is '\(named)', which is not the absolute path of a program")
            }
            return named
        }
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path).flatMap { path in
            path.lastSlash.map { String(path[..<$0]) }
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
        let candidates = ([own].compactMap(\.self) + folders).map { $0 + "/" + name }
        if let found = candidates.first(where: isProgram) { return found }
        let beside = own.map { " (\($0))" } ?? ""
        let searched = folders.isEmpty ? ", which has no folder" : " (\(folders.joined(separator: ", ")))"
        throw ProgramSearchError(
            description: "the program \(name) is neither beside this program\(beside) nor in PATH\(searched), and "
                + "\(variable), which can name it, is not set")
    }

    private static func isProgram(_ path: String) -> Bool {
        access(path, X_OK) == 0 && (try? FileStatus.of(path))?.kind == .regular
    }
}
