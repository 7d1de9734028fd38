import CloudMount
import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct ReadingTests {
    @Test(arguments: [true, false])
    func aFileIsFetchedWhenItIsRead(passing: Bool) async throws {
        try await withMount(passing: passing) { provider in
            let folder = provider.addFolder("Folder")
            provider.addFile("Letter.txt", "Dear reader", in: folder)
        } _: { (mount) throws in
            #expect(try mount.names() == ["Folder"])
            #expect(try mount.names("Folder") == ["Letter.txt"])
            #expect(try mount.status("Folder/Letter.txt").size == 11)
            #expect(mount.provider.count(.contents) == 0)
            #expect(try mount.text("Folder/Letter.txt") == "Dear reader")
            #expect(try mount.text("Folder/Letter.txt") == "Dear reader")
            #expect(mount.provider.count(.contents) == 1)
        }
    }

    @Test(arguments: [true, false])
    func aMaterializedFileIsReadWithoutTheProvider(passing: Bool) async throws {
        let contents = pattern(300_000)
        try await withMount(passing: passing) {
            $0.addFile("Large", contents)
        } _: { (mount) throws in
            #expect(try mount.bytes("Large") == contents)
            mount.provider.hold(.contents)
            let file = try mount.open("Large")
            #expect(try file.everything() == contents)
            #expect(try start(mappingPeer.get(), "read", mount("Large")).waitForEnd().output == Data(contents))
        }
    }

    @Test func aMappingOfAFileThatIsNotHereWaitsForIt() async throws {
        let contents = pattern(300_000)
        try await withMount {
            $0.addFile("Large", contents)
        } _: { (mount) throws in
            #expect(try start(mappingPeer.get(), "read", mount("Large")).waitForEnd().output == Data(contents))
        }
    }

    @Test func openingDoesNotWaitAndReadingDoes() async throws {
        try await withMount { provider in
            provider.addFile("Slow", "slow")
            provider.hold(.contents)
        } _: { (mount) throws in
            let file = try mount.open("Slow")
            let reader = try start("cat", mount("Slow"))
            mount.wait(until: { mount.provider.heldCount(.contents) > 0 })
            #expect(reader.isRunning)
            mount.provider.release(.contents)
            #expect(try reader.waitForEnd().text == "slow")
            #expect(try file.everything() == Array("slow".utf8))
            #expect(mount.provider.count(.contents) == 1)
        }
    }

    @Test func aSignalEndsAReaderThatWaits() async throws {
        try await withMount { provider in
            provider.addFile("Slow", "slow")
            provider.hold(.contents)
        } _: { (mount) throws in
            let reader = try start("cat", mount("Slow"))
            mount.wait(until: { mount.provider.heldCount(.contents) > 0 })
            reader.send(SIGINT)
            let end = try reader.waitForEnd()
            #expect(end.ending == .signalled(SIGINT))
            mount.provider.release(.contents)
            #expect(try mount.text("Slow") == "slow")
        }
    }

    @Test func aSizeThatTheProviderDoesNotKnowOrGetWrongDoesNotCutTheFile() async throws {
        let contents = pattern(50_000)
        try await withMount { provider in
            for (name, size) in [("Unknown", nil), ("Smaller", 10), ("Larger", 90_000)] as [(String, Int64?)] {
                let identifier = provider.addFile(name, contents)
                provider.update(identifier) { $0.size = size }
            }
        } _: { (mount) throws in
            for name in ["Unknown", "Smaller", "Larger"] {
                #expect(try start("cat", mount(name)).waitForEnd().output == Data(contents), "\(name)")
                #expect(try mount.bytes(name) == contents, "\(name)")
                mount.wait(until: { try mount.status(name).size == contents.count })
            }
        }
    }

    @Test func theErrorsOfAProviderAreTold() async throws {
        let kinds: [(ProviderError.Kind, CInt)] = [
            (.noSuchItem, ENOENT), (.notAuthenticated, EACCES), (.insufficientQuota, EDQUOT),
        ]
        try await withMount { provider in
            for (index, _) in kinds.enumerated() { provider.addFile("File \(index)", "text") }
        } _: { (mount) throws in
            #expect(try mount.names().count == kinds.count)
            for (index, (kind, number)) in kinds.enumerated() {
                mount.provider.behave { behaviour in
                    behaviour.before = { (request) throws(ProviderError) in
                        if request.kind == .contents { throw ProviderError(kind, message: "No.") }
                    }
                }
                let error = mount.failure { _ = try mount.bytes("File \(index)") }
                #expect(error?.rawValue == number, "\(kind)")
            }
        }
    }

    @Test func descriptorsAreClosedAgain() async throws {
        try await withMount { provider in
            for number in 0..<50 { provider.addFile("File \(number)", "text \(number)") }
        } _: { (mount) throws in
            func everything() throws {
                for number in 0..<50 { #expect(try mount.text("File \(number)") == "text \(number)") }
                try mount.write("other", to: "Mine")
                #expect(try mount.text("Mine") == "other")
            }
            try everything()
            mount.waitUntilSent()
            func count() throws -> Int {
                try FileDescriptor.open("/proc/self/fd", [.readOnly, .directory]).entries().filter { entry in
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\(entry.name)")
                    // Files of contents are named by their item's number.
                    return target.map { target in
                        target.hasPrefix((mount.path as NSString).deletingLastPathComponent)
                            && Int(target.prefix { $0 != " " }.split(separator: "/").last ?? "") != nil
                    } ?? false
                }.count
            }
            for _ in 0..<3 { try everything() }
            mount.waitUntilSent()
            mount.wait(until: { try count() == 0 }, "files of ours stay open")
        }
    }
}
