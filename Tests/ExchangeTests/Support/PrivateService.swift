import Conduit
import Exchange
import Foundation
import Glibc

extension ExchangeClient {
    /// The `PURVEY_HOME` that contains this client's directories.
    var home: String {
        get throws { (try locations.get().runtime as NSString).deletingLastPathComponent }
    }
}

/// The daemon's service within the test's own process, for tests of its limits.
enum PrivateService {
    static func run(_ limits: ExchangeLimits, _ body: (ExchangeClient) async throws -> Void) async throws {
        TestProcess.prepare()
        let home = TestProcess.folder + "/" + UUID().uuidString.prefix(8)
        defer {
            // A listener removes its socket asynchronously. A removal that races with it leaves the rest, so it is
            // repeated.
            for _ in 0..<1_000 where FileManager.default.fileExists(atPath: home) {
                try? FileManager.default.removeItem(atPath: home)
            }
        }
        let locations = try Locations(environment: ["PURVEY_HOME": home], user: getuid())
        try PrivateFolder.make(locations.runtime)
        let service = ExchangeService(
            bundles: BundleRegistry(folder: locations.bundles), limits: limits, log: DaemonLog(nil))
        let listener = try Listener(path: locations.socket, service: service.makeService()) { service.admit($0) }
        let client = ExchangeClient(locations)
        defer {
            client.disconnect()
            listener.close()
        }
        try await body(client)
    }
}
