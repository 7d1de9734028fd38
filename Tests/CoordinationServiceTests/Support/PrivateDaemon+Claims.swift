import CoordinationService
import Exchange
import Testing

extension PrivateDaemon {
    /// Waits until the daemon has `count` claims, granted and waiting.
    func hasClaims(_ count: Int) async throws {
        try await eventually { try await client.call(CountClaimsCall(), attempts: 3).count == count }
    }
}
