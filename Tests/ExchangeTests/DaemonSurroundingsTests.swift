import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

/// The daemon outlives the process that started it, so it inherits none of that process's environment.
@Suite struct DaemonSurroundingsTests {
    /// The state of a process according to proc(5).
    private struct Surroundings {
        let process: pid_t

        func text(_ name: String) throws -> String {
            let file = try FileDescriptor.open("/proc/\(process)/\(name)", .readOnly)
            return String(decoding: try file.readToEnd(limit: 1 << 20), as: UTF8.self)
        }

        var workingFolder: String? { (try? FileDescriptor.open("/proc/\(process)/cwd", .pathOnly))?.path }

        /// Returns a field of the process's status.
        func status(_ name: String) throws -> String? {
            try text("status").split(separator: "\n").first { $0.hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }

        /// Returns the signals in one of the process's masks, without the two that the C library reserves.
        func signals(_ name: String) throws -> Set<CInt> {
            let mask = try status(name).flatMap { UInt64($0, radix: 16) } ?? .max
            return Set(
                (1...64).filter { (signal: CInt) in
                    let bit: UInt64 = 1 << UInt64(signal - 1)
                    return mask & bit != 0 && signal != 32 && signal != 33
                })
        }

        /// Returns a soft and a hard limit, as the kernel prints them.
        func limit(_ name: String) throws -> [Substring] {
            let line = try text("limits").split(separator: "\n").first { $0.hasPrefix(name) }
            return line.map { Array($0.dropFirst(name.count).split(separator: " ").prefix(2)) } ?? []
        }

        var session: pid_t { getsid(process) }
    }

    @Test func aDaemonKeepsNothingOfItsFirstClient() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let client = try daemon.peer(
                after: """
                    cd '\(daemon.work)'; trap '' TERM HUP INT USR1; umask 0; \
                    ulimit -S -f 8; ulimit -S -n 64; ulimit -S -s 1024; ulimit -S -t 1000
                    """)
            _ = try await client.ask("offer board data public.png 10", "offered")
            let its = Surroundings(process: client.processID)
            // Checks that the client has unusual settings that the daemon could inherit.
            #expect(try its.signals("SigIgn").isSuperset(of: [SIGTERM, SIGHUP, SIGINT, SIGUSR1]))
            #expect(try its.limit("Max open files").first == "64")

            let process = try await daemon.client.call(StatusCall()).processID
            let surroundings = Surroundings(process: process)
            #expect(surroundings.workingFolder == "/")
            // The daemon ignores the signals that report a failed write, and reads the terminating ones from a
            // descriptor.
            #expect(try surroundings.signals("SigIgn") == [SIGPIPE, SIGXFSZ])
            #expect(try surroundings.signals("SigBlk") == [SIGTERM, SIGINT, SIGHUP])
            #expect(try surroundings.status("Umask") == "0077")
            #expect(surroundings.session == process)
            for name in ["Max file size", "Max open files", "Max cpu time"] {
                let limit = try surroundings.limit(name)
                #expect(limit.count == 2 && limit.first == limit.last, "\(name): \(limit)")
            }
            #expect(try surroundings.limit("Max stack size").first != "1048576")

            kill(process, SIGTERM)
            await eventually { daemon.daemonProcesses.isEmpty }
        }
    }

    @Test func aFileSystemThatTheFirstClientWorkedInIsNotHeldByTheDaemon() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let client = try daemon.peer(after: "cd '\(daemon.work)'")
            _ = try await client.ask("offer board data public.png 10", "offered")
            let process = try await daemon.client.call(StatusCall()).processID
            // The references that fuser(1) checks, except the program itself, must not lie beneath that directory.
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
            let paths = open.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
            }
            let surroundings = Surroundings(process: process)
            #expect(!paths.contains { $0.hasPrefix(daemon.work) })
            #expect(try !surroundings.text("maps").contains(daemon.work))
            #expect(surroundings.workingFolder?.hasPrefix(daemon.work) == false)
        }
    }

    @Test func aDaemonLivesWithLimitsThatItMayNotRaiseAndSaysSo() async throws {
        try await PrivateDaemon.run(starting: false) { daemon in
            let client = try daemon.peer(after: "ulimit -f 128; ulimit -n 64")
            let identifier = try await client.ask("offer board data public.png 5000", "offered")
            #expect(try await daemon.board().remoteItems().map(\.manifest.identifier.uuidString) == [identifier])
            let item = try #require(try await daemon.board().items().first)
            #expect(try await item.loadDataRepresentation(for: .png).count == 5000)
            let log = try String(contentsOfFile: daemon.locations.log, encoding: .utf8)
            #expect(log.contains("it may write only 65536 bytes to one file"), "\(log)")
            #expect(log.contains("it may have only 64 files and connections open"), "\(log)")
            let process = try await daemon.client.call(StatusCall()).processID
            #expect(try Surroundings(process: process).limit("Max open files") == ["64", "64"])
        }
    }
}
