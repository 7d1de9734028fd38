import Conduit
import DomainMessages
import FileProviderWire
import Foundation
import LinuxSystem

/// The set-up of a domain, and the provider's findings about it.
extension ProviderRuntime {
    func addSettingUp(to service: inout Service) {
        on(ProviderSetUpCall.self, .transfer, key: { _ in "set up" }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let object = provider.object as? any FileProviderSettingUp else {
                return ProviderSetUp(isServed: false, settings: request.settings)
            }
            guard let connection = self.connection else {
                throw ProviderError(.cancelled, message: "the set-up was cancelled")
            }
            let settings = Dictionary(request.settings.map { ($0.key, $0.value) }) { _, last in last }
            let user = HostSetupUser(connection) { engineRequest.advance(completed: 0, total: 0) }
            defer { user.end() }
            let setup = FileProviderSetup(
                purpose: FileProviderSetup.Purpose(request.purpose), settings: settings, user: user)
            let provider = SendableObject(object: object)
            let failure: ProviderError? = try engineRequest.wait { done in
                let task = Task {
                    do {
                        try await provider.object.setUpDomain(setup)
                        done(nil)
                    } catch {
                        done(ProviderError(error))
                    }
                }
                engineRequest.onEnd { task.cancel() }
            }
            if let failure { throw failure }
            let changed = setup.settings.sorted { $0.key < $1.key }.map { DomainSetting(key: $0.key, value: $0.value) }
            return ProviderSetUp(isServed: true, settings: changed)
        }
        on(ProviderSetsUpCall.self, key: { _ in nil }, in: &service) { _, provider, _ throws(ProviderError) in
            ProviderSetUp(isServed: provider.object is any FileProviderSettingUp, settings: [])
        }
        on(ProviderFindingsCall.self, key: { _ in nil }, in: &service) { _, provider, _ throws(ProviderError) in
            ProviderFindings(lines: (provider.object as? any FileProviderDescribing)?.domainFindings ?? [])
        }
    }
}

extension FileProviderSetup.Purpose {
    fileprivate init(_ purpose: SetUpPurpose) {
        self =
            switch purpose {
            case .adding: .adding
            case .changing: .changing
            case .signingIn: .signingIn
            }
    }
}

/// A provider's object. Sendable because provider classes allow calls on any thread.
private struct SendableObject: @unchecked Sendable {
    let object: any FileProviderSettingUp
}

/// The connection from a provider's process to the user: sends prompts, links and reports to the host, which shows
/// them.
private final class HostSetupUser: SetupUser {
    private let connection: Connection
    /// Restarts the time limit of the request.
    private let advance: @Sendable () -> Void

    private struct State {
        /// The number of prompts that wait for the user's reply.
        var questions = 0
        /// The instant until which the user may be busy with an opened link.
        var browsesUntil: ContinuousClock.Instant?
        var beat: Deadlines.Entry?
        var hasEnded = false
    }

    // Lock order: `Deadlines`' own lock is taken while this one is held.
    private let state = Lock(State())

    /// The interval at which the request's time limit is restarted while the provider waits for the user.
    private static let pause: Duration = .milliseconds(500)
    /// The duration for which the request's time limit is suspended after a link was opened. Services let a pending
    /// sign-in expire earlier than that.
    private static let browsing: Duration = .seconds(1_800)

    init(_ connection: Connection, advance: @escaping @Sendable () -> Void) {
        self.connection = connection
        self.advance = advance
    }

    func credentials(for server: String, user: String?) async throws -> FileProviderCredentials {
        let reply = try await ask(SetUpCredentialsCall(server: server, user: user))
        return FileProviderCredentials(user: reply.user, password: reply.password)
    }

    func open(_ url: URL, message: String) async {
        state.withLock { $0.browsesUntil = .now + Self.browsing }
        keepAlive()
        // A failure to show the link is ignored, because the provider will find out that the user does not sign in at
        // the service.
        _ = try? await connection.call(SetUpOpenCall(link: url.absoluteString, message: message))
    }

    func report(_ line: String) {
        advance()
        // This fails only if the host has ended.
        try? connection.notify(SetUpReportNotice(line: line))
    }

    /// Stops restarting the request's time limit.
    func end() {
        let beat = state.withLock { state in
            state.hasEnded = true
            return state.beat.take()
        }
        if let beat { Deadlines.shared.cancel(beat) }
    }

    /// Sends a prompt to the host. The set-up's time limit is suspended until the reply.
    private func ask<C: Call>(_ request: C) async throws -> C.Reply {
        state.withLock { $0.questions += 1 }
        keepAlive()
        defer { state.withLock { $0.questions -= 1 } }
        do throws(ConduitError) {
            return try await connection.call(request)
        } catch {
            if case .remote(let failure) = error {
                throw ProviderError(.cancelled, message: failure.message).error
            }
            throw CancellationError()
        }
    }

    /// Restarts the time limit now, and repeatedly while the user is being asked or is busy with a link.
    private func keepAlive() {
        advance()
        let former = state.withLock { state in
            let former = state.beat.take()
            let isAsked = state.questions > 0 || state.browsesUntil.map { $0 > .now } ?? false
            if isAsked, !state.hasEnded {
                state.beat = Deadlines.shared.run(after: Self.pause) { [weak self] in self?.keepAlive() }
            }
            return former
        }
        if let former { Deadlines.shared.cancel(former) }
    }
}
