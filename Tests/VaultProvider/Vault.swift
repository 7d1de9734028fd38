import FileCoordination
import FileProvider
import Foundation
import Glibc

/// The provider. An item's identifier is its file's name in the service's directory, and its path in the document
/// storage.
final class Vault: NSFileProviderExtension {
    let service: URL

    override init() {
        service = URL(fileURLWithPath: ExtensionSurroundings.domain?.userInfo?["path"] as? String ?? "/nonexistent")
        super.init()
        note("begin \(ExtensionSurroundings.domain?.userInfo?["greeting"] as? String ?? "-")")
    }

    /// Appends a line for the test.
    private func note(_ text: String) { makeNote()(text) }

    private func makeNote() -> @Sendable (String) -> Void {
        let path = service.path + "/.notes"
        return { text in
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            guard file >= 0 else { return }
            let line = Array((text + "\n").utf8)
            _ = write(file, line, line.count)
            close(file)
        }
    }

    private func original(_ identifier: NSFileProviderItemIdentifier) -> URL {
        service.appendingPathComponent(identifier.rawValue)
    }

    private func identifier(at url: URL) throws -> NSFileProviderItemIdentifier {
        guard let identifier = persistentIdentifierForItem(at: url) else { throw NSFileProviderError(.noSuchItem) }
        return identifier
    }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        note("item \(identifier.rawValue)")
        guard let item = VaultItem(identifier, at: identifier == .rootContainer ? service : original(identifier)) else {
            throw NSFileProviderError(.noSuchItem)
        }
        return item
    }

    override func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        note("enumerator \(containerItemIdentifier.rawValue)")
        return VaultEnumerator(service)
    }

    override func providePlaceholder(at url: URL) async throws {
        note("placeholder \(try identifier(at: url).rawValue)")
        try NSFileProviderManager.writePlaceholder(
            at: NSFileProviderManager.placeholderURL(for: url),
            withMetadata: try item(for: try identifier(at: url)))
    }

    override func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            let identifier = try identifier(at: url)
            note("start \(identifier.rawValue)")
            switch identifier.rawValue {
            case "locked.txt": return completionHandler(NSFileProviderError(.notAuthenticated))
            // Not answered until the test creates the file.
            case "slow.txt" where access(original(identifier).path, F_OK) != 0: return
            case "held.txt": waitForTheTest()
            case "dying.txt": _exit(1)
            default: break
            }
            guard access(original(identifier).path, F_OK) == 0 else { throw NSFileProviderError(.noSuchItem) }
            if access(url.path, F_OK) != 0 { try fetch(original(identifier), to: url) }
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    /// Waits until the test creates a file, for two minutes at most.
    private func waitForTheTest() {
        for _ in 0..<6000 where access(service.path + "/.go", F_OK) != 0 { usleep(20_000) }
    }

    /// Fetches with coordination, as providers of this kind do. Claims with the same purpose identifier, such as the
    /// runtime's, do not wait for this claim.
    private func fetch(_ original: URL, to url: URL) throws {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.purposeIdentifier = providerIdentifier
        var problem: NSError?
        var result: Result<Void, any Error>?
        coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: &problem) { url in
            result = Result {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(contentsOf: original).write(to: url)
            }
        }
        if let problem { throw problem }
        try result?.get()
    }

    override func supportedServiceSources(
        for itemIdentifier: NSFileProviderItemIdentifier
    ) throws -> [any NSFileProviderServiceSource] {
        note("services \(itemIdentifier.rawValue)")
        _ = try item(for: itemIdentifier)
        let (folder, note) = (service, makeNote())
        return [VaultCounterSource.open, VaultCounterSource.restricted].map { name in
            VaultCounterSource(serviceName: name) { VaultCounter(folder, note: note) }
        }
    }

    override func stopProvidingItem(at url: URL) {
        note("stop \((try? identifier(at: url).rawValue) ?? "-")")
        try? FileManager.default.removeItem(at: url)
    }

    /// Calls functions of the extension's own manager, and records the results for the test.
    private func askTheEngine() {
        guard let manager = domain.flatMap({ NSFileProviderManager(for: $0) }) else { return }
        let (note, item) = (makeNote(), NSFileProviderItemIdentifier("b.txt"))
        Task {
            do {
                let visible = try await manager.getUserVisibleURL(for: item)
                let (same, _) = try await NSFileProviderManager.identifierForUserVisibleFile(at: visible)
                note("visible \(visible.path) \(same.rawValue)")
                let domains = try await NSFileProviderManager.domains()
                note("domains " + domains.map(\.identifier.rawValue).sorted().joined(separator: " "))
                let state = try manager.stateDirectoryURL()
                try Data("kept".utf8).write(to: state.appendingPathComponent("note"))
                note("state \(state.path)")
                do { try await manager.disconnect(reason: "never") } catch {
                    note("refused \((error as NSError).code)")
                }
                try await manager.requestDownloadForItem(withIdentifier: item)
                note("here \(try await VaultSetObserver.names(manager.enumeratorForMaterializedItems()))")
                try await manager.evictItem(identifier: item)
                note("there \(try await VaultSetObserver.names(manager.enumeratorForMaterializedItems()))")
                try await manager.waitForChanges(below: item)
                try await manager.requestModification(of: .contents, forItemWithIdentifier: item)
                try await manager.evictItem(identifier: NSFileProviderItemIdentifier("none"))
            } catch {
                note("asked \((error as NSError).code)")
            }
        }
    }

    /// Returns the changed contents. For one file it reads with coordination before it confirms the change.
    private func contents(ofChanged url: URL) -> Data? {
        guard url.lastPathComponent == "turns.txt" else { return try? Data(contentsOf: url) }
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.purposeIdentifier = providerIdentifier
        var contents: Data?
        coordinator.coordinate(readingItemAt: url, error: nil) { contents = try? Data(contentsOf: $0) }
        return contents
    }

    override func itemChanged(at url: URL) {
        guard let identifier = try? identifier(at: url), let contents = contents(ofChanged: url) else { return }
        if identifier.rawValue == "told.txt" {
            note("telling told.txt")
            waitForTheTest()
        }
        try? contents.write(to: original(identifier))
        note("changed \(identifier.rawValue)")
        if identifier.rawValue == "ask.txt" { askTheEngine() }
        domain.flatMap { NSFileProviderManager(for: $0) }?.signalEnumerator(for: .rootContainer) { _ in }
    }
}
