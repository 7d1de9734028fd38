import Distributed
import Foundation
import Purvey
import Synchronization
import VaultService

/// The program's use of the vault's service.
final class ServiceUse: Sendable {
    private struct Misuse: Error {}

    private struct State {
        var connection: NSXPCConnection?
        var hanging: Task<Void, Never>?
    }
    private let state = Mutex(State())

    private func counter() throws -> $Counting { try connection().remoteActor(as: $Counting.self) }

    /// Returns the actor at the other end of the connection, as an actor of another type.
    private func auditor() throws -> $Auditing { try connection().remoteActor(as: $Auditing.self) }

    private func connection() throws -> NSXPCConnection {
        guard let connection = state.withLock({ $0.connection }) else { throw Misuse() }
        return connection
    }

    /// - Returns: The reply, or `nil` if the command is not about services.
    func perform(_ command: String, _ words: [String]) async throws -> String? {
        switch (command, words.count) {
        case ("services", 1):
            let services = try await FileManager.default.fileProviderServicesForItem(
                at: URL(fileURLWithPath: words[0]))
            return services.keys.map(\.rawValue).sorted().joined(separator: " ")
        case ("open", 2):
            let services = try await FileManager.default.fileProviderServicesForItem(
                at: URL(fileURLWithPath: words[0]))
            return try await open(services[NSFileProviderServiceName(words[1])])
        case ("own", 3):
            let domain = NSFileProviderDomain(
                identifier: NSFileProviderDomainIdentifier(rawValue: words[0]), displayName: "",
                pathRelativeToDocumentStorage: words[0])
            return try await open(
                NSFileProviderManager(for: domain)?.service(
                    named: NSFileProviderServiceName(words[2]), for: NSFileProviderItemIdentifier(words[1])))
        case ("echo", 1): return try await counter().echo(words[0])
        case ("count", 1): return String(try await counter().count(words[0]))
        case ("pid", 0): return String(try await counter().processID())
        case ("fail", 1):
            try await counter().fail(words[0])
            return "done"
        case ("send", 1):
            return String(try await counter().echo(String(repeating: "y", count: Int(words[0]) ?? 0)).count)
        case ("fetch", 1): return String(try await counter().text(ofSize: Int(words[0]) ?? 0).count)
        case ("many", 1): return try await many(Int(words[0]) ?? 0)
        case ("generic", 0): return String(try await counter().generic(5))
        case ("secret", 0): return try await auditor().secret()
        case ("hang", 0): return hang()
        case ("unhang", 0):
            state.withLock { $0.hanging }?.cancel()
            return "done"
        case ("disconnect", 0):
            state.withLock { $0.connection }?.invalidate()
            return "done"
        default: return nil
        }
    }

    private func open(_ service: NSFileProviderService?) async throws -> String {
        guard let connection = try await service?.fileProviderConnection() else { return "none" }
        connection.interruptionHandler = { Script.say("lost interrupted") }
        connection.invalidationHandler = { Script.say("lost invalidated") }
        connection.resume()
        state.withLock { $0.connection = connection }
        return "done"
    }

    private func many(_ count: Int) async throws -> String {
        let counter = try counter()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count { group.addTask { try await counter.echo("\(number)") == "\(number)" } }
            var right = 0
            for try await isRight in group where isRight { right += 1 }
            return String(right)
        }
    }

    private func hang() -> String {
        let task = Task {
            do {
                try await counter().hang()
                Script.say("hung returned")
            } catch {
                Script.say("hung \(error)")
            }
        }
        state.withLock { $0.hanging = task }
        return "begun"
    }
}
