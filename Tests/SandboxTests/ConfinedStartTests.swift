import FileTesting
import Glibc
import LinuxSystem
import Sandbox
import TestThreads
import Testing

@Suite(.ownThreads) struct ConfinedStartTests {
    private static func start(
        _ path: String, _ arguments: [String] = [], in folder: String = "/", _ descriptors: [FileDescriptor?] = []
    ) throws(ConfinementError) -> ChildProgram {
        var confinement = Confinement(workingFolder: folder)
        confinement.paths = [("/", [.read, .execute])]
        return try ChildProgram.start(
            path, arguments: arguments, environment: [], descriptors: descriptors, confinedTo: confinement)
    }

    private static func failure(_ path: String, in folder: String = "/") -> String? {
        do {
            _ = try start(path, in: folder).wait()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func aProgramStartsWithoutPrivilegesAndWithSignalsAsTheSystemHasThem() throws {
        let output = try MemoryFile.create(name: "output")
        let child = try Self.start("/bin/cat", ["/proc/self/status"], [nil, output])
        #expect(try child.wait() == .exited(0))
        let status = String(decoding: try output.everything(), as: UTF8.self)
        #expect(status.contains("NoNewPrivs:\t1\n"))
        #expect(status.contains("Seccomp:\t2\n"))
        #expect(status.contains("SigBlk:\t0000000000000000\n"))
    }

    @Test func aStartThatFailsTellsAtWhichStep() {
        #expect(Self.failure("/nonexistent") == "the program cannot be run: \(Errno.noSuchFile)")
        #expect(Self.failure("/etc/passwd") == "the program cannot be run: \(Errno.permissionDenied)")
        #expect(Self.failure("/bin/true", in: "/nonexistent") == "its folder cannot be entered: \(Errno.noSuchFile)")
        #expect(Self.failure("/bin/true") == nil)
    }

    /// The processes are started one at a time, each with this process's memory.
    @Test func startsFromManyThreadsHaveTheirOwnAnswers() async {
        let wrong = await withTaskGroup(of: [String].self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<25).compactMap { number in
                        if (thread + number) % 2 == 0 {
                            let said = Self.failure("/nonexistent \(thread) \(number)")
                            return said?.hasPrefix("the program cannot be run") == true ? nil : said ?? "it ran"
                        }
                        let code = CInt(thread * 25 + number)
                        let ending = Result { try Self.start("/bin/sh", ["-c", "exit \(code)"]).wait() }
                        if case .success(.exited(code)) = ending { return nil }
                        return "\(code): \(ending)"
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(wrong.isEmpty)
    }
}
