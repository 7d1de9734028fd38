import FileProvider
import Foundation
import Glibc

/// The peer as a replicated extension. It also misbehaves as identifiers and names state.
class ReplicaPeer: NSObject, NSFileProviderReplicatedExtension {
    let catalogue: Catalogue
    let folder: URL
    private let manager: NSFileProviderManager?

    required init(domain: NSFileProviderDomain) {
        folder = URL(fileURLWithPath: domain.userInfo?["path"] as? String ?? NSHomeDirectory(), isDirectory: true)
        catalogue = Catalogue(folder)
        manager = NSFileProviderManager(for: domain)
        super.init()
        note("begin \(getpid()) \(domain.identifier.rawValue) \(domain.isReplicated)")
    }

    func invalidate() { note("invalidate") }

    func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        note("materialized")
        completionHandler()
        completionHandler()
    }

    func pendingItemsDidChange() async { note("pending") }

    func importDidFinish(completionHandler: @escaping @Sendable () -> Void) {
        note("imported")
        completionHandler()
        completionHandler()
    }

    private func failure(_ code: NSFileProviderError.Code) -> any Error { NSFileProviderError(code) }

    private func text(_ version: NSFileProviderItemVersion) -> String {
        String(decoding: version.contentVersion, as: UTF8.self)
    }

    // MARK: Items

    func enumerator(
        for container: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> NSFileProviderEnumerator {
        note("enumerator \(container.rawValue) \(request.isSystemRequest)")
        if container == .trashContainer { throw CocoaError(.featureUnsupported) }
        return PeerEnumerator(container.rawValue, catalogue) { [weak self] in self?.note($0) }
    }

    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping (NSFileProviderItem?, Error?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        if let error = RefusedConnections.error(identifier.rawValue) {
            completionHandler(nil, error)
            return progress
        }
        switch identifier.rawValue {
        case "never": progress.cancellationHandler = { [weak self] in self?.note("cancelled never") }
        case "crash": abort()
        case "state":
            let place = (try? manager?.stateDirectoryURL().path) ?? "none"
            completionHandler(PeerItem(Entry(identifier: "state", parent: "p", name: place)), nil)
        default:
            let entry = catalogue.entry(identifier.rawValue)
            completionHandler(entry.map { PeerItem($0) }, entry == nil ? failure(.noSuchItem) : nil)
        }
        return progress
    }

    func fetchContents(
        for identifier: NSFileProviderItemIdentifier, version: NSFileProviderItemVersion?,
        request: NSFileProviderRequest, completionHandler: @escaping (URL?, NSFileProviderItem?, Error?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        note("fetch \(identifier.rawValue)")
        guard let entry = catalogue.entry(identifier.rawValue), let manager else {
            completionHandler(nil, nil, failure(.noSuchItem))
            return progress
        }
        do {
            let url = try manager.temporaryDirectoryURL().appendingPathComponent(UUID().uuidString)
            switch identifier.rawValue {
            case "handed-folder":
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case "downloaded":
                RegisteredDownload.begin(identifier.rawValue, manager, folder) { file in
                    do {
                        try FileManager.default.moveItem(at: try file.get(), to: url)
                        completionHandler(url, PeerItem(entry), nil)
                    } catch { completionHandler(nil, nil, error) }
                }
                return progress
            case "handed-pipe": mkfifo(url.path, 0o600)
            case "handed-nothing":
                completionHandler(nil, PeerItem(entry), nil)
                return progress
            case "somebodys-own":
                let own = folder.appendingPathComponent("somebodys own file")
                try entry.contents.write(to: own)
                completionHandler(own, PeerItem(entry), nil)
                return progress
            case "late":
                // Sendable in effect: no other thread uses it.
                nonisolated(unsafe) let completionHandler = completionHandler
                progress.cancellationHandler = { [self] in
                    try? entry.contents.write(to: url)
                    completionHandler(url, PeerItem(entry), nil)
                    note("handed late \(FileManager.default.fileExists(atPath: url.path))")
                }
                return progress
            default: try entry.contents.write(to: url)
            }
            completionHandler(url, identifier.rawValue == "without-item" ? nil : PeerItem(entry), nil)
            completionHandler(nil, nil, failure(.serverUnreachable))
        } catch {
            completionHandler(nil, nil, error)
        }
        return progress
    }

    // MARK: Changes

    private func read(_ url: URL) -> Data? {
        note("handed \(url.lastPathComponent), a file at its path: \(FileManager.default.fileExists(atPath: url.path))")
        return try? FileProviderContents.open(url).readToEnd()
    }

    func createItem(
        basedOn template: NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions = [], request: NSFileProviderRequest,
        completionHandler: @escaping (NSFileProviderItem?, NSFileProviderItemFields, Bool, Error?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        let (name, parent) = (template.filename, template.parentItemIdentifier.rawValue)
        note("create \(template.itemIdentifier.rawValue) \(fields.rawValue) \(template.contentType?.identifier ?? "-")")
        if options.contains(.mayAlreadyExist) { note("create \(name) that may already exist") }
        switch name {
        case "dropped": completionHandler(nil, [], false, nil)
        case "excluded": completionHandler(nil, [], false, failure(.excludedFromSync))
        default:
            if let same = catalogue.entry(named: name, in: parent) {
                completionHandler(nil, [], false, NSError.fileProviderErrorForCollision(with: PeerItem(same)))
                break
            }
            var entry = Entry(identifier: UUID().uuidString, parent: parent, name: name)
            entry.isFolder = template.contentType == .folder
            entry.linkTarget = template.symlinkTargetPath ?? nil
            entry.contents = url.flatMap { read($0) } ?? Data()
            if name == "renamed" { entry.name = "renamed 2" }
            if name == "without contents" { entry.contents = Data() }
            if name == "translated" { entry.contents = Data("other contents".utf8) }
            catalogue.add(entry)
            completionHandler(
                PeerItem(entry), name == "without contents" ? .contents : [], name == "translated", nil)
        }
        return progress
    }

    func modifyItem(
        _ item: NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions = [], request: NSFileProviderRequest,
        completionHandler: @escaping (NSFileProviderItem?, NSFileProviderItemFields, Bool, Error?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        let identifier = item.itemIdentifier.rawValue
        note("modify \(identifier) \(changedFields.rawValue) \(text(version)) \(options.rawValue)")
        switch identifier {
        case "gone-when-changed": completionHandler(nil, [], false, nil)
        case "takes-nothing": completionHandler(item, changedFields, false, nil)
        case "conflicting": completionHandler(nil, [], false, failure(.localVersionConflictingWithServer))
        default:
            let entry = catalogue.change(identifier) { entry in
                if changedFields.contains(.filename) { entry.name = item.filename }
                if changedFields.contains(.parentItemIdentifier) { entry.parent = item.parentItemIdentifier.rawValue }
                if changedFields.contains(.tagData) { entry.tagData = item.tagData ?? nil }
                if changedFields.contains(.contentModificationDate) {
                    entry.modified = item.contentModificationDate ?? nil
                }
                if changedFields.contains(.fileSystemFlags) { entry.permissions = item.fileSystemFlags?.rawValue }
                if changedFields.contains(.extendedAttributes) { entry.attributes = item.extendedAttributes }
                if let newContents, let data = read(newContents) {
                    entry.contents = identifier == "translated" ? Data("other contents".utf8) : data
                    entry.version += 1
                }
            }
            if identifier == "killed-when-changed" { kill(getpid(), SIGKILL) }
            completionHandler(
                entry.map { PeerItem($0) }, [], identifier == "translated", entry == nil ? failure(.noSuchItem) : nil)
        }
        return progress
    }

    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions = [], request: NSFileProviderRequest,
        completionHandler: @escaping (Error?) -> Void
    ) -> Progress {
        note("delete \(identifier.rawValue) \(text(version)) \(options.rawValue)")
        let isEmpty = catalogue.children(of: identifier.rawValue).isEmpty
        if !isEmpty, !options.contains(.recursive) {
            completionHandler(failure(.directoryNotEmpty))
        } else {
            completionHandler(catalogue.remove(identifier.rawValue) ? nil : failure(.noSuchItem))
        }
        return Progress(totalUnitCount: 1)
    }
}

/// A replicated extension that only reads the contents that the system passes to it.
final class ReadingPeer: ReplicaPeer, FileProviderReadingContents {}

/// Protocols that are optional for a provider.
extension ReplicaPeer: NSFileProviderServicing, NSFileProviderThumbnailing {
    func supportedServiceSources(
        for identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping ([NSFileProviderServiceSource]?, Error?) -> Void
    ) -> Progress {
        completionHandler([PeerService(), PeerService(isRestricted: true)], nil)
        return Progress(totalUnitCount: 1)
    }

    func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, Error?) -> Void,
        completionHandler: @escaping (Error?) -> Void
    ) -> Progress {
        for identifier in identifiers { perThumbnailCompletionHandler(identifier, Data("picture".utf8), nil) }
        completionHandler(nil)
        return Progress(totalUnitCount: 1)
    }
}

private final class PeerService: NSObject, NSFileProviderServiceSource {
    let isRestricted: Bool

    init(isRestricted: Bool = false) { self.isRestricted = isRestricted }

    var serviceName: NSFileProviderServiceName {
        NSFileProviderServiceName(rawValue: isRestricted ? "org.example.own" : "org.example.all")
    }

    func makeListenerEndpoint() throws -> NSXPCListenerEndpoint { throw CocoaError(.featureUnsupported) }
}
