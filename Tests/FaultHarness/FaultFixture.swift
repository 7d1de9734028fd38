import Conduit
import DaemonTesting
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProgramTesting
import ScriptableService

/// A service, a daemon with one of its domains, and the mount, for one trial. All calls block.
final class FaultFixture: Sendable {
    let service: any TrialService
    let daemon: StartedDaemon
    /// The disk of the engine's data, which becomes full.
    private let disk: Lock<FullDisk?>
    /// The number of seconds within which the provider must reply or continue a transfer.
    private let answerTime: Double
    /// Whether the daemon's keeper starts the next daemon.
    let hasKeeper: Bool
    /// Whether a signal of changes at the service has not reached a daemon yet.
    private let owesNotice = Lock(false)

    static let domain = "Cloud"

    var home: String { daemon.home }
    var mount: String { daemon.locations.mounts + "/" + Self.domain }
    var data: String { daemon.locations.domains + "/" + Self.domain }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - options: The run's options.
    ///   - bundle: The path of the provider's bundle.
    ///   - fault: The fault that is to occur.
    ///   - answerTime: The number of seconds that the provider may take to reply, or to continue a transfer.
    init(_ options: Harness.Options, bundle: String, _ fault: Fault?, answerTime: Double) throws {
        hasKeeper = options.hasKeeper
        self.answerTime = answerTime
        // The path is short, as that of a socket has to be.
        let home = (NSTemporaryDirectory() as NSString).standardizingPath + "/pvf-" + UUID().uuidString.prefix(8)
        daemon = try StartedDaemon(home: home)
        try FileManager.default.createDirectory(
            atPath: daemon.locations.data, withIntermediateDirectories: true)
        var small: FullDisk?
        if fault?.kind == .fill {
            // The data of providers are not among those of domains.
            let path = if case .provider = fault?.place { daemon.locations.data } else { daemon.locations.domains }
            small = try FullDisk(megabytes: 64, at: path)
        }
        disk = Lock(small)
        service =
            if let model = options.model.scripted {
                try ScriptedService(model, home: home)
            } else {
                try ServerService(options.model, options.server, for: daemon)
            }
        try Data().write(to: URL(fileURLWithPath: service.stepLog))
        try ExtensionLibrary(data: daemon.locations.data).install(path: bundle, link: true)
    }

    /// Ends the daemon and the service, and removes all files.
    ///
    /// - Parameter keepsFiles: Whether the home directory remains for inspection.
    /// - Returns: A loss if the home directory cannot be removed.
    func end(keepsFiles: Bool = false) -> Loss? {
        _ = daemon.end()
        service.end()
        if keepsFiles, disk.withLock({ $0 != nil }) {
            let copy = ["-a", daemon.locations.domains, home + "/domains on the small disk"]
            _ = try? ChildProgram.start("/bin/cp", arguments: copy, descriptors: []).wait()
        }
        disk.withLock { $0 = nil }
        if keepsFiles { return nil }
        return daemon.removeHome(mount: mount) ? nil : Loss(.leftBehind, "", "\(home) cannot be removed")
    }

    // MARK: The daemon

    func start(dyingAt point: String? = nil, providerDyingAt providerPoint: String? = nil) throws {
        let times = zip(
            [ProviderProcessOptions.answerKey, ProviderProcessOptions.transferKey, ProviderProcessOptions.patienceKey],
            [answerTime, answerTime, 1]
        ).map { "\($0)=\($1)" }
        try daemon.start(
            dyingAt: point, providerDyingAt: providerPoint, hasKeeper: hasKeeper,
            ["PURVEY_FAULT_LOG=" + service.stepLog] + times)
    }

    @discardableResult
    func call<C: Call>(_ request: C) throws -> C.Reply {
        guard let connection = daemon.connection else { throw Failed(description: "there is no daemon") }
        return try connection.callAndWait(request)
    }

    func item(_ path: String) -> ItemPlace {
        ItemPlace(text: Self.domain + ":" + path, path: mount + "/" + path)
    }

    /// Returns the domain's activity, or `nil` if the domain does not exist.
    func activity() throws -> DomainActivity? {
        try call(DomainsStatusCall()).domains.first { $0.domain.name == Self.domain }
    }

    /// The domain's activity while it is mounted.
    var mountedActivity: DomainActivity? {
        guard let activity = try? activity(), activity.domain.mount == mount else { return nil }
        return activity
    }

    var isMounted: Bool { mountedActivity != nil }

