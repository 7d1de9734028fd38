import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The items outside of its container that this confined process has resolved, and those that it has access to now.
///
/// In a process that is not confined there are none: it may open what its user may.
package final class ScopedAccess: Sendable {
    package static let shared = ScopedAccess(ScopedAccess.connection())

    private struct Entry {
        let token: UInt64
        /// How many times access was begun and not ended.
        var uses = 0
        /// The item itself, while there is access.
        var item: FileDescriptor?
    }

    private let connection: Connection?
    // Held while the daemon is asked, so that nobody finds an access half begun; the answers come on a thread that
    // never takes it.
    private let entries = Lock<[String: Entry]>([:])

    /// - Parameter connection: to the daemon that has started this process; `nil` where it is not confined.
    package init(_ connection: Connection?) { self.connection = connection }

    private static func connection() -> Connection? {
        guard let text = getenv(ScopeLink.environmentKey), let number = CInt(String(cString: text)), number > 2,
            fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        return try? Connection(try SequencedPacketSocket(checking: FileDescriptor(owning: number)))
    }

    /// Asks the daemon where a bookmark leads that was made outside of this process's container. Blocks.
    ///
    /// - Returns: `nil` in a process that is not confined.
    func resolve(_ bookmark: Data, relativeTo base: FoundItem?) throws -> ResolveScopeCall.Reply? {
        guard let connection else { return nil }
        let request = ResolveScopeCall(bookmark: ByteString([UInt8](bookmark)), base: base?.descriptor)
        let reply = try Self.ask(connection, request)
        entries.withLock { entries in
            if entries[reply.path] == nil { entries[reply.path] = Entry(token: reply.token) }
        }
        return reply
    }

    /// A new bookmark of a resolved item. Blocks.
    ///
    /// - Returns: `nil` for a path that no bookmark was resolved to.
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

    /// Begins one more use of an item. Blocks on the daemon for the first.
    ///
    /// - Returns: whether there is access; `nil` for a path that no bookmark was resolved to.
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

    /// Ends one use of an item. One that was not begun is ignored.
    package func end(_ path: String) {
        guard let connection else { return }
        entries.withLock { entries in
            guard var entry = entries[path], entry.uses > 0 else { return }
            entry.uses -= 1
            if entry.uses == 0 {
                entry.item = nil
                // A daemon that has gone has taken the access along.
                _ = try? Self.ask(connection, EndAccessCall(token: entry.token))
            }
            entries[path] = entry
        }
    }

    /// The item itself, as the daemon has handed it out: open for reading, and for writing where the bookmark allows it.
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
    /// As Foundation has it.
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
