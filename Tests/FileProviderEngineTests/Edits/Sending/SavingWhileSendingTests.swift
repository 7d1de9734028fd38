import FileProvider
import FileProviderEngine
import FileProviderWire
import ProviderTesting
import TestThreads
import Testing

/// Tests of a file that is saved by a rename over it while its earlier contents are uploaded: the item stays the
/// same.
@Suite(.ownThreads)
struct SavingWhileSendingTests {
    /// Creates an edited file whose contents are being uploaded.
    private func sending(in domain: TestDomain) async throws -> String {
        let identifier = domain.provider.addFile("file.txt", "text")
        _ = try await domain.tree()
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("file.txt", "edited")
        try await eventually {
            if domain.provider.heldCount(.replaceContents) == 0 { domain.clock.advance(by: 1) }
            return domain.provider.heldCount(.replaceContents) == 1
        }
        return identifier
    }

    private func save(_ text: String, in domain: TestDomain) async throws {
        try await domain.save("file.txt", text)
        domain.clock.advance(by: 10)
    }

    private func expectOneFile(_ text: String, _ identifier: String, in domain: TestDomain) async throws {
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": text])
        #expect(domain.provider.identifier(at: "file.txt") == identifier)
        #expect(try await domain.tree() == ["file.txt": text])
        #expect(domain.provider.count(.delete) == 0 && domain.provider.count(.create) == 0)
    }

    @Test(arguments: 1...3) func itsContentsComeBehindThose(times: Int) async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = try await sending(in: domain)
        let fetched = domain.provider.count(.contents)
        for time in 1...times { try await save("saved \(time)", in: domain) }
        // Uploads run one after the other, as the provider could not tell which contents are newer.
        #expect(domain.provider.count(.replaceContents) == 1)
        domain.provider.release(.replaceContents)
        try await expectOneFile("saved \(times)", identifier, in: domain)
        #expect(domain.provider.count(.replaceContents) == 2)
        // The contents that were sent are known without a fetch.
        #expect(domain.provider.count(.contents) == fetched)
    }

    @Test(arguments: [false, true]) func soTheyDoAfterAKill(isTaken: Bool) async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = try await sending(in: domain)
        for text in ["saved", "saved again"] { try await save(text, in: domain) }
        if isTaken { domain.provider.write("edited", to: identifier) }
        try domain.restart()
        domain.provider.release(.replaceContents)
        try await expectOneFile("saved again", identifier, in: domain)
    }

    @Test(arguments: [ProviderError.Kind.processEnded, .transient, .cannotSynchronize])
    func soTheyDoAfterAFailure(kind: ProviderError.Kind) async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        domain.provider.fail(.replaceContents, with: .of(kind))
        let identifier = try await sending(in: domain)
        try await save("saved", in: domain)
        domain.provider.release(.replaceContents)
        try await expectOneFile("saved", identifier, in: domain)
    }

    @Test func aRemovalDuringAnUploadReachesTheProvider() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        _ = try await sending(in: domain)
        try await save("saved", in: domain)
        try await domain.remove("file.txt")
        domain.provider.release(.replaceContents)
        try await domain.settle()
        #expect(domain.provider.tree.isEmpty)
        #expect(try await domain.tree().isEmpty)
    }
}
