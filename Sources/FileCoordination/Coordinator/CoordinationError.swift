import Foundation
import Glibc
import LinuxSystem
import OSLog
import Runtime

extension ClaimDenial {
    /// The error that whoever made the claim gets, on the thread that made it.
    func error(of ticket: ClaimTicket) -> any Error {
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
        case .deadlock(let claim, let path):
            return deadlock(ticket) { sites in
                let there =
                    claim.map {
                        NamedCallSites.place(of: $0) ?? CallSites.place(of: $0, seenFrom: ticket.request, sites)
                    }
                    ?? "a place in another program"
                let words =
                    "it waits for the access to \(path) at \(there), which cannot end before this one. Nest calls of the same "
                    + "coordinator, or give both coordinators the same purposeIdentifier; in a presenter's message, use a "
                    + "coordinator made with that presenter"
                return ticket.request.blocking.isEmpty ? words : words + "; do not block the queue of presenters"
            }
        case .blockedPresenter(let path):
            return deadlock(ticket) { _ in
                "a presenter of \(path) has to make way first, and its presentedItemOperationQueue is the one that this call "
                    + "blocks. Coordinate on another thread, with intents and a queue, or give the presenter a queue of its own"
            }
        }
    }

    /// The error of a claim that nobody takes.
    static func refusal(_ reason: String) -> any Error {
        CocoaError(
            .fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: "A coordinated access was refused: \(reason)."])
    }

    private func deadlock(_ ticket: ClaimTicket, because reason: ([String]) -> String) -> any Error {
        let own = ticket.request.accesses.first?.path.string ?? ""
        let named = NamedCallSites.place(of: ticket.number)
        let sites = named == nil ? CallSites.ofThisThread() : []
        let here = named ?? sites.first ?? "a place without symbols"
        let words = "Coordinated access to \(own) at \(here) would wait for ever: \(reason(sites))."
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

/// Where coordinators were called, for messages about deadlocks.
///
/// Looking takes some milliseconds, so it is done only when there is something to tell; what a thread that waits inside of
/// another call would have to tell is kept as addresses.
enum CallSites {
    private struct Waiting: Sendable {
        let enclosing: [UInt64]
        let backtrace: Backtrace
    }

    private static let waiting = Lock<[UInt64: Waiting]>([:])

    /// Keeps in mind where a claim is made that others may wait for in vain.
    static func remember(_ request: ClaimRequest) {
        guard let backtrace = try? Backtrace.capture() else { return }
        waiting.withLock { $0[request.number] = Waiting(enclosing: request.enclosing, backtrace: backtrace) }
    }

    static func forget(_ claim: UInt64) { _ = waiting.withLock { $0.removeValue(forKey: claim) } }

    /// The places that called a coordinator on the way to where this thread is, the innermost first.
    static func ofThisThread() -> [String] { (try? Backtrace.capture()).map(sites) ?? [] }

    /// The place where a claim was made that this thread, or one that waits, is in the middle of.
    static func place(of claim: UInt64, seenFrom request: ClaimRequest, _ sites: [String]) -> String {
        if let position = request.enclosing.firstIndex(of: claim) {
            return site(sites, outermost: position, of: request.enclosing)
        }
        let (own, around) = waiting.withLock { waiting in
            (waiting[claim], waiting.values.first { $0.enclosing.contains(claim) })
        }
        if let own { return Self.sites(of: own.backtrace).first ?? "a place without symbols" }
        guard let around, let position = around.enclosing.firstIndex(of: claim) else {
            return "a place whose thread does not wait"
        }
        return site(Self.sites(of: around.backtrace), outermost: position, of: around.enclosing)
    }

    /// A thread's claims are listed from the outside, its places from the inside, that of the waiting claim first.
    private static func site(_ sites: [String], outermost position: Int, of enclosing: [UInt64]) -> String {
        sites.dropFirst(enclosing.count - position).first ?? "a place without symbols"
    }

    private static func sites(of backtrace: Backtrace) -> [String] {
        guard let frames = backtrace.symbolicated()?.frames else { return [] }
        var sites: [String] = []
        var isInside = false
        for frame in frames {
            guard let symbol = frame.symbol, !symbol.isSwiftThunk else { continue }
            let isOurs = symbol.rawName.hasPrefix("$s16FileCoordination")
            if isInside, !isOurs {
                if let place = symbol.sourceLocation {
                    let file = place.path.split(separator: "/").last.map(String.init) ?? place.path
                    sites.append("\(file):\(place.line) (\(symbol.name))")
                } else {
                    sites.append(symbol.name)
                }
            }
            // A member of the class that programs call, rather than what calls presenters and accessors.
            isInside = isOurs && (isInside || symbol.name.contains("NSFileCoordinator."))
        }
        return sites
    }
}
