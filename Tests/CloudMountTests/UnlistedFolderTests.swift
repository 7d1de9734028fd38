import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of directories that take long to enumerate, or that cannot be enumerated.
@Suite(.ownThreads, .enabled(if: canMount)) struct UnlistedFolderTests {
    @Test(arguments: [["rmdir", "Slow"], ["mv", "-T", "Other", "Slow"]])
    func removingAFolderThatIsNotListedDelaysNoOtherRequest(_ words: [String]) async throws {
        try await withMount { provider in
            provider.addFolder("Slow", identifier: "slow")
            provider.addFolder("Other", identifier: "other")
            provider.addFile("File", "text")
        } _: { (mount) throws in
            #expect(try mount.names() == ["File", "Other", "Slow"])
            #expect(try mount.names("Other").isEmpty)
            // The working set is enumerated independently, and may be held as well.
            mount.provider.hold(.page)
            let listing = MemoryProvider.Request.page(of: "slow", after: nil)
            let arguments = [words[0]] + words.dropFirst().map { $0.hasPrefix("-") ? $0 : mount($0) }
            let program = try start(arguments)
            mount.wait(until: { mount.provider.heldCount(listing) == 1 })
            // The program ends although the enumeration does not, and the parent directory can be used.
            let ending = try program.waitForEnd()
            #expect(ending.status != 0 && ending.status < 128)
            #expect(mount.provider.heldCount(listing) == 1)
            #expect(mount.failure { _ = try mount.status("None") } == .noSuchFile)
            #expect(try mount.text("File") == "text")
            mount.provider.release(.page)
            mount.wait(until: { try start(arguments).waitForEnd().status == 0 })
            mount.waitUntilSent()
            #expect(mount.provider.tree.count == 2)
        }
    }

    @Test func aFolderWhoseSecondPageFailsIsAnErrorAndEnds() async throws {
        try await withMount(pageSize: 10) { provider in
            let folder = provider.addFolder("Folder", identifier: "folder")
            for number in 0..<20 { provider.addFile("File \(number)", in: folder) }
            provider.behave { behaviour in
                behaviour.before = { (request) throws(ProviderError) in
                    guard case .page(of: "folder", after: .some) = request else { return }
                    throw ProviderError(.notAuthenticated, message: "by the test")
                }
            }
        } _: { (mount) throws in
            let listing = try start("ls", "-f", mount("Folder")).waitForEnd()
            #expect(listing.status != 0 && listing.status < 128)
            // Items that were received are visible, and the listing is known to be incomplete.
            #expect(try mount.text("Folder/File 3").isEmpty)
            #expect(mount.failure { _ = try mount.status("Folder/File 15") } == .permissionDenied)
            #expect(mount.failure { _ = try mount.status("Folder/None") } == .permissionDenied)
            mount.provider.behave { $0.before = { (_) throws(ProviderError) in } }
            #expect(try mount.names("Folder").count == 20)
            #expect(mount.failure { _ = try mount.status("Folder/None") } == .noSuchFile)
        }
    }
}
