import Conduit
import FileProvider
import FileProviderWire
import Foundation
import ItemProvider
import LinuxSystem

/// The host's end of the socket to the process of a provider's user interface.
package final class InterfaceConnection: Sendable {
    /// A closure that asks the user. It blocks until the user replies.
    package typealias Asking = @Sendable (FileProviderPrompt) -> Answer

    /// The result of a prompt.
    package enum Answer: Sendable {
        /// The answers, one for each field.
        case given([String])
        /// A refusal by the user.
        case refused
        /// A prompt that could not be shown, with the reason.
        case notShown(String)
    }

    /// The outcome of a request to the extension.
    package enum Ending: Sendable {
        case completed
        case cancelled
        case failed(String)
        /// An extension that does not support the request.
        case unsupported
        /// A process that ended, or closed its socket.
        case lost
        /// An extension that was closed, because it neither ended the request nor asked the user for this number of
        /// seconds.
        case silent(seconds: Int)
    }

    /// The limits of the connection. They are low because each prompt blocks a thread until the user replies.
    private static let limits = ConnectionLimits(callsInFlight: 64, servedBytes: 16 << 20, servedDescriptors: 64)

    private let connection: Connection
    private let patience: Patience

    /// Takes over a socket. The extension's process has the other end as its descriptor 3.
    ///
    /// - Parameters:
    ///   - timeLimit: the time limit in seconds, which is suspended while the user is being asked.
    ///   - ask: called for each prompt, never for two prompts at once.
    package init(_ socket: FileDescriptor, timeLimit: Int, ask: @escaping Asking) throws(Errno) {
        let patience = Patience(seconds: timeLimit)
        var service = Service()
        service.on(PromptCall.self) { request, call in
            patience.beginAsking()
            HandlerThreads.shared.runHandler {
                patience.inTurn {
                    switch ask(request.prompt) {
                    case .given(let answers): call.reply(.init(answers: answers))
                    case .refused: call.reply(.init(answers: nil))
                    case .notShown(let reason): call.fail(domain: FPUIErrorDomain, code: 1, message: reason)
                    }
                }
                patience.endAsking()
            }
        }
        service.on(WindowNotice.self) { notice, _ in patience.setShowing(notice.isShown) }
        self.patience = patience
        connection = try Connection(
            try SequencedPacketSocket(checking: socket), service: service, limits: Self.limits, isPeerConfined: true)
        connection.onClose { _ in patience.end() }
    }

    deinit { connection.close() }

    /// Sends the user's request to the extension, and waits until the extension ends the request.
    ///
    /// - Parameter place: the domain and its directories, in the same message that the provider's own process receives.
    package func begin(_ purpose: InterfacePurpose, at place: BeginProviderCall) async -> Ending {
        patience.begin { [connection] in connection.close() }
        do throws(ConduitError) {
            let reply = try await connection.call(BeginInterfaceCall(place: place, purpose: purpose))
            guard let failure = reply.failure else { return .completed }
            switch (failure.domain, failure.code) {
            case (FPUIErrorDomain, Int(FPUIExtensionErrorCode.userCancelled.rawValue)),
                (NSCocoaErrorDomain, CocoaError.userCancelled.rawValue):
                return .cancelled
            case (NSCocoaErrorDomain, CocoaError.featureUnsupported.rawValue): return .unsupported
            default: return .failed(failure.message)
            }
        } catch {
            if patience.isOver { return .silent(seconds: patience.seconds) }
            if case .disconnected = error { return .lost }
            return .failed("the extension could not be asked: \(error)")
        }
    }

    /// Closes the connection to the extension, regardless of its activity.
    package func close() { connection.close() }
}

/// The time limit for an extension. It is suspended while the extension waits for the user.
private final class Patience: Sendable {
    let seconds: Int
    private struct State {
        var isOver = false
        var hasEnded = false
        /// The number of prompts that wait for the user.
        var asking = 0
        /// Whether a window is shown that waits for the user.
        var isShowing = false
        /// A counter that identifies the time limit that was started last. When an earlier time limit expires, nothing
        /// happens.
        var round = 0
        var letGo: (@Sendable () -> Void)?
    }
    // Leaf lock.
    private let state = Lock(State())
    /// A lock that is held while the user is asked, so that prompts are shown one after the other.
    private let turn = NSLock()

    init(seconds: Int) { self.seconds = seconds }

    var isOver: Bool { state.withLock { $0.isOver } }

    func begin(_ letGo: @escaping @Sendable () -> Void) {
        state.withLock { $0.letGo = letGo }
        arm()
    }

    func inTurn(_ body: () -> Void) { turn.withLock(body) }

    func beginAsking() {
        state.withLock { state in
            state.asking += 1
            state.round += 1
        }
    }

    func endAsking() {
        state.withLock { $0.asking -= 1 }
        arm()
    }

    func setShowing(_ isShowing: Bool) {
        state.withLock { $0.isShowing = isShowing }
        if !isShowing { arm() }
    }

    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.letGo = nil
        }
    }

    private func arm() {
        let round = state.withLock { state -> Int in
            state.round += 1
            return state.round
        }
        Deadlines.shared.run(after: .seconds(seconds)) { [weak self] in self?.look(round) }
    }

    private func look(_ round: Int) {
        let letGo = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.round == round, state.asking == 0, !state.isShowing, !state.hasEnded else { return nil }
            state.isOver = true
            return state.letGo.take()
        }
        letGo?()
    }
}
