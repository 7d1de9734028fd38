import CLinux
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of how editors save, each as a sequence of system calls.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct EditorTests {
    enum Way: CaseIterable {
        /// A new file beside the old one is renamed over it: GTK's editors, `sed -i`.
        case renamingOver
        /// The old file is renamed, a new one is written, and the old one is removed: vim.
        case movingAside
        /// The old file is copied, and then overwritten: vim with links.
        case copyingAside
        /// A new file beside the old one, and both exchange their names: editors that keep a backup.
        case exchanging
    }

    private func write(_ text: String, to path: String, _ options: FileDescriptor.OpenOptions) throws {
        let file = try FileDescriptor.open(path, options.union(.writeOnly), permissions: 0o644)
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
        try file.synchronize()
    }

    private func contents(_ path: String) throws -> String {
        String(decoding: try FileDescriptor.open(path, .readOnly).everything(), as: UTF8.self)
    }

    private func save(_ text: String, as path: String, _ way: Way) throws {
        let beside = path + "~"
        switch way {
        case .renamingOver:
            try write(text, to: path + ".new", [.create, .exclusive])
            try retrying { rename(path + ".new", path) }
        case .movingAside:
            try retrying { rename(path, beside) }
            try write(text, to: path, [.create, .exclusive])
            try retrying { chmod(path, 0o644) }
            try retrying { unlink(beside) }
        case .copyingAside:
            try write(try contents(path), to: beside, [.create, .exclusive])
            try write(text, to: path, [.truncate])
            try retrying { unlink(beside) }
        case .exchanging:
            try write(text, to: beside, [.create, .exclusive])
            try retrying { clinux_renameat2(AT_FDCWD, path, AT_FDCWD, beside, clinux_rename_exchange) }
            try retrying { unlink(beside) }
        }
        #expect(try contents(path) == text)
    }

    @Test(arguments: Way.allCases, MountFixture.Server.allCases)
    func savesOfEditorsReachTheProvider(_ way: Way, _ server: MountFixture.Server) throws {
        try MountFixture.run(servedBy: server) { place in
            if server == .folder { try place.shell(#"mkdir "$C/inner""#) }
            for path in ["inner/letter.txt", "letter.txt"] { try place.put(path, "first\n") }
            let path = place.mount + "/letter.txt"
            for _ in 0..<3_000 where access(path, F_OK) != 0 { usleep(100_000) }
            #expect(try contents(path) == "first\n")
            // Saves follow each other at once, and later each after the last upload.
            for number in 0..<8 { try save("letter \(number)\n", as: path, way) }
            try place.expectThatTheProviderHasAll()
            #expect(try contents(place.cloud + "/letter.txt") == "letter 7\n")
            for number in 0..<3 {
                try save("longer letter \(number)\n", as: path, way)
                try place.expectThatTheProviderHasAll()
            }
            #expect(try contents(place.cloud + "/letter.txt") == "longer letter 2\n")
            #expect(try place.shell(#"ls "$C""#) == "inner\nletter.txt\n")
        }
    }
}
