import CLinux
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// How editors save, each as the system calls that it makes.
@Suite(.ownThreads, .enabled(if: MountPlace.isWanted), .timeLimit(.minutes(20))) struct EditorTests {
    enum Way: CaseIterable {
        /// A new file beside it, whose name is put in its place: GTK's editors, `sed -i`.
        case renamingOver
        /// The old one gets out of the way, a new one is written, the old one goes: vim.
        case movingAside
        /// The old one is copied, and then written over: vim with links.
        case copyingAside
        /// A new file beside it, and both change names: editors that keep a backup.
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

    @Test(arguments: Way.allCases, MountPlace.Server.allCases)
    func whatAnEditorSavesReachesTheProvider(_ way: Way, _ server: MountPlace.Server) throws {
        try MountPlace.run(servedBy: server) { place in
            if server == .folder { try place.shell(#"mkdir "$C/inner""#) }
            for path in ["inner/letter.txt", "letter.txt"] { try place.put(path, "first\n") }
            let path = place.mount + "/letter.txt"
            for _ in 0..<3_000 where access(path, F_OK) != 0 { usleep(100_000) }
            #expect(try contents(path) == "first\n")
            // At once, one after the other, and once the one before has arrived.
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
