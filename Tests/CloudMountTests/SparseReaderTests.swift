import CloudMount
import FileProvider
import FileTesting
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of programs that look for holes before they read, and that skip a file which reports no blocks.
@Suite(.ownThreads, .enabled(if: canMount))
struct SparseReaderTests {
    private static let contents = pattern(300_000)

    /// Commands that copy the file at `$1` to `$2`.
    private static let commands = [
        #"tar -C "${1%/*}" -S -cf - "${1##*/}" | tar -xf - -O >"$2""#,
        #"cp --sparse=auto "$1" "$2""#,
        #"cp --sparse=always "$1" "$2""#,
        #"rsync --sparse "$1" "$2""#,
        #"dd if="$1" of="$2" conv=sparse bs=64k status=none"#,
        #"bsdtar -C "${1%/*}" --read-sparse -cf - "${1##*/}" | tar -xf - -O >"$2""#,
    ]

    @Test(arguments: commands, [false, true])
    func aDatalessFileIsReadByProgramsThatLookForHoles(_ command: String, _ servesParts: Bool) async throws {
        try await withMount {
            $0.addFile("File", Self.contents)
            $0.behave { $0.servesParts = servesParts }
        } _: { (mount) throws in
            #expect(try mount.status("File").allocatedSize == 512)
            let folder = try TestFolder()
            let copy = folder.path + "/copy"
            let program = try start("sh", "-c", "set -e; " + command, "sh", mount("File"), copy)
            #expect(try program.waitForEnd().ending == .exited(0))
            #expect(try FileDescriptor.open(copy, .readOnly).everything() == Self.contents)
        }
    }

    @Test func anEmptyFileHasNoBlocks() async throws {
        try await withMount {
            $0.addFile("Empty", "")
        } _: { (mount) throws in
            #expect(try mount.status("Empty").allocatedSize == 0)
        }
    }

    @Test func aFileOfUnknownSizeHasABlock() async throws {
        try await withMount { provider in
            let file = provider.addFile("File", "text")
            provider.update(file) { $0.size = nil }
        } _: { (mount) throws in
            #expect(try mount.status("File").allocatedSize == 512)
        }
    }
}
