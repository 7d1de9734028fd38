import CloudTesting
import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import Testing
import WebDAVClient

/// Tests of byte ranges, with servers that have tags in listings, servers that do not, and a server that ignores
/// ranges.
struct PartTests {
    /// Returns contents whose parts differ from each other.
    private static func text(_ name: String) -> String {
        (0..<20_000).map { "\(name) \($0)" }.joined(separator: "\n")
    }

    /// Returns a part as soon as the file is old enough. If the server's listings have no tags, a file that was changed
    /// within the last two seconds can only be fetched as a whole.
    private func settledPart(
        of item: Seen, _ range: NSRange, _ domain: TestDomain
    ) async throws -> (bytes: ArraySlice<UInt8>, range: NSRange) {
        for _ in 0..<600 {
            do {
                return try await domain.part(of: item, range, alignment: 4_096)
            } catch let error as CocoaError where error.code == .featureUnsupported {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        return try await domain.part(of: item, range, alignment: 4_096)
    }

    @Test(arguments: ["nextcloud", "nginx", "apache"])
    func `parts belong to one version, with and without tags in listings`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let (first, second) = (Self.text("first"), Self.text("other"))
            let made = try await domain.create("long.txt", first)
            let part = try await settledPart(of: made, NSRange(location: 5_000, length: 100), domain)
            #expect(part.range.location == 4_096)
            #expect(part.range.length == 4_096)
            #expect(part.bytes == Array(first.utf8)[4_096..<8_192])
            // A last part, which ends with the file, and is not aligned.
            let end = first.utf8.count
            let last = try await domain.part(of: made, NSRange(location: end - 10, length: 10), alignment: 4_096)
            #expect(last.bytes.last == first.utf8.last)
            #expect(last.range.location + last.range.length == end)
            // Contents of the same size.
            _ = try await server.client.put(.text(second), to: server.root.appending("long.txt"))
            let range = NSRange(location: 0, length: 10)
            #expect(
                await failure { _ = try await domain.part(of: made, range, alignment: 4_096) }
                    == .versionNoLongerAvailable)
            let now = try await domain.item(made.identifier)
            #expect(now.version != made.version)
            #expect(try await settledPart(of: now, range, domain).bytes == Array(second.utf8)[..<4_096])
        }
    }

    @Test(arguments: CloudServer.installed.filter { $0 == "xandikos" })
    func `a server that sends the whole file in place of a part is not asked for parts`(name: String) async throws {
        try await CloudServer.with(name) { server in
            let domain = try TestDomain(server.root)
            let made = try await domain.create("long.txt", Self.text("first"))
            // As if the server had sent ranges when it was tested.
            let account = try domain.provider.account
            var profile = account.profile
            #expect(!profile.sendsRanges)
            profile.sendsRanges = true
            try await account.set(profile)
            for start in [0, 100_000] {
                let error = await #expect(throws: CocoaError.self) {
                    _ = try await domain.part(of: made, NSRange(location: start, length: 10), alignment: 4_096)
                }
                #expect(error?.code == .featureUnsupported)
            }
        }
    }
}
