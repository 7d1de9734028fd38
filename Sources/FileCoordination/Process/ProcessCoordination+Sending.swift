import Foundation
import LinuxSystem
import OSLog

extension ProcessCoordination {
    /// Handles an event that cannot be sent, so that neither side waits for it for ever.
    func giveUp(_ event: CoordinationEvent, _ reason: UnsendableEventError, on authority: any CoordinationAuthority) {
        switch event {
        case .claim(let request):
            state.withLock { $0.claims.removeValue(forKey: request.number) }?
                .finish(.denied(.refused(reason: reason.words)))
        case .release(let claim, let outcomes) where !outcomes.isEmpty:
            Self.log.error("what was written cannot be told to presenters: \(reason.words, privacy: .public)")
            retry(.release(claim: claim, outcomes: []), on: authority)
        default:
            Self.log.error("a message to the Purvey daemon was not sent: \(reason.words, privacy: .public)")
        }
    }

    private func retry(_ event: CoordinationEvent, on authority: any CoordinationAuthority) {
        do { try authority.send(event) } catch { giveUp(event, error, on: authority) }
    }
}
