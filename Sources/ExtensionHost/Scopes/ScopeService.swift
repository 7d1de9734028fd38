import Conduit
import Dispatch
import FileCoordination
import Foundation
import LinuxSystem
import Synchronization

/// The daemon's service for security-scoped bookmarks. It gives one confined process access to the items of its
/// bookmarks. The daemon knows the process's bundle, because it started the process with the socket that this service
/// uses.
final class ScopeService: Sendable {
    let bundle: String
    private let data: String
    let folder: ScopeFolder
    /// The path of the process's container, with symbolic links resolved.
    let container: String
    /// The paths of the directories of the process's groups, with symbolic links resolved.
    let groups: [String]
    /// The maximum number of items that one process may resolve. For each item, the daemon keeps two descriptors open.
    private static let limit = 256
    /// The limits of the connection. A bookmark with its resource values takes a few KiB. The process makes a call on a
    /// thread that blocks until the reply, so the number of its calls is limited by the number of its threads.
    static let limits = ConnectionLimits(
        messageSize: 4 << 20, callsInFlight: 1024, servedBytes: 16 << 20, servedDescriptors: 256,
        unclosedDescriptors: 256)
    /// The maximum number of resource values in one bookmark. It exceeds the number of resource keys that exist.
    private static let keyLimit = 256

    // Leaf lock: files are opened and copied after it is released.
    let items = Mutex<[UInt64: ScopedItem]>([:])

    /// Creates the service for one process.
    ///
    /// - Parameters:
    ///   - bundle: The identifier of the process's bundle.
    ///   - data: The directory of Purvey's data for this user.
    ///   - container: The process's own container.
    ///   - groups: The directories of the process's groups.
    init(bundle: String, data: String, folder: ScopeFolder, container: String, groups: [String]) {
        self.bundle = bundle
        self.data = data
        self.folder = folder
        self.container = Self.real(container)
        self.groups = groups.map { Self.real($0) }
    }

    private static func real(_ folder: String) -> String {
        (try? FileDescriptor.open(folder, [.readOnly, .directory]).path) ?? folder
    }

    func makeService() -> Service {
        // All calls wait for the file system. The queue is serial, so that many calls of a process delay only that
        // process.
        let disk = DispatchQueue(label: "purvey.scopes")
        var service = Service()
        service.on(ResolveScopeCall.self) { request, call in
            disk.async { self.answer(call) { try self.resolve(request) } }
        }
        service.on(BeginAccessCall.self) { request, call in
            disk.async {
                self.answer(call) {
                    BeginAccessCall.Reply(item: try self.item(request.token).begin { call.isCancelled })
                }
            }
        }
        service.on(EndAccessCall.self) { request, call in
            disk.async {
                self.answer(call) {
                    try self.item(request.token).end()
                    return Empty()
                }
            }
        }
        service.on(RenewBookmarkCall.self) { request, call in
            disk.async { self.answer(call) { try self.renew(request) } }
        }
        return service
    }

    /// The reason why access to an item is refused to a process.
    private struct ScopeError: Error {
        let refusal: ScopeLink.Refusal
        let message: String
    }

    private func answer<C: Call>(_ call: ServedCall<C>, _ body: () throws -> C.Reply) {
        do {
            call.reply(try body())
        } catch let fault as ScopeError {
            call.fail(domain: ScopeLink.domain, code: fault.refusal.rawValue, message: fault.message)
        } catch {
            call.fail(domain: ScopeLink.domain, code: ScopeLink.Refusal.failed.rawValue, message: "\(error)")
        }
    }

    private func item(_ token: UInt64) throws -> ScopedItem {
        guard let item = items.withLock({ $0[token] }) else {
            throw ScopeError(refusal: .itemNotFound, message: "no bookmark was resolved to item \(token)")
        }
        return item
    }

    private func resolve(_ request: ResolveScopeCall) throws -> ResolveScopeCall.Reply {
        let key = try BookmarkKey(data: data)
        let bookmark: Bookmark
        do throws(BookmarkSeal.SealError) {
            bookmark = try BookmarkSeal.open(Data(request.bookmark.bytes), key)
        } catch {
            throw ScopeError(refusal: .notAuthentic, message: "the bookmark was changed, or was not made by this user")
        }
        guard let scope = bookmark.scope, scope.isGood(for: bundle) else {
            throw ScopeError(
                refusal: .notForThisBundle,
                message: "the bookmark was not made for \(bundle), or before the machine was started")
        }
        let base = try request.base.map(base)
        let resolution: BookmarkResolution
        do {
            resolution = try BookmarkResolution(of: bookmark, relativeTo: base)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            throw ScopeError(refusal: .itemNotFound, message: "the bookmark's item was deleted, or cannot be found")
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            throw ScopeError(
                refusal: .notAuthentic, message: "the bookmark is relative to another file, or another user's")
        }
        // The user gave access to the bookmark's item, and not to another file that is now at its path.
        guard !resolution.isReplaced else {
            throw ScopeError(refusal: .itemNotFound, message: "another file has taken the place of the bookmark's item")
        }
        let (token, item) = try place(resolution.item, scope)
        return ResolveScopeCall.Reply(
            token: token, path: item.path, isDirectory: item.isDirectory, isStale: resolution.isStale)
    }

