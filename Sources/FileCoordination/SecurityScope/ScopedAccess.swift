import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The items outside its container that this confined process has resolved, and the items to which it has access now.
///
/// A process that is not confined has no such items, because it may open all files that its user may open.
package final class ScopedAccess: Sendable {
    package static let shared = ScopedAccess(ScopedAccess.connection())

    private struct Entry {
        let token: UInt64
        /// The number of uses that have begun and not ended.
        var uses = 0
        /// The descriptor of the open item; `nil` while the process has no access.
        var item: FileDescriptor?
    }

    private let connection: Connection?
    // Held during calls to the daemon, so that no thread sees an access half begun. Replies arrive on a thread that
    // never takes this lock.
    private let entries = Lock<[String: Entry]>([:])

    /// Creates the state of this process.
    ///
    /// - Parameter connection: The connection to the daemon that started this process; `nil` if the process is not
    ///   confined.
    package init(_ connection: Connection?) { self.connection = connection }

    private static func connection() -> Connection? {
        guard let text = getenv(ScopeLink.environmentKey), let number = CInt(String(cString: text)), number > 2,
            fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        return try? Connection(try SequencedPacketSocket(checking: FileDescriptor(owning: number)))
    }

    /// Resolves a bookmark that a program outside this process's container created. Blocks until the daemon replies.
    ///
    /// - Returns: `nil` in a process that is not confined.
    func resolve(_ bookmark: Data, relativeTo base: ResolvedItem?) throws -> ResolveScopeCall.Reply? {
        guard let connection else { return nil }
        let request = ResolveScopeCall(bookmark: ByteString([UInt8](bookmark)), base: base?.descriptor)
        let reply = try Self.ask(connection, request)
        entries.withLock { entries in
            if entries[reply.path] == nil { entries[reply.path] = Entry(token: reply.token) }
        }
        return reply
    }

    /// Creates a new bookmark of a resolved item. Blocks until the daemon replies.
    ///
    /// - Returns: `nil` if the path does not belong to a resolved bookmark.
    func renewBookmark(
        of path: String, _ options: URL.BookmarkCreationOptions, keeping keys: Set<URLResourceKey>?,
        relativeTo base: URL?
    ) throws -> Data? {
        guard let connection, let token = entries.withLock({ $0[path]?.token }) else { return nil }
        let request = RenewBookmarkCall(
            token: token, options: UInt64(options.rawValue), base: try base?.foundItem().descriptor,
            keys: (keys ?? []).map(\.rawValue).sorted())
        let reply = try Self.ask(connection, request)
        return Data(reply.bookmark.bytes)
    }

    /// Begins a use of an item. The first use blocks until the daemon replies.
    ///
    /// - Returns: Whether the process has access to the item; `nil` if the path does not belong to a resolved bookmark.
    package func begin(_ path: String) -> Bool? {
        guard let connection else { return nil }
        return entries.withLock { entries -> Bool? in
            guard var entry = entries[path] else { return nil }
            if entry.item == nil {
                guard let reply = try? Self.ask(connection, BeginAccessCall(token: entry.token)) else { return false }
                entry.item = reply.item
            }
            entry.uses += 1
            entries[path] = entry
            return true
        }
    }

    /// Ends a use of an item. Does nothing if no use has begun.
    ///
    /// - Returns: `false` if the daemon could not end the access. The item then stays at its path until the process
    ///   ends, or until the next access to the item has ended. If the daemon itself has ended, the access has ended,
    ///   too.
    @discardableResult
    package func end(_ path: String) -> Bool {
        guard let connection else { return true }
        return entries.withLock { entries in
            guard var entry = entries[path], entry.uses > 0 else { return true }
            entry.uses -= 1
            defer { entries[path] = entry }
            guard entry.uses == 0 else { return true }
            entry.item = nil
            do throws(ConduitError) {
                _ = try connection.callAndWait(EndAccessCall(token: entry.token))
            } catch {
                if case .remote = error { return false }
            }
            return true
        }
    }

    /// Returns the item's descriptor from the daemon; `nil` if the process has no access to the item. The descriptor is
    /// open for reading, and for writing if the bookmark allows writing.
    package func item(at path: String) -> FileDescriptor? { entries.withLock { $0[path]?.item } }

    private static func ask<C: Call>(_ connection: Connection, _ request: C) throws -> C.Reply {
        do throws(ConduitError) {
            return try connection.callAndWait(request)
        } catch {
            throw error.scopeError
        }
    }
}

extension ConduitError {
    /// The Foundation error that corresponds to this error.
    fileprivate var scopeError: CocoaError {
        guard case .remote(let failure) = self, failure.domain == ScopeLink.domain else {
            return CocoaError(.fileReadNoPermission, userInfo: [NSDebugDescriptionErrorKey: "the daemon: \(self)"])
        }
        let code: CocoaError.Code
        switch ScopeLink.Refusal(rawValue: failure.code) {
        case .notAuthentic: code = .fileReadCorruptFile
        case .itemNotFound: code = .fileNoSuchFile
        case .notForThisBundle, .failed, nil: code = .fileReadNoPermission
        }
        return CocoaError(code, userInfo: [NSDebugDescriptionErrorKey: failure.message])
    }
}

/// Access to items outside of a confined process's container.
///
/// A process that is not confined may open all files that its user may open. For such a process, these functions have
/// no effect. A confined process gets a security-scoped bookmark from elsewhere, resolves it, and starts accessing the
/// URL. The daemon checks that the bookmark was made for this bundle and user, opens the item, and passes its
/// descriptor. During the access, the item also exists at the URL. For a file, the URL leads to the original file,
/// which can be read, and written in place if the bookmark allows writing. For a directory, and for a file on another
/// file system than the user's data, the URL leads to a read-only copy. Files cannot be created or renamed at the URL.
///
/// Source: Foundation, `NSURL.h`, security-scoped URLs.
extension URL {
    /// Begins access to an item that the user has chosen. Balance with ``stopAccessingSecurityScopedResource()``.
    ///
    /// Calls can be nested: the access ends with the last balancing call. The first call in a confined process blocks
    /// until the daemon has replied.
    ///
    /// - Returns: Whether the process has access. The result is `false` if the item does not exist any more, or if the
    ///   process may not access it. In this case, do not call ``stopAccessingSecurityScopedResource()``.
    public func startAccessingSecurityScopedResource() -> Bool {
        guard isFileURL else { return false }
        let path = bookmarkPath
        return ScopedAccess.shared.begin(path) ?? (access(path, F_OK) == 0)
    }

    /// Ends a use of an item. Does nothing if none was begun.
    public func stopAccessingSecurityScopedResource() {
        if isFileURL { ScopedAccess.shared.end(bookmarkPath) }
    }
}
