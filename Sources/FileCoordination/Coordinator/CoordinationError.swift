import Foundation
import Glibc
import LinuxSystem
import OSLog

extension ClaimDenial {
    /// Returns the error for the caller that made the claim. For a deadlock, finding the source locations of both calls
    /// may be slow. Therefore this function must not be called on a thread for which other threads wait.
    func error(of ticket: ClaimTicket, in process: ProcessCoordination) -> any Error {
        switch self {
        case .presenter(let failure):
            return NSError(
                domain: failure.domain, code: failure.code, userInfo: [NSLocalizedDescriptionKey: failure.message])
        case .tooManyClaims(let limit):
            return CocoaError(
                .fileReadUnknown,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "This process has \(limit) coordinated accesses already; no more are taken."
                ])
        case .refused(let reason): return Self.refusal(reason)
        case .deadlock(let other, let path):
            let words =
                "it waits for the access to \(path) at \(process.place(of: other)), which cannot end before this one. "
                + "Nest calls of the same coordinator, or give both coordinators the same purposeIdentifier; in a presenter's "
                + "message, use a coordinator made with that presenter"
            return deadlock(
                ticket,
                because: ticket.request.blocking.isEmpty ? words : words + "; do not block the queue of presenters")
        case .blockedPresenter(let path):
            return deadlock(
                ticket,
                because:
                    "a presenter of \(path) has to make way first, and its presentedItemOperationQueue is the one that this "
                    + "call blocks. Coordinate on another thread, with intents and a queue, or give the presenter a queue of its "
                    + "own")
        }
    }

    /// Returns the error of a claim that the arbiter refuses.
    static func refusal(_ reason: String) -> any Error {
        CocoaError(
            .fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: "A coordinated access was refused: \(reason)."])
    }

    private func deadlock(_ ticket: ClaimTicket, because reason: String) -> any Error {
        let own = ticket.request.accesses.first?.path.string ?? ""
        let words = "Coordinated access to \(own) at \(ticket.site.words) would wait for ever: \(reason)."
        ProcessCoordination.log.fault("\(words, privacy: .public)")
        return CocoaError(
            .fileWriteUnknown,
            userInfo: [
                NSFilePathErrorKey: own, NSLocalizedDescriptionKey: words,
                NSUnderlyingErrorKey: NSError(
                    domain: NSPOSIXErrorDomain, code: Int(EDEADLK),
                    userInfo: [NSLocalizedDescriptionKey: Errno(rawValue: EDEADLK).description]),
            ])
    }
}
