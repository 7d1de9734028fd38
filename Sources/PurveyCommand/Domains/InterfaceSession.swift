import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProviderUI
import Foundation
import LinuxSystem

/// A session with a provider's user interface. The process of the user interface sends prompts, and the user answers
/// them on the terminal.
enum InterfaceSession {
    /// Performs an action that asks the user for further input.
    static func perform(_ action: String, at place: ItemPlace) async throws {
        let reply = try await DomainClient.call(DescribeInterfaceCall(subject: .action(action, place)))
        guard let interface = reply.interface else { throw CommandError("the action \(action) asks nothing") }
        let ending = try await run(interface)
        // The action may have changed items, regardless of its result.
        _ = try? await DomainClient.call(SignalDomainCall(name: interface.domain, container: nil))
        if case .unsupported = ending { throw CommandError("\(interface.identifier) does not do \(action)") }
    }

    /// Signs in, and retries the transfers that wait for the sign-in.
    ///
    /// - Returns: `false` if the provider has no user interface for signing in.
    static func signIn(to domain: String) async throws -> Bool {
        let reply = try await DomainClient.call(DescribeInterfaceCall(subject: .signIn(domain: domain)))
        guard let interface = reply.interface else { return false }
        do {
            if case .unsupported = try await run(interface) { return false }
        } catch let error as CommandError {
            // Only a refusal by the service counts as a failed sign-in. A cancelled prompt, or a missing terminal, does
            // not.
            if error.isRefusal {
                let failed = NoteFailedSignInCall(domain: domain, reason: error.message)
                _ = try? await DomainClient.call(failed)
            }
            throw error
        }
        let retried = try await DomainClient.call(RetryDomainCall(name: domain))
        if let fault = retried.fault { throw CommandError("\(domain): \(fault)") }
        return true
    }

    private enum Ending { case completed, unsupported }

    private static func run(_ interface: InterfaceDescription) async throws -> Ending {
        let terminal = Terminal()
        let askedNobody = Lock(false)
        let (connection, ending) = try start(interface) { prompt in
            guard let terminal else {
                askedNobody.withLock { $0 = true }
                let missing = interface.showsWindows ? "neither a display nor a terminal" : "no terminal"
                return .notShown("There is \(missing) to ask on.")
            }
            do {
                return try ask(prompt, on: terminal)
            } catch {
                askedNobody.withLock { $0 = true }
                return .notShown("\((error as? CommandError)?.message ?? "\(error)")")
            }
        }
        defer { connection.close() }
        // If the daemon, which started the extension, ends first, nothing supervises the extension. Therefore the
        // connection is closed.
        let watch = Task { if case .failure = await ending.result { connection.close() } }
        defer { watch.cancel() }
        let interruption = await Interruption()
        defer { interruption.end() }
        interruption.setAction {
            terminal?.interrupt()
            // The extension may have no open prompt at this moment, or may ignore that the prompt was cancelled.
            Deadlines.shared.run(after: .seconds(1)) { connection.close() }
        }
        switch await connection.begin(interface.purpose, at: interface.place) {
        case .completed: return .completed
        case .unsupported: return .unsupported
        case .cancelled: throw CommandError("cancelled")
        case .failed(let reason):
            var error = CommandError(reason)
            error.isRefusal = !askedNobody.withLock { $0 }
            throw error
        case .silent(let seconds):
            throw CommandError("\(interface.identifier) neither asked nor answered for \(seconds) s, and was ended")
        case .lost:
            if interruption.hasHappened { throw CommandError("interrupted") }
            let reason: String
            do { reason = try await ending.value.sentence } catch { reason = error.line }
            throw CommandError("\(interface.identifier): \(reason)")
        }
    }

    /// Makes the daemon start the extension.
    ///
    /// Only the returned task has the extension's end of the socket open, until the extension has ended or could not be
    /// started. With another open copy of that end in this process, this process would not be notified when the
    /// extension closes its end. The same applies to the display: windows stay open until the last copy of the
    /// display's connection is closed.
    private static func start(
        _ interface: InterfaceDescription, _ ask: @escaping InterfaceConnection.Asking
    ) throws -> (connection: InterfaceConnection, ending: Task<ExtensionEnding, any Error>) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let connection = try InterfaceConnection(ours.descriptor, timeLimit: interface.timeLimit, ask: ask)
        let socket = theirs.descriptor
        let display = interface.showsWindows ? DisplayConnection.ofThisUser() : nil
        let ending = Task {
            try await ExchangeClient.shared.call(
                RunInterfaceCall(
                    domain: interface.domain, identifier: interface.identifier, socket: socket, display: display))
        }
        return (connection, ending)
    }

    // MARK: Asking

    private static func ask(_ prompt: FileProviderPrompt, on terminal: Terminal) throws -> InterfaceConnection.Answer {
        // Control characters in an extension's text are removed, so that the text cannot move the cursor or set
        // colours.
        for text in [prompt.title, prompt.message] where !text.isEmpty {
            for line in text.split(separator: "\n", maxSplits: 40) {
                try terminal.say(OneLine.text(String(line)) + "\n")
            }
        }
        guard !prompt.fields.isEmpty else {
            let answer = try terminal.ask("Go on? [y/N] ")?.lowercased()
            return answer == "y" || answer == "yes" ? .given([]) : .refused
        }
        var answers: [String] = []
        for field in prompt.fields {
            let standard = field.text.isEmpty || field.isSecret ? "" : " [\(OneLine.text(field.text))]"
            let question = OneLine.text(field.label) + standard + ": "
            guard let answer = try terminal.ask(question, isSecret: field.isSecret) else { return .refused }
            answers.append(answer.isEmpty ? field.text : answer)
        }
        return .given(answers)
    }
}
