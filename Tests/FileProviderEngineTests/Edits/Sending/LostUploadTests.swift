import FileProvider
import FileProviderEngine
import FileProviderWire
import ProviderTesting
import TestThreads
import Testing

/// Tests of uploads whose reply is lost, followed by a save that renames a new file over the old one, as most
/// programs do.
@Suite(.ownThreads)
struct LostUploadTests {
    /// Creates a file that was edited and uploaded, with the reply lost.
    private func edited(in domain: TestDomain) async throws -> String {
        let identifier = domain.provider.addFile("file.txt", "text")
        _ = try await domain.tree()
        domain.provider.behave { behaviour in
            behaviour.after = { (request) throws(ProviderError) in
                if request.kind == .replaceContents { throw .of(.processEnded) }
            }
        }
        try await domain.overwrite("file.txt", "edited")
        try await eventually {
            if domain.provider.count(.replaceContents) == 0 { domain.clock.advance(by: 1) }
            return try await domain.status().items.first?.failure != nil
        }
        #expect(domain.provider.text(at: "file.txt") == "edited")
        return identifier
    }

    private func answerAgain(_ domain: TestDomain) {
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
    }

    private func expectOneFile(_ text: String, _ identifier: String, in domain: TestDomain) async throws {
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": text])
        #expect(domain.provider.identifier(at: "file.txt") == identifier)
        #expect(try await domain.tree() == ["file.txt": text])
    }

    enum Restart: CaseIterable { case none, beforeSaving, afterSaving }

    @Test(arguments: Restart.allCases) func savesOverThemAreNoConflict(restart: Restart) async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = try await edited(in: domain)
        if restart == .beforeSaving { try domain.restart() }
        try await domain.save("file.txt", "saved")
        if restart == .afterSaving { try domain.restart() }
        answerAgain(domain)
        try await expectOneFile("saved", identifier, in: domain)
    }

    @Test func norIsWhatIsSavedOverThatBeforeItIsSent() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = try await edited(in: domain)
        for text in ["once", "twice", "thrice"] { try await domain.save("file.txt", text) }
        answerAgain(domain)
        try await expectOneFile("thrice", identifier, in: domain)
    }

    /// A change by another client is a conflict all the same.
    @Test func remoteWritesMeanwhileStayBesideIt() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = try await edited(in: domain)
        try await domain.save("file.txt", "saved")
        domain.provider.write("others'", to: identifier)
        answerAgain(domain)
        try await domain.settle()
        #expect(domain.provider.text(at: "file.txt") == "others'")
        #expect(Set(domain.provider.tree.values) == ["others'", "saved"])
    }
}
