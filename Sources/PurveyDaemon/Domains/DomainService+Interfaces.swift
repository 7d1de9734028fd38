import AppExtension
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Serves calls about providers' user interfaces. A user interface is a process with which a client communicates
/// directly, without the daemon.
extension DomainService {
    nonisolated func addInterfaceCalls(to service: inout Service) {
        service.on(DescribeInterfaceCall.self) { request, call in
            call.answer { .init(interface: try await self.interface(for: request.subject)) }
        }
        service.on(NoteFailedSignInCall.self) { request, call in
            call.answer {
                let failure = ProviderError.domain(.notAuthenticated, request.reason)
                try await self.domain(request.domain).engine.run { $0.signIn.noteFailedAttempt(failure) }
                return Empty()
            }
        }
        service.on(RunInterfaceCall.self) { request, call in
            let run = PendingRun()
            call.onCancel { run.release() }
            Task {
                do {
                    call.reply(try await self.run(request, run))
                } catch {
                    call.fail(domain: DomainFault.domain, code: 1, message: "\(DomainError(error))")
                }
            }
        }
    }

    private func interface(for subject: DescribeInterfaceCall.Subject) async throws -> InterfaceDescription? {
        switch subject {
        case .action(let action, let place):
            let (record, _, _) = try await names(of: place)
            let (item, choice) = try await choice(action, for: place)
            guard let interface = choice.interface else {
                throw DomainError("the action \(action) asks nothing")
            }
            return try await describe(interface, for: record, .action(action, items: [item.item.item.identifier]))
        case .signIn(let name):
            let engine = try await domain(name).engine
            guard let record = places[name]?.record,
                let interface = try await actions(of: record).interfaces.first
            else { return nil }
            let failure = await engine.run { $0.signIn.status.failure }
            return try await describe(interface, for: record, .failure(failure ?? .signInWanted))
        }
    }

    private func describe(
        _ interface: ExtensionBundle, for record: DomainRecord, _ purpose: InterfacePurpose
    ) async throws -> InterfaceDescription {
        let (kept, data) = (keptFolders, folders.locations.data)
        return try await HandlerThreads.shared.value { () throws in
            InterfaceDescription(
                domain: record.name, identifier: interface.identifier,
                place: try record.providerDomain.greeting(
                    of: interface, of: record.provider, apartFrom: kept, data: data),
                purpose: purpose, timeLimit: interface.timeLimit, showsWindows: interface.showsWindows)
        }
    }

    /// The maximum number of concurrent user interfaces. A thread waits for each of them.
    private static let mostInterfaces = 16

    private func run(_ request: RunInterfaceCall, _ run: PendingRun) async throws -> ExtensionEnding {
        _ = try await domain(request.domain)
        guard let record = places[request.domain]?.record,
            let interface = try await actions(of: record).interfaces.first(where: {
                $0.identifier == request.identifier
            })
        else {
            throw DomainError("\(request.identifier) is not a user interface of the provider of \(request.domain)")
        }
        guard interfacesUnderWay < Self.mostInterfaces else {
            throw DomainError("\(Self.mostInterfaces) questions to users wait for replies already; try again later")
        }
        interfacesUnderWay += 1
        defer { interfacesUnderWay -= 1 }
        let (kept, data) = (keptFolders, folders.locations.data)
        return try await HandlerThreads.shared.value { () throws in
            let process: ExtensionRun
            do {
                process = try ExtensionRun(
                    interface: interface, of: record.provider, for: record.providerDomain, apartFrom: kept,
                    socket: request.socket, data: data, display: interface.showsWindows ? request.display : nil)
            } catch {
                throw DomainError("the extension \(interface.identifier) cannot be started: \(error)")
            }
            run.begin(process)
            return process.waitForEnd()
        }
    }
}

/// An interface process that may be cancelled before it has been started.
private final class PendingRun: Sendable {
    private struct State {
        var run: ExtensionRun?
        var isReleased = false
    }
    // Leaf lock: the process is ended after the lock is released.
    private let state = Lock(State())

    func begin(_ run: ExtensionRun) {
        let isReleased = state.withLock { state in
            state.run = run
            return state.isReleased
        }
        if isReleased { run.release() }
    }

    func release() {
        let run = state.withLock { state in
            state.isReleased = true
            return state.run
        }
        run?.release()
    }
}

extension ProviderError {
    /// The failure that a user interface receives if the user requests a sign-in although no request has failed.
    fileprivate static let signInWanted = ProviderError.domain(.notAuthenticated, "A sign-in is needed.")
}
