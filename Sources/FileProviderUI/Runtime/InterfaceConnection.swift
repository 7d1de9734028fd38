import Conduit
import FileProvider
import Foundation
import ItemProvider
import LinuxSystem

/// A host's end of the socket to the process of a provider's user interface.
package final class InterfaceConnection: Sendable {
    /// Asks a person. Blocks for as long as they think.
    package typealias Asking = @Sendable (FileProviderPrompt) -> Answer

    /// What came of a prompt.
    package enum Answer: Sendable {
        /// An answer for each field.
        case given([String])
        /// The person does not want to.
        case refused
        /// Nobody could be asked, for this reason.
        case nobody(String)
    }

    /// How something that was begun came to its end.
    package enum Ending: Sendable {
        case completed
        case cancelled
        case failed(String)
        /// The extension is not for that.
        case unsupported
        /// The process ended, or closed its socket.
        case lost
        /// It was let go of, after so many seconds in which it neither ended nor asked.
        case silent(seconds: Int)
    }

    private let connection: Connection
    private let patience: Patience

    /// Takes over a socket whose other end the extension's process has as its descriptor 3.
    ///
    /// - Parameters:
    ///   - timeLimit: seconds that it may take when nobody is being asked.
    ///   - ask: called for one prompt after the other.
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
                    case .nobody(let reason): call.fail(domain: FPUIErrorDomain, code: 1, message: reason)
                    }
                }
                patience.endAsking()
            }
        }
        service.on(WindowNotice.self) { notice, _ in patience.setShowing(notice.isShown) }
        self.patience = patience
        connection = try Connection(try SequencedPacketSocket(checking: socket), service: service)
        connection.onClose { _ in patience.end() }
    }

    deinit { connection.close() }

    /// Begins what a person wants, and waits for its end.
    ///
    /// - Parameter place: what the provider's own process is told, and this one too.
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

    /// Lets go of the extension, whatever it is doing.
    package func close() { connection.close() }
}

/// How long an extension may neither end nor ask.
private final class Patience: Sendable {
    let seconds: Int
    private struct State {
        var isOver = false
        var hasEnded = false
        /// Prompts that a person has not answered.
        var asking = 0
        /// Whether a window is shown that a person has not answered.
        var isShowing = false
        /// Of the pause that the person does not take.
        var round = 0
        var letGo: (@Sendable () -> Void)?
    }
    // Innermost.
    private let state = Lock(State())
    /// Held while a person is asked: one prompt after the other.
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
