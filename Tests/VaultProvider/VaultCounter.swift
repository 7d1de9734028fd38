import Distributed
import FileProvider
import Foundation
import Glibc
import VaultService

/// The service for one connected program.
distributed actor VaultCounter: Counting {
    typealias ActorSystem = ServiceActorSystem

    private let folder: URL
    private let note: @Sendable (String) -> Void

    init(_ folder: URL, note: @escaping @Sendable (String) -> Void) {
        actorSystem = .shared
        self.folder = folder
        self.note = note
    }

    /// An error that only this service has.
    struct Trouble: Error {}

    distributed func count(_ name: String) async throws -> Int {
        try Data(contentsOf: folder.appendingPathComponent(name)).count
    }

    distributed func echo(_ text: String) async throws -> String { text }

    distributed func text(ofSize size: Int) async throws -> String { String(repeating: "x", count: size) }

    distributed func fail(_ kind: String) async throws {
        switch kind {
        case "item": throw NSFileProviderError(.insufficientQuota)
        case "cocoa": throw CocoaError(.fileReadNoPermission)
        default: throw Trouble()
        }
    }

    distributed func hang() async throws {
        note("hanging")
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
        note("cancelled")
        throw CancellationError()
    }

    distributed func processID() async throws -> Int32 { getpid() }

    distributed func generic<Value: Codable & Sendable>(_ value: Value) async throws -> Int { 0 }
}

/// An actor that is not offered to any program.
distributed actor VaultAuditor: Auditing {
    typealias ActorSystem = ServiceActorSystem

    distributed func secret() async throws -> String { "a secret" }
}

/// A source of connections to the service.
struct VaultCounterSource: NSFileProviderServiceSource {
    static let open = NSFileProviderServiceName("org.example.vault.counting")
    static let restricted = NSFileProviderServiceName("org.example.vault.maintenance")

    let serviceName: NSFileProviderServiceName
    let makeCounter: @Sendable () -> VaultCounter

    var isRestricted: Bool { serviceName == Self.restricted }

    func makeListenerEndpoint() throws -> NSXPCListenerEndpoint { NSXPCListenerEndpoint(makeCounter()) }
}