    /// Returns the number and the scoped item for an item that was found. If the item was resolved before, returns the
    /// existing ones.
    private func place(_ found: ResolvedItem, _ scope: Bookmark.Scope) throws -> (UInt64, ScopedItem) {
        let identity = try found.descriptor.status().identity
        let known = try items.withLock { items in
            try items.first { _, item in
                try item.item.descriptor.status().identity == identity && item.scope == scope
                    && item.item.path == found.path
            }
        }
        if let known { return (known.key, known.value) }
        // Nothing else adds items meanwhile, as the calls of one process run serially.
        let number = items.withLock { UInt64($0.count + 1) }
        guard number <= Self.limit else {
            throw ScopeError(refusal: .failed, message: "\(Self.limit) bookmarks are resolved already")
        }
        let item = try ScopedItem(found, scope, number: number, in: folder)
        items.withLock { $0[number] = item }
        return (number, item)
    }

    /// Returns the file that a relative bookmark is relative to. If the process passed its own copy of an item, or its
    /// link to the item, returns the original item.
    private func base(_ file: FileDescriptor) throws -> ResolvedItem {
        guard let path = file.path else { throw Errno.noSuchFile }
        let exact = ExactPath(path)
        let placed = items.withLock { Array($0.values) }.first {
            ExactPath($0.path) == exact || realPlace(of: $0) == exact
        }
        guard let placed else { return ResolvedItem(file, path: path) }
        return ResolvedItem(placed.item.descriptor, path: placed.item.descriptor.path ?? placed.item.path)
    }

    private func renew(_ request: RenewBookmarkCall) throws -> RenewBookmarkCall.Reply {
        let item = try item(request.token)
        let options = NSURL.BookmarkCreationOptions(rawValue: UInt(request.options))
        let scope = Bookmark.Scope(
            bundle: bundle,
            isReadOnly: item.scope.isReadOnly || options.contains(.securityScopeAllowOnlyReadAccess),
            session: item.scope.session)
        guard request.keys.count <= Self.keyLimit else {
            throw ScopeError(refusal: .failed, message: "a bookmark keeps at most \(Self.keyLimit) resource values")
        }
        var values: [BookmarkValue] = []
        if !request.keys.isEmpty {
            let path = item.item.descriptor.path ?? item.item.path
            values = try BookmarkValue.values(
                of: URL(fileURLWithPath: path, isDirectory: item.isDirectory),
                forKeys: request.keys.map { URLResourceKey(rawValue: $0) })
        }
        let bookmark = try Bookmark(
            options: options.rawValue, item: item.item, relativeTo: try request.base.map(base), scope: scope,
            values: values)
        let sealed = BookmarkSeal.seal(bookmark, try BookmarkKey(data: data))
        return RenewBookmarkCall.Reply(bookmark: ByteString([UInt8](sealed)))
    }
}

/// Maps the paths that the process uses for items to the paths that file coordination uses.
extension ScopeService: ConfinedPlaces {
    var name: String { bundle }

    var scopes: String { folder.realPath }

    func item(at path: String) -> PlacedItem? {
        let path = ExactPath(path)
        guard PlainPath.isBeneath(path, ExactPath(folder.realPath)) else { return nil }
        let known = items.withLock { Array($0.values) }
        for item in known {
            let place = realPlace(of: item)
            guard PlainPath.isAtOrBeneath(path, place) else { continue }
            // The file's current path is read from the descriptor. A file without a current path is coordinated under
            // its former path.
            return PlacedItem(
                path: place.string, realPath: item.item.descriptor.path ?? item.item.path, isWritable: item.isWritable)
        }
        return nil
    }

    /// Returns the path that the process uses for an item, with symbolic links resolved.
    func realPlace(of item: ScopedItem) -> ExactPath {
        PlainPath.moved(ExactPath(item.path), from: ExactPath(folder.path), to: ExactPath(folder.realPath))
    }
}
