import AppExtension
import Conduit
import FileProviderWire
import Foundation
import LinuxSystem
import Sandbox

/// Starts the process. Requests wait for the start.
extension ProviderProcess {
    func instance() async throws(ProviderError) -> ProviderInstance {
        while true {
            switch state {
            case .running(let instance): return instance
            case .disabled(let failure): throw failure
            case .closed: throw ProviderError(.cancelled, message: "the domain \(domain.displayName) was closed")
            case .starting, .ending, .settingUp:
                if let result = await nextChange() { return try result.get() }
            case .none:
                watchPlace()
                state = .starting
                let result: Result<ProviderInstance, ProviderError>
                do throws(ProviderError) {
                    result = .success(try await start(domain))
                } catch {
                    result = .failure(error)
                }
                switch (state, result) {
                case (.starting, .success(let instance)) where !living.contains { $0 === instance }:
                    // The process has ended after its greeting. Requests to it fail with the reason of its end, and the
                    // next request starts another process.
                    state = .none
                case (.starting, .success(let instance)):
                    state = .running(instance)
                    sleepWatch = nil
                    lastUse = .now
                    watchIdleness()
                case (.starting, .failure): state = .none
                // The domain was closed while the process started.
                case (_, .success(let instance)): instance.askToEnd()
                default: break
                }
                resume(with: result)
                return try result.get()
            }
        }
    }

    /// Waits until the process has started or ended, or the set-up has ended. Returns the running process, or the
    /// reason why it was not started. Returns `nil` if the caller must examine `state` again.
    func nextChange() async -> Result<ProviderInstance, ProviderError>? {
        await withCheckedContinuation { continuation in
            // The state may have changed before the continuation runs.
            switch state {
            case .starting, .ending, .settingUp: waiting.append(continuation)
            default: continuation.resume(returning: nil)
            }
        }
    }

    func resume(with result: Result<ProviderInstance, ProviderError>?) {
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume(returning: result) }
    }

    func start(_ candidate: ProviderDomain) async throws(ProviderError) -> ProviderInstance {
        let started: Started
        let changes = placeChanges
        do {
            started = try await HandlerThreads.shared.value { try self.startProcess(candidate) }
        } catch {
            throw ProviderError(
                .processEnded, message: "the extension \(extensionIdentifier) cannot be started: \(error)",
                domain: Self.failureDomain)
        }
        let instance = started.instance
        if domain.handed == nil, let folder = started.handed {
            domain.handed = folder
            handed(folder)
        }
        living.append(instance)
        if case .closed = state { instance.askToEnd() }
        // The process was not in `living` when the place changed, and may have been handed the former directory.
        if placeChanges != changes { instance.askToEnd() }
        instance.watch { ending in
            Task { await self.hasEnded(instance, ending) }
        }
        do throws(ProviderError) {
            _ = try await call(started.greeting, .answer, of: instance, isGreeting: true, progress: nil)
        } catch {
            instance.endForFault()
            _ = await instance.ending()
            throw error
        }
        return instance
    }

    private nonisolated func startProcess(_ domain: ProviderDomain) throws -> Started {
        let bundle = try library.find(extensionIdentifier)
        guard bundle.isOfFileProvider else {
            throw NoProviderError(description: "\(bundle.name) is not a file provider: it extends \(bundle.point)")
        }
        let handed = try domain.handedFolder(apartFrom: kept)
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let process = try ExtensionProcess(
            bundle, socket: theirs.descriptor, data: data, hostLibraries: SwiftLibraries.ofThisProcess,
            coordination: coordination, largestFile: Self.largestFile,
            places: handed.map { [$0.place] } ?? [],
            variables: ProviderVariables.ofNextProcess(), isHandedDirectory: handed != nil)
        var service = service
        let watches = WatchService()
        watches.serve(in: &service)
        let connection: Connection
        do {
            _ = try handed?.open()
            connection = try Connection(ours, service: service, limits: Self.limits, isPeerConfined: true)
        } catch {
            process.end(.released)
            _ = process.waitForEnd()
            throw error
        }
        let answerTime = options.answerTime ?? .seconds(bundle.timeLimit)
        return Started(
            instance: ProviderInstance(
                process, connection, watches: watches, answerTime: answerTime, usesNetwork: bundle.usesNetwork,
                isLocal: handed != nil, watchesService: bundle.watchesService),
            greeting: BeginProviderCall(
                version: ProviderWire.version, domain: domain.identifier, displayName: domain.displayName,
                storage: ProviderDomain.storage(in: process.container), domainFolder: domain.documentFolder,
                temporary: domain.temporary(in: process.container), path: handed?.path,
                answerTime: answerTime / .seconds(1), transferTime: options.transferTime / .seconds(1),
                bundleIdentifier: bundle.identifier, userInfo: domain.userInfo,
                state: domain.state(in: process.container)),
            handed: handed)
    }
}
