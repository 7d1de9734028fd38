import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct RetroactiveConformancesTests {
    @Test func aProviderMayBeDeclaredSendable() async throws {
        let file = NSTemporaryDirectory() + "/" + UUID().uuidString + ".txt"
        try Data("words".utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let provider = NSItemProvider(
            contentsOf: URL(fileURLWithPath: file), contentType: .plainText, openInPlace: true)
        #expect(await SentProviders.name(provider) == (file as NSString).lastPathComponent)
        let opened = await withCheckedContinuation { continuation in
            SentProviders.open(provider) { url, isInPlace in continuation.resume(returning: (url?.path, isInPlace)) }
        }
        #expect(opened == (file, true))
        let texts = ["a", "b", "c"].map { NSItemProvider(item: $0 as NSString, typeIdentifier: "public.text") }
        #expect(await SentProviders.texts(texts + [NSItemProvider()]) == ["a", "b", "c", nil])
    }

    @Test func aClassOfFoundationMayBeDeclaredTransferable() async throws {
        let uuid = UUID()
        let data = try await uuid.exported(as: .utf8PlainText)
        #expect(data == Data(uuid.uuidString.utf8))
        #expect(try await UUID(importing: data, contentType: .utf8PlainText) == uuid)
    }
}
