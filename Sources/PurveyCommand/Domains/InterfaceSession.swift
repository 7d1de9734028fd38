import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderUI
import Foundation
import LinuxSystem

/// A provider's user interface at work: its process asks, and the person answers here.
enum InterfaceSession {
    /// Has an action done that asks for more.
    static func perform(_ action: String, at place: ItemPlace) async throws {
        let reply = try await DomainClient.call(DescribeInterfaceCall(subject: .action(action, place)))
        guard let interface = reply.interface else { throw CommandError("the action \(action) asks nobody") }
        let ending = try await run(interface)
        // Whatever came of it, there may be changes.
        _ = try? await DomainClient.call(SignalDomainCall(name: interface.domain, container: nil))
        if case .unsupported = ending { throw CommandError("\(interface.identifier) does not do \(action)") }
    }

    /// Signs in, and has what waits for that go on.
    ///
    /// - Returns: `false` where the provider has no user interface for it.
    static func signIn(to domain: String) async throws -> Bool {
        let reply = try await DomainClient.call(DescribeInterfaceCall(subject: .signIn(domain: domain)))
        guard let interface = reply.interface else { return false }
        do {
            if case .unsupported = try await run(interface) { return false }
        } catch let error as CommandError {
            // Who did not want to has not failed to, nor has who was not asked.
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
                return .nobody("There is \(missing) to ask on.")
            }
            do {
                return try ask(prompt, on: terminal)
            } catch {
                askedNobody.withLock { $0 = true }
                return .nobody("\((error as? CommandError)?.message ?? "\(error)")")
            }
        }
        defer { connection.close() }
        // Whoever started the extension may end without it, and nobody would watch over it any more.
        let watch = Task { if case .failure = await ending.result { connection.close() } }
        defer { watch.cancel() }
        let interruption = await Interruption()
        defer { interruption.end() }
        interruption.setAction {
            terminal?.interrupt()
            // One that is not asking, or that does not take no for an answer.
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

    /// Has the daemon start it.
    ///
    /// Only the task has the extension's end of the socket, until the process has ended or could not be started: with that end open
    /// anywhere else in this process, nobody would notice here that the other side has gone. So it is with the display, whose
    /// windows last as long as anybody has the connection.
    private static func start(
        _ interface: InterfaceDescription, _ ask: @escaping InterfaceConnection.Asking
    ) throws -> (connection: InterfaceConnection, ending: Task<ExtensionEnding, any Error>) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let connection = try InterfaceConnection(ours.descriptor, timeLimit: interface.timeLimit, ask: ask)
        let socket = theirs.descriptor
        let display = interface.showsWindows ? DisplayConnection.ofThisPerson() : nil
        let ending = Task {
            try await ExchangeClient.shared.call(
                RunInterfaceCall(
                    domain: interface.domain, identifier: interface.identifier, socket: socket, display: display))
        }
        return (connection, ending)
    }

    // MARK: Asking

    private static func ask(_ prompt: FileProviderPrompt, on terminal: Terminal) throws -> InterfaceConnection.Answer {
        // What an extension says moves no cursor and colours nothing.
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
