import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct ChildProgramTests {
    @Test func aProgramHasTheDescriptorsItWasGivenAndNoOthers() throws {
        // Descriptors in every order, so that the target number of one is the current number of another.
        var files: [FileDescriptor] = []
        for _ in 0..<64 { files.append(try MemoryFile.create(name: "child")) }
        for rotation in 0..<8 {
            let output = try MemoryFile.create(name: "output")
            let given = (0..<6).map { files[(rotation * 7 + $0 * 5) % files.count] }
            for (number, file) in given.enumerated() {
                try Array("file \(number)".utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
            }
            let script = "for n in 2 3 4 5 6 7; do cat /proc/self/fd/$n; echo; done; ls /proc/self/fd | wc -l"
            let child = try ChildProgram.start(
                "/bin/sh", arguments: ["-c", script], descriptors: [nil, output] + given)
            #expect(try child.wait() == .exited(0))
            var text = [UInt8](repeating: 0, count: 4096)
            let count = try text.withUnsafeMutableBytes { try output.read(into: $0, at: 0) }
            let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
            // The last line counts standard input and output, the six, and the directory that is being listed.
            #expect(lines == ["file 0", "file 1", "file 2", "file 3", "file 4", "file 5", "9"])
        }
    }

    @Test func aProgramHasNothingOfWhatItsStarterIgnoresAndBlocks() throws {
        let before = signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, before) }
        var (blocked, old) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTERM)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &old)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        let output = try MemoryFile.create(name: "output")
        // Without a shell, which changes ignored and blocked signals itself.
        let child = try ChildProgram.start(
            "/bin/cat", arguments: ["/proc/self/status"], descriptors: [nil, output], workingFolder: "/")
        #expect(try child.wait() == .exited(0))
        let status = try text(of: output)
        func mask(_ name: String) -> UInt64? {
            status.split(separator: "\n").first { $0.hasPrefix(name) }
                .flatMap { UInt64($0.dropFirst(name.count).trimmingCharacters(in: .whitespaces), radix: 16) }
        }
        #expect(mask("SigBlk:") == 0)
        // The C library reserves the signals 32 and 33, which programs cannot change.
        #expect(mask("SigIgn:").map { $0 & ~(3 << 31) } == 0)
    }

    @Test func aProgramStartsWhereItIsToldTo() throws {
        let output = try MemoryFile.create(name: "output")
        let child = try ChildProgram.start(
            "/bin/readlink", arguments: ["/proc/self/cwd"], descriptors: [nil, output], workingFolder: "/usr/bin")
        #expect(try child.wait() == .exited(0))
        #expect(try text(of: output) == "/usr/bin\n")
        #expect(throws: Errno.noSuchFile) {
            try ChildProgram.start("/bin/true", arguments: [], descriptors: [], workingFolder: "/nonexistent")
        }
    }

    private func text(of file: FileDescriptor) throws -> String {
        var text = [UInt8](repeating: 0, count: 16384)
        let count = try text.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return String(decoding: text[..<count], as: UTF8.self)
    }

    @Test func theEndOfAProgramIsTold() throws {
        #expect(try ChildProgram.start("/bin/sh", arguments: ["-c", "exit 7"], descriptors: []).wait() == .exited(7))
        let killed = try ChildProgram.start("/bin/sh", arguments: ["-c", "kill -9 $$"], descriptors: [nil, nil, nil])
        #expect(try killed.wait() == .signalled(SIGKILL))
        #expect(throws: Errno.noSuchFile) { try ChildProgram.start("/nonexistent", arguments: [], descriptors: []) }
    }
}
