import FileProvider
import Foundation
import FoundationNetworking
import Synchronization
import Testing

/// The manager of a process without a daemon.
@Suite(.ownDomains) struct ManagerTests {
    private func domain(_ name: String, _ title: String = "title") -> NSFileProviderDomain {
        NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier(name), displayName: title,
            pathRelativeToDocumentStorage: name)
    }

    private func error(_ ask: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async -> (any Error)? {
        await withCheckedContinuation { continuation in ask { continuation.resume(returning: $0) } }
    }

    @Test func domainsAreAddedAndRemoved() async throws {
        try await NSFileProviderManager.removeAllDomains()
        try await NSFileProviderManager.add(domain("a"))
        try await NSFileProviderManager.add(domain("b"))
        try await NSFileProviderManager.add(domain("a", "new title"))
        #expect(try await NSFileProviderManager.domains().map { $0.displayName } == ["new title", "title"])
        try await NSFileProviderManager.remove(domain("a"))
        await #expect(throws: NSFileProviderError.self) { try await NSFileProviderManager.remove(domain("a")) }
        #expect(try await NSFileProviderManager.remove(domain("b"), mode: .preserveDownloadedUserData) == nil)
        #expect(try await NSFileProviderManager.domains().isEmpty)
        await #expect(throws: CocoaError.self) { try await NSFileProviderManager.add(domain("a/b")) }
        let modes: [NSFileProviderManager.DomainRemovalMode] = [
            .removeAll, .preserveDirtyUserData, .preserveDownloadedUserData,
        ]
        #expect(modes.map { $0.rawValue } == [0, 1, 2])
    }

    @Test func domainsAreManagedWithHandlers() async throws {
        #expect(await error { NSFileProviderManager.removeAllDomains(completionHandler: $0) } == nil)
        #expect(await error { NSFileProviderManager.add(domain("c"), completionHandler: $0) } == nil)
        let names = await withCheckedContinuation { continuation in
            NSFileProviderManager.getDomainsWithCompletionHandler { domains, error in
                continuation.resume(returning: domains.map { $0.identifier.rawValue })
            }
        }
        #expect(names == ["c"])
        #expect(await error { NSFileProviderManager.remove(domain("c"), completionHandler: $0) } == nil)
        #expect(
            await error { answer in
                NSFileProviderManager.remove(domain("c"), mode: .removeAll) { _, error in answer(error) }
            } is NSFileProviderError)
    }

    @Test func clientsThatRequestedDomainsAreNotifiedOfChanges() async throws {
        _ = try await NSFileProviderManager.domains()
        let count = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .fileProviderDomainDidChange, object: nil, queue: nil
        ) { _ in count.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await NSFileProviderManager.add(domain("d"))
        try await NSFileProviderManager.removeAllDomains()
        // Other tests of the process may change domains, too.
        #expect(count.withLock { $0 } >= 2)
    }

    @Test func signalsAreHeardInTheProcess() async throws {
        let heard = Mutex<[String]>([])
        let backend = try #require(NSFileProviderManager.backend as? LocalDomains)
        let listener = backend.addListener { item, domain in
            heard.withLock { $0.append("\(domain?.rawValue ?? "default"): \(item.rawValue)") }
        }
        let manager = try #require(NSFileProviderManager(for: domain("signals")))
        try await manager.signalEnumerator(for: NSFileProviderItemIdentifier("folder"))
        #expect(
            await error {
                NSFileProviderManager.default.signalEnumerator(
                    for: NSFileProviderItemIdentifier("other"), completionHandler: $0)
            } == nil)
        backend.removeListener(listener)
        try await manager.signalEnumerator(for: .rootContainer)
        #expect(heard.withLock { $0 } == ["signals: folder", "default: other"])
    }

    @Test func callsThatNeedADaemonFail() async throws {
        let manager = try #require(NSFileProviderManager(for: domain("no daemon")))
        let item = NSFileProviderItemIdentifier("x")
        let url = URL(fileURLWithPath: "/nowhere")
        await #expect(throws: NSFileProviderError.self) { _ = try await manager.getUserVisibleURL(for: item) }
        await #expect(throws: NSFileProviderError.self) {
            try await manager.requestDownloadForItem(withIdentifier: item, requestedRange: NSRange(0..<1))
        }
        await #expect(throws: NSFileProviderError.self) { try await manager.evictItem(identifier: item) }
        await #expect(throws: NSFileProviderError.self) { try await manager.waitForChanges(below: item) }
        await #expect(throws: NSFileProviderError.self) { try await manager.waitForStabilization() }
        await #expect(throws: NSFileProviderError.self) {
            try await manager.disconnect(reason: "why", options: .temporary)
        }
        await #expect(throws: NSFileProviderError.self) { try await manager.reconnect() }
        await #expect(throws: CocoaError.self) {
            _ = try await NSFileProviderManager.identifierForUserVisibleFile(at: url)
        }
        await #expect(throws: NSFileProviderError.self) { try await manager.reimportItems(below: item) }
        await #expect(throws: CocoaError.self) {
            try await manager.requestModification(of: .filename, forItemWithIdentifier: item)
        }
        await #expect(throws: NSFileProviderError.self) {
            try await manager.requestModification(of: [.filename, .contents], forItemWithIdentifier: item)
        }
        await #expect(throws: CocoaError.self) {
            try await NSFileProviderManager.import(domain("no daemon"), fromDirectoryAt: url)
        }
        try await manager.signalErrorResolved(NSFileProviderError(.notAuthenticated))
        #expect(NSFileProviderManager(forDomain: domain("a"))?.domain?.identifier.rawValue == "a")
        #expect(NSFileProviderManager(forDomain: domain("a/b")) == nil)
        #expect(NSFileProviderManager.DisconnectionOptions.temporary.rawValue == 1)
        #expect(NSFileProviderManager.DisconnectionOptions(rawValue: 1) == .temporary)
    }

    @Test func callsWithHandlersThatNeedADaemonFail() async throws {
        let manager = NSFileProviderManager.default
        let item = NSFileProviderItemIdentifier("x")
        let url = URL(fileURLWithPath: "/nowhere")
        #expect(
            await error { answer in manager.getUserVisibleURL(for: item) { answer($1) } } is NSFileProviderError)
        #expect(
            await error { answer in
                NSFileProviderManager.getIdentifierForUserVisibleFile(at: url) { answer($2) }
            } is CocoaError)
        #expect(
            await error { manager.requestDownloadForItem(withIdentifier: item, completionHandler: $0) }
                is NSFileProviderError)
        #expect(await error { manager.evictItem(identifier: item, completionHandler: $0) } is NSFileProviderError)
        #expect(await error { manager.waitForChanges(below: item, completionHandler: $0) } is NSFileProviderError)
        #expect(await error { manager.waitForStabilization(completionHandler: $0) } is NSFileProviderError)
        #expect(await error { manager.disconnect(reason: "why", completionHandler: $0) } is NSFileProviderError)
        #expect(await error { manager.reconnect(completionHandler: $0) } is NSFileProviderError)
        #expect(await error { manager.reimportItems(below: item, completionHandler: $0) } is NSFileProviderError)
        #expect(
            await error {
                manager.requestModification(of: .filename, forItemWithIdentifier: item, completionHandler: $0)
            } is CocoaError)
        #expect(
            await error {
                NSFileProviderManager.import(domain("x"), fromDirectoryAt: url, completionHandler: $0)
            } is CocoaError)
        #expect(
            await error { manager.signalErrorResolved(NSFileProviderError(.noSuchItem), completionHandler: $0) }
                == nil)
    }

    @Test func aTaskIsRegisteredForAnItemOnce() async throws {
        let manager = NSFileProviderManager.default
        let session = URLSession(configuration: .ephemeral)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let (task, other) = (session.dataTask(with: url), session.dataTask(with: url))
        let item = NSFileProviderItemIdentifier("with a task")
        try await manager.register(task, forItemWithIdentifier: item)
        await #expect(throws: CocoaError.self) { try await manager.register(other, forItemWithIdentifier: item) }
        #expect(
            await error {
                manager.register(
                    other, forItemWithIdentifier: NSFileProviderItemIdentifier("y"), completionHandler: $0)
            } == nil)
        withExtendedLifetime((task, other)) {}
        session.invalidateAndCancel()
    }

    @Test func placesAreThere() throws {
        let manager = NSFileProviderManager.default
        #expect(!manager.providerIdentifier.isEmpty)
        #expect(manager.documentStorageURL.lastPathComponent == "File Provider Storage")
        #expect(FileManager.default.fileExists(atPath: manager.documentStorageURL.path))
        #expect(FileManager.default.fileExists(atPath: try manager.temporaryDirectoryURL().path))
        #expect(manager.globalProgress(for: .downloading).isFinished)
        #expect(manager.globalProgress(for: .uploading).totalUnitCount == 1)
    }

    @Test func withoutADaemonNothingIsListed() async {
        for enumerator in [
            NSFileProviderManager.default.enumeratorForMaterializedItems(),
            NSFileProviderManager.default.enumeratorForPendingItems(),
        ] { #expect(await enumerator.currentSyncAnchor() == nil) }
        #expect(
            NSNotification.Name.fileProviderMaterializedSetDidChange.rawValue
                == "NSFileProviderMaterializedSetDidChange")
        #expect(NSNotification.Name.fileProviderPendingSetDidChange.rawValue == "NSFileProviderPendingSetDidChange")
        #expect(NSNotification.Name.fileProviderDomainDidChange.rawValue == "NSFileProviderDomainDidChange")
    }

    @Test func aBackendIsAsked() async throws {
        struct Backend: ManagerBackend {
            let asked = LocalDomains()
            var providerIdentifier: String { "org.example.provider" }
            func documentStorage() -> URL { URL(fileURLWithPath: "/dev/null/storage", isDirectory: true) }
            func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void) {
                completion([], NSFileProviderError(.serverUnreachable))
            }
            func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion) {
                completion(NSFileProviderError(.providerNotFound))
            }
            func remove(
                _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
                _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
            ) { completion(URL(fileURLWithPath: "/preserved/\(mode.rawValue)"), nil) }
            func removeAll(_ completion: @escaping Completion) { completion(nil) }
            func signalEnumerator(
                _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
                _ completion: @escaping Completion
            ) {
                // Stands for a backend that answers twice.
                completion(nil)
                completion(NSFileProviderError(.providerNotFound))
            }
            func userVisibleURL(
                of item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
                _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
            ) { completion(URL(fileURLWithPath: "/mount/\(item.rawValue)"), nil) }
            func identifier(
                ofFileAt url: URL,
                _ completion:
                    @escaping @Sendable (
                        NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
                    ) -> Void
            ) { completion(.init(url.lastPathComponent), .init("d"), nil) }
        }
        try await NSFileProviderManager.$backendOfTask.withValue(Backend()) { try await askBackend() }
    }

    private func askBackend() async throws {
        let manager = NSFileProviderManager.default
        #expect(manager.providerIdentifier == "org.example.provider")
        #expect(manager.documentStorageURL.path == "/dev/null/storage")
        await #expect(throws: NSFileProviderError.self) { _ = try await NSFileProviderManager.domains() }
        await #expect(throws: NSFileProviderError.self) { try await NSFileProviderManager.add(domain("a")) }
        #expect(
            try await NSFileProviderManager.remove(domain("a"), mode: .preserveDirtyUserData)?.path
                == "/preserved/1")
        try await manager.signalEnumerator(for: .rootContainer)
        #expect(try await manager.getUserVisibleURL(for: NSFileProviderItemIdentifier("x")).path == "/mount/x")
        let found = try await NSFileProviderManager.identifierForUserVisibleFile(
            at: URL(fileURLWithPath: "/mount/x"))
        #expect(found.0.rawValue == "x")
        #expect(found.1.rawValue == "d")
    }
}
