import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of one file that several programs have open, for reading and for writing, in any order.
@Suite(.ownThreads, .enabled(if: canMount)) struct SharedFileTests {
    /// The arguments are whether the file is local at the first open, and whether the first open is for writing.
    @Test(arguments: [true, false], [true, false])
    func noReaderIsRefusedWhileAnotherHoldsAChangedFile(isHere: Bool, writesFirst: Bool) async throws {
        for passing in [true, false] {
            try await withMount(passing: passing) {
                $0.addFile("File", "text")
            } _: { (mount) throws in
                if isHere { #expect(try mount.text("File") == "text") }
                let first = try mount.open("File", writesFirst ? .readWrite : .readOnly)
                #expect(try first.everything() == Array("text".utf8))
                let writer = writesFirst ? first : try mount.open("File", .readWrite)
                try writer.overwrite(Array("more".utf8), at: 4)
                // The others are a program that reads, one that maps the file, one that appends, and this one.
                for _ in 0..<2 {
                    let other = try start("cat", mount("File")).waitForEnd()
                    #expect(other.status == 0 && other.text.hasPrefix("textmore"))
                    let mapped = try start(mappingPeer.get(), "read", mount("File")).waitForEnd()
                    #expect(mapped.status == 0, "\(mapped)")
                    let appended = try start("sh", "-c", "echo -n x >> '\(mount("File"))'").waitForEnd()
                    #expect(appended.status == 0, "\(appended)")
                }
                #expect(try mount.text("File") == "textmorexx")
                #expect(try first.everything() == Array("textmorexx".utf8))
                #expect(try mount.status("File").size == 10)
                withExtendedLifetime(writer) {}
            }
        }
    }

    @Test func aFileThatIsSentWhileItIsOpenIsReadByAll() async throws {
        try await withMount {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            let reader = try mount.open("File")
            #expect(try reader.everything() == Array("text".utf8))
            try mount.write("changed", to: "File")
            mount.waitUntilSent()
            #expect(try mount.text("File") == "changed")
            #expect(try reader.everything() == Array("changed".utf8))
            let writer = try mount.open("File", .readWrite)
            try writer.overwrite(Array("again  ".utf8), at: 0)
            #expect(try mount.text("File") == "again  ")
            #expect(try reader.everything() == Array("again  ".utf8))
        }
    }
}