    /// Signals a change at the service. A service signals only once, and the engine has to request the changes even
    /// after later failures. A signal that reached no daemon is repeated when a daemon runs.
    func giveNotice(isNew: Bool = false) {
        let isOwed = owesNotice.withLock { owesNotice in
            owesNotice = owesNotice || isNew
            return owesNotice
        }
        guard isOwed, (try? call(SignalDomainCall(name: Self.domain, container: nil))) != nil else { return }
        owesNotice.withLock { $0 = false }
    }

    /// Makes the engine retry pending work at once.
    func retry() { _ = try? call(RetryDomainCall(name: Self.domain)) }

    /// The last lines of the logs of the daemon and of the daemon that its keeper has started.
    var endOfLog: String {
        let texts = [home + "/daemon.log", daemon.locations.log].map {
            (try? String(contentsOfFile: $0, encoding: .utf8)) ?? ""
        }
        return texts.flatMap { $0.split(separator: "\n").suffix(15) }.map { "\n        \($0)" }.joined()
    }

    // MARK: The disk

    func fillDisk() throws { try disk.withLock { try $0?.fill() } }

    func makeRoom() {
        // Fails if the disk is not full.
        try? disk.withLock { try $0?.makeRoom() }
    }

    // MARK: Steps

    /// Returns the number of times that each step was reached.
    func steps() -> [String: Int] {
        let text = (try? String(contentsOfFile: service.stepLog, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { $0[String($1), default: 0] += 1 }
    }

    /// Returns the number of requests of each kind that the service has received.
    func requests() -> [String: Int] { (try? service.requests()) ?? [:] }

    /// Whether the fault, in the provider or its service, has occurred.
    func hasCome(to fault: Fault?) -> Bool {
        guard let fault else { return false }
        switch fault.place {
        case .engine, .provider: return steps()["fault " + fault.place.name] != nil
        case .request, .answer, .asked: return requests()[fault.place.name, default: 0] >= fault.count
        }
    }

    // MARK: Trees

    /// Creates the service's initial items.
    func fill(_ tree: [String: String]) throws {
        for (path, what) in tree.sorted(by: { $0.key < $1.key }) {
            if what == "folder" {
                try service.makeFolder(path)
            } else {
                try service.put(path, what)
            }
        }
    }

    /// Compares the index with the service. The daemon must have ended.
    func compareIndex() throws -> [Loss] {
        let index = try Index(path: data + "/index.db")
        let all = try service.snapshot()
        let snapshot = all.filter { !Self.isInTrash($0.key) }
        var losses = try compareTrash(index, all)
        var seen: Set<String> = []
        func compare(_ folder: ItemNumber, _ prefix: String) throws(IndexError) {
            var children: [IndexedItem] = []
            try index.children(of: folder) {
                children.append($0)
                return true
            }
            for child in children {
                let path = prefix + child.name
                seen.insert(path)
                var words = Self.difference(child, snapshot[path])
                if words == nil, let item = snapshot[path]?.item { words = try difference(index, child, item) }
                if let words { losses.append(Loss(.indexDiffers, path, words)) }
                if child.item.kind == .folder { try compare(child.number, path + "/") }
            }
        }
        try compare(.root, "")
        for path in snapshot.keys.sorted() where !seen.contains(path) {
            losses.append(Loss(.indexDiffers, path, "the index does not have it"))
        }
        return losses
    }

    private static func difference(_ row: IndexedItem, _ found: TrialItem?) -> String? {
        guard let found else { return "the service does not have it" }
        if !row.changes.isEmpty { return "changes \(row.changes.rawValue) wait" }
        if found.isFile, let words = difference(row, size: found.size) { return words }
        return found.item.flatMap { difference(row, $0) }
    }

    private static func difference(_ row: IndexedItem, size there: Int) -> String? {
        // A wrong size from the service is not shown if the contents are local.
        let size = row.content == .current ? row.localSize : row.item.size
        return size == Int64(there) ? nil : "it has \(size ?? -1) bytes, not \(there)"
    }

    private static func difference(_ row: IndexedItem, _ item: CloudItem) -> String? {
        if row.item.identifier != item.identifier { return "it is \(row.item.identifier), not \(item.identifier)" }
        let parent = item.parent == CloudItem.root ? ProviderItem.rootIdentifier : item.parent
        if row.item.parent != parent { return "it is in \(row.item.parent), not in \(parent)" }
        guard item.kind == .file else { return nil }
        let version = String(decoding: row.item.contentVersion, as: UTF8.self)
        return version == "\(item.version)" ? nil : "its version is \(version), not \(item.version)"
    }
}
