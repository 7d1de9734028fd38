import Conduit
import Foundation
import LinuxSystem
import SecretStorage
import Secrets
import Testing

/// The four calls over a connection, and messages that no correct client sends.
struct ServiceTests {
    private let test: TestStore
    private let client: Connection
    private let server: Connection

    init() throws {
        test = try TestStore()
        var service = Service()
        SecretService(test.store).addCalls(to: &service) { _ in AccessGroups(["test"]) }
        (client, server) = try Connection.pair(Service(), service)
    }

    /// Runs a function that waits for replies on a thread of its own.
    @discardableResult
    private func onAThread<Result: Sendable>(
        _ body: @escaping @Sendable (ConnectedSecrets) throws -> Result
    ) async throws -> Result {
        let source = ConnectedSecrets(client)
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Swift.Result { try body(source) }) }
        }
        return try result.get()
    }

    @Test func theFourCallsWorkOverAConnection() async throws {
        defer { client.close() }
        let values = try await onAThread { source in
            let added = try source.add(
                AddSecretCall(itemClass: .genericPassword, attributes: [.service: .text("a")], value: secret("one")))
            #expect(added.value == nil)
            #expect(added.attributes[.group] == .text("test"))
            try source.update(UpdateSecretsCall(search: search("a"), attributes: [:], value: secret("two")))
            let found = try source.find(FindSecretsCall(search: search("a"), limit: nil, wantsValues: true))
            #expect(try source.find(FindSecretsCall(search: search("a"), limit: 1, wantsValues: false))[0].value == nil)
            try source.remove(RemoveSecretsCall(search: search("a")))
            #expect(throws: SecretError.notFound) { try source.remove(RemoveSecretsCall(search: search("a"))) }
            return found.map(\.value)
        }
        #expect(values == [secret("two")])
    }

    @Test func errorsArriveAsTheyAre() async throws {
        defer { client.close() }
        try await onAThread { source in
            let request = AddSecretCall(
                itemClass: .genericPassword, attributes: [.service: .text("a")], value: secret("x"))
            _ = try source.add(request)
            #expect(throws: SecretError.duplicate) { try source.add(request) }
            #expect(throws: SecretError.groupRefused) {
                try source.add(
                    AddSecretCall(itemClass: .genericPassword, attributes: [.group: .text("foreign")], value: nil))
            }
            let large = SecretBytes(copying: .init(start: nil, count: 0))
            #expect(large.count == 0)
            #expect(throws: SecretError.tooLarge) {
                try source.add(
                    AddSecretCall(
                        itemClass: .genericPassword, attributes: [:],
                        value: secret(String(repeating: "x", count: 300 << 10))))
            }
        }
    }

    @Test func messagesThatBreakTheRulesAreRefused() async throws {
        defer { client.close() }
        try await onAThread { source in
            #expect(throws: SecretError.invalid) {
                try source.add(
                    AddSecretCall(
                        itemClass: .genericPassword, attributes: [.server: .text("cloud.example")], value: nil))
            }
            #expect(throws: SecretError.invalid) {
                try source.add(AddSecretCall(itemClass: .genericPassword, attributes: [.group: .number(1)], value: nil))
            }
            #expect(throws: SecretError.invalid) {
                try source.find(FindSecretsCall(search: search("a"), limit: 0, wantsValues: true))
            }
            #expect(throws: SecretError.invalid) {
                try source.find(
                    FindSecretsCall(search: SecretSearch(itemClass: nil), limit: nil, wantsValues: true))
            }
            #expect(throws: SecretError.invalid) {
                try source.update(UpdateSecretsCall(search: search("a"), attributes: [:], value: nil))
            }
        }
        #expect(test.reports.all.isEmpty)
    }

    @Test func aClosedConnectionIsAnUnavailableStore() async throws {
        server.close()
        try await onAThread { source in
            #expect(throws: SecretError.unavailable) {
                try source.find(FindSecretsCall(search: search("a"), limit: nil, wantsValues: true))
            }
        }
    }
}
