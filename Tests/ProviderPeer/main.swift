// A file provider for tests of the runtime and of its host. It keeps a small tree in its domain's directory, and
// misbehaves as the requested identifier says.
import AppExtension
import FileProvider
import Foundation
import Glibc
import LinuxSystem
import Synchronization

final class Peer: NSFileProviderExtension {
    let catalogue: Catalogue
    let folder: URL

    override init() {
        let path = ExtensionSurroundings.domain?.userInfo?["path"] as? String ?? NSHomeDirectory()
        folder = URL(fileURLWithPath: path, isDirectory: true)
        catalogue = Catalogue(folder)
        super.init()
        note("begin \(getpid())")
        if FileManager.default.fileExists(atPath: folder.path + "/crash-at-begin") { abort() }
    }

    private func failure(_ code: NSFileProviderError.Code) -> any Error { NSFileProviderError(code) }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        let name = identifier.rawValue
        note("item \(name)")
        if let error = RefusedConnections.error(name) { throw error }
        switch name {
        case "another": return PeerItem(Entry(identifier: "somebody-else", parent: "p", name: "x"))
        case "crash": abort()
        case "crash-once":
            let mark = folder.path + "/has-crashed"
            if !FileManager.default.fileExists(atPath: mark) {
                _ = FileManager.default.createFile(atPath: mark, contents: nil)
                abort()
            }
            return PeerItem(Entry(identifier: name, parent: "p", name: "x"))
        case "block": while true { sleep(1000) }
        case "stop": raise(SIGSTOP)
        case "garbage":
            // Bypasses the runtime and writes to the socket itself.
            _ = send(3, [UInt8](repeating: 0xFF, count: 100), 100, 0)
        case "pid": return PeerItem(Entry(identifier: name, parent: "p", name: "\(getpid())"))
        case "descriptors":
            let count = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
            return PeerItem(Entry(identifier: name, parent: "p", name: "\(count)"))
        case "storage":
            return PeerItem(
                Entry(
                    identifier: name, parent: domain?.pathRelativeToDocumentStorage ?? "", name: documentStorageURL.path
                ))
        case "watch": return PeerItem(Entry(identifier: name, parent: "p", name: watch(folder.path + "/watched")))
        case "watch-handle": return PeerItem(Entry(identifier: name, parent: "p", name: watch("/root", onlyPath: true)))
        case "news": return PeerItem(Entry(identifier: name, parent: "p", name: news()))
        case "signal":
            let domain = domain
            (domain.flatMap { NSFileProviderManager(for: $0) } ?? .default).signalEnumerator(for: .workingSet) { _ in }
            return PeerItem(Entry(identifier: name, parent: "p", name: "x"))
        case "resolved":
            let error = failure(.notAuthenticated)
            (domain.flatMap { NSFileProviderManager(for: $0) } ?? .default).signalErrorResolved(error) { _ in }
            return PeerItem(Entry(identifier: name, parent: "p", name: "x"))
        default: break
        }
        if name.hasPrefix("read ") {
            // Reports whether a path can be opened: the item's name is "done" or the error.
            let file = open(String(name.dropFirst(5)), O_RDONLY)
            let answer = file >= 0 ? "done" : String(cString: strerror(errno))
            if file >= 0 { close(file) }
            return PeerItem(Entry(identifier: name, parent: "p", name: answer))
        }
        guard let entry = catalogue.entry(name) else { throw failure(.noSuchItem) }
        return PeerItem(entry)
    }

    private let watcher = Mutex<(any FolderWatcher)?>(nil)

    /// Watches a directory, and returns the result as text.
    private func watch(_ path: String, onlyPath: Bool = false) -> String {
        do {
            try watcher.withLock { watcher in
                let known = try watcher ?? NSFileProviderManager.backend.folderWatcher()
                watcher = known
                _ = try known.watch(.open(path, onlyPath ? [.pathOnly, .directory] : [.readOnly, .directory]))
            }
            return "done"
        } catch {
            return "\(error)"
        }
    }

    private func news() -> String {
        let notices = watcher.withLock { try? $0?.notices.take() } ?? []
        return notices.isEmpty ? "none" : "some"
    }

    override func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        guard let domain else { return nil }
        return documentStorageURL.appendingPathComponent(domain.pathRelativeToDocumentStorage)
            .appendingPathComponent(identifier.rawValue).appendingPathComponent("file")
    }

    override func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        NSFileProviderItemIdentifier(url.deletingLastPathComponent().lastPathComponent)
    }

    override func providePlaceholder(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("placeholder \(url.deletingLastPathComponent().lastPathComponent)")
        completionHandler(failure(.noSuchItem))
    }

    override func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let identifier = url.deletingLastPathComponent().lastPathComponent
        note("start \(identifier)")
        switch identifier {
        case "never-provided": return
        case "downloaded":
            let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
            RegisteredDownload.begin(identifier, manager, folder) { file in
                do {
                    try FileManager.default.createDirectory(
                        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try FileManager.default.moveItem(at: try file.get(), to: url)
                    completionHandler(nil)
                } catch { completionHandler(error) }
            }
            return
        case "not-written": return completionHandler(nil)
        case "killed-while-provided": kill(getpid(), SIGKILL)
        case "pipe":
            try? FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            mkfifo(url.path, 0o600)
            return completionHandler(nil)
        case "provided-twice":
            completionHandler(failure(.serverUnreachable))
            return completionHandler(nil)
        default: break
        }
        guard let entry = catalogue.entry(identifier) else { return completionHandler(failure(.noSuchItem)) }
        let folder = url.deletingLastPathComponent()
        let isFirst = !FileManager.default.fileExists(atPath: folder.path)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try entry.contents.write(to: url)
            if identifier == "removed-once", isFirst { try FileManager.default.removeItem(at: url) }
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    override func stopProvidingItem(at url: URL) {
        note("stop \(url.deletingLastPathComponent().lastPathComponent)")
        try? FileManager.default.removeItem(at: url)
    }

    override func itemChanged(at url: URL) {
        let identifier = url.deletingLastPathComponent().lastPathComponent
        note("changed \(identifier)")
        guard let contents = try? Data(contentsOf: url) else { return }
        catalogue.change(identifier) { entry in
            entry.contents = contents
            entry.version += 1
        }
        if identifier == "killed-when-changed" { kill(getpid(), SIGKILL) }
    }

    override func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        note("enumerator \(containerItemIdentifier.rawValue)")
        return PeerEnumerator(containerItemIdentifier.rawValue, catalogue) { [weak self] in self?.note($0) }
    }

    override func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        let parent = parentItemIdentifier.rawValue
        if parent == "import-nothing" { return completionHandler(nil, nil) }
        if let same = catalogue.entry(named: fileURL.lastPathComponent, in: parent) {
            return completionHandler(nil, NSError.fileProviderErrorForCollision(with: PeerItem(same)))
        }
        do {
            var entry = Entry(identifier: UUID().uuidString, parent: parent, name: fileURL.lastPathComponent)
            entry.contents = try Data(contentsOf: fileURL)
            catalogue.add(entry)
            if parent == "killed-after-import" { kill(getpid(), SIGKILL) }
            completionHandler(PeerItem(entry), nil)
        } catch {
            completionHandler(nil, error)
        }
    }

    override func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        var entry = Entry(identifier: UUID().uuidString, parent: parentItemIdentifier.rawValue, name: directoryName)
        entry.isFolder = true
        catalogue.add(entry)
        completionHandler(PeerItem(entry), nil)
    }

    override func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        note("rename \(itemName)")
        let entry = catalogue.change(itemIdentifier.rawValue) { $0.name = itemName }
        completionHandler(entry.map { PeerItem($0) }, entry == nil ? failure(.noSuchItem) : nil)
    }

    override func reparentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, newName: String?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        note("reparent \(parentItemIdentifier.rawValue) \(newName ?? "-")")
        let entry = catalogue.change(itemIdentifier.rawValue) { entry in
            entry.parent = parentItemIdentifier.rawValue
            if let newName { entry.name = newName }
        }
        completionHandler(entry.map { PeerItem($0) }, entry == nil ? failure(.noSuchItem) : nil)
    }

    override func deleteItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completionHandler(catalogue.remove(itemIdentifier.rawValue) ? nil : failure(.noSuchItem))
    }
}

NSExtensionMain()
