import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Serves requests about names: looks up, creates, removes and renames items.
extension DomainFileSystem {
    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        // All names in this file system are UTF-8.
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        guard name.count <= 255 else { return reply.fail(.nameTooLong) }
        lookUp(text, in: ItemNumber(parent), mayWait: true, reply)
    }

    private func lookUp(_ name: String, in parent: ItemNumber, mayWait: Bool, _ reply: Reply<Entry>) {
        do throws(Errno) {
            if let item = try reading({ () throws(IndexError) in try index.item(named: name, in: parent) }) {
                notifications.lookedUp(in: parent)
                return reply.reply(entry(for: item))
            }
            // The negative entry is recorded before the listing's state is read. A thread that adds the name later then
            // finds the record and notifies the kernel.
            notifications.willDeny(namesIn: parent)
            guard let folder = try reading({ () throws(IndexError) in try index.item(parent) }) else {
                // The kernel may still use the former number of a directory that has been moved to the trash.
                throw removed[parent] == nil && engine.trashSupport == .supported ? .staleHandle : .noSuchFile
            }
            guard folder.item.kind == .folder else { throw .notDirectory }
            let isComplete = folder.listing == .complete
            if isComplete || !mayWait {
                // The item may have been added between the two queries.
                if let item = try reading({ () throws(IndexError) in try index.item(named: name, in: parent) }) {
                    return reply.reply(entry(for: item))
                }
                guard isComplete else { throw .noSuchFile }
                return reply.reply(.none(nameValidity: Self.validity))
            }
        } catch {
            return reply.fail(error)
        }
        let waiting = engine.list(parent, needs: .item(named: name)) { [self] result in
            switch result {
            case .success: lookUp(name, in: parent, mayWait: false, reply)
            case .failure(let failure): reply.fail(Errno(failure))
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    func makeDirectory(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>) {
        edit(reply) { (engine, files) throws(EditError) in
            var mode = mode & 0o7777
            // A new directory inherits the set-group-ID bit of its parent.
            if let folder = try? files.index.item(ItemNumber(parent)) { mode |= folder.fullMode & UInt32(S_ISGID) }
            let item = try engine.localEdits.makeFolder(
                named: name.asNewName(), in: ItemNumber(parent), mode: UInt16(truncatingIfNeeded: mode), engine)
            return files.entry(for: item)
        } ifDone: { [self] error in
            error == .fileExists ? entry(of: name, in: parent) { $0.kind == .folder } : nil
        }
    }

    func makeSymbolicLink(_ name: Name, in parent: NodeID, target: Name, _ reply: Reply<Entry>) {
        guard let target = target.text else { return reply.fail(Errno(rawValue: EILSEQ)) }
        edit(reply) { (engine, files) throws(EditError) in
            let item = try engine.localEdits.makeSymbolicLink(
                named: name.asNewName(), in: ItemNumber(parent), target: target, engine)
            return files.entry(for: item)
        } ifDone: { [self] error in
            error == .fileExists ? entry(of: name, in: parent) { $0.linkTarget?.hasSameBytes(as: target) == true } : nil
        }
    }

    func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>) {
        // Providers store files and directories, but no pipes, sockets or devices.
        guard mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { return reply.fail(.notPermitted) }
        edit(reply) { (engine, files) throws(EditError) in
            let item = try engine.localEdits.createFile(
                named: name.asNewName(), in: ItemNumber(parent), mode: UInt16(truncatingIfNeeded: mode & 0o7777), engine
            )
            return files.entry(for: item)
        } ifDone: { [self] error in
            error == .fileExists ? entry(of: name, in: parent) { $0.kind == .file } : nil
        }
    }

    func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        // No provider supports hard links.
        reply.fail(.notPermitted)
    }

    func unlink(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        edit(reply) { (engine, files) throws(EditError) in
            files.removed.add(try engine.localEdits.remove(text, in: ItemNumber(parent), engine))
            return Done()
        } ifDone: { error in
            error == .noSuchFile ? Done() : nil
        }
    }

    func removeDirectory(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        edit(reply) { (engine, files) throws(EditError) in
            files.removed.add(try engine.localEdits.removeFolder(text, in: ItemNumber(parent), engine))
            return Done()
        } ifDone: { error in
            error == .noSuchFile ? Done() : nil
        }
    }

    func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>
    ) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        guard flags.subtracting([.noReplace, .exchange]).isEmpty else { return reply.fail(.invalidArgument) }
        if reply.isRepeated, flags.contains(.exchange) {
            // The previous daemon may have completed the exchange, and a second exchange would undo it.
            for (name, parent) in [(name, parent), (newName, newParent)] { session?.invalidateEntry(name, in: parent) }
            return reply.fail(.inputOutput)
        }
        edit(reply) { (engine, files) throws(EditError) in
            let replaced = try engine.localEdits.rename(
                text, in: ItemNumber(parent), to: newName.asNewName(), in: ItemNumber(newParent),
                flags.contains(.exchange) ? .exchanging : flags.contains(.noReplace) ? .onlyToFreeName : .replacing,
                engine)
            if let replaced { files.removed.add(replaced) }
            return Done()
        } ifDone: { [self] error in
            error == .noSuchFile && entry(of: newName, in: newParent, where: { _ in true }) != nil ? Done() : nil
        }
    }

    func forget(_ node: NodeID, count: UInt64) { removed.forget(ItemNumber(node)) }

    /// Returns the entry of the item that the first attempt of a repeated request created; `nil` if no such item has
    /// the name.
    private func entry(of name: Name, in parent: NodeID, where isIt: (ProviderItem) -> Bool) -> Entry? {
        guard let text = name.text, let item = try? index.item(named: text, in: ItemNumber(parent)), isIt(item.item)
        else {
            return nil
        }
        return entry(for: item)
    }

    /// Runs an edit on the engine's thread and replies with its result.
    ///
    /// - Parameter ifDone: Called if a repeated request fails. Returns the reply of the request's first attempt if that
    ///   attempt succeeded.
    func edit<Content: SendableMetatype>(
        _ reply: Reply<Content>,
        _ body: @escaping @Sendable (isolated DomainEngine, DomainFileSystem) throws(EditError) -> Content,
        ifDone: @escaping @Sendable (Errno) -> Content? = { _ in nil }
    ) {
        edit(
            reply, attempt: 1, body,
            failed: { error in
                if reply.isRepeated, let answer = ifDone(error) { reply.reply(answer) } else { reply.fail(error) }
            },
            succeeded: { reply.reply($0) })
    }

    /// Runs an edit on the engine's thread. If the edit requires a complete listing of a directory, lists the directory
    /// and retries the edit.
    ///
    /// - Parameters:
    ///   - reply: The reply of the request. Interrupting the request ends the wait for a listing.
    ///   - failed, succeeded: Called on the engine's thread.
    func edit<Content: SendableMetatype, Outcome: SendableMetatype>(
        _ reply: Reply<Content>, attempt: Int = 1,
        _ body: @escaping @Sendable (isolated DomainEngine, DomainFileSystem) throws(EditError) -> Outcome,
        failed: @escaping @Sendable (Errno) -> Void, succeeded: @escaping @Sendable (Outcome) -> Void
    ) {
        engine.perform { [self] engine in
            do throws(EditError) {
                // The kernel knows the effects of its own request.
                succeeded(try notifications.withoutInvalidating { () throws(EditError) in try body(engine, self) })
            } catch {
                guard let folder = error.unlistedFolder, attempt < Self.attemptLimit else {
                    return failed(error.errno)
                }
                let timeLimit = TimeLimit()
                let waiting = engine.list(folder, needs: .complete) { [self] result in
                    switch result {
                    case .success: edit(reply, attempt: attempt + 1, body, failed: failed, succeeded: succeeded)
                    case .failure(let failure): failed(timeLimit.isOver ? Errno(rawValue: EBUSY) : Errno(failure))
                    }
                }
                reply.onInterrupt { waiting.cancel() }
                // Until the reply, the kernel holds the lock of the directory and blocks other accesses to it. After
                // the time limit, the request fails, but the listing continues, so that a later attempt need not wait.
                engine.clock.run(after: Self.longestLockTime) {
                    timeLimit.end()
                    waiting.cancel()
                }
            }
        }
    }

    /// Runs an edit of an item that the kernel identifies by inode number. If the item has another number now or was
    /// removed, the edit fails with `ESTALE`, and the kernel looks up the name again.
    static func ofNode<Value>(_ edit: () throws(EditError) -> Value) throws(EditError) -> Value {
        do throws(EditError) {
            return try edit()
        } catch {
            throw error.errno == .noSuchFile ? EditError(.staleHandle) : error
        }
    }

    /// The time in seconds for which an edit may hold the kernel's lock on a directory.
    private static let longestLockTime = 2.0

    /// Records whether a wait ended because of the time limit, and not because of an interruption.
    private final class TimeLimit: Sendable {
        // Leaf lock.
        private let state = Lock(false)

        var isOver: Bool { state.withLock { $0 } }

        func end() { state.withLock { $0 = true } }
    }

    /// The maximum number of attempts of an edit that waits for the listing of a directory. A listing may become
    /// outdated again before each attempt.
    private static let attemptLimit = 4
}

extension Name {
    /// Returns the name for a new item. Throws if the name is not valid UTF-8, because providers require text.
    func asNewName() throws(EditError) -> String {
        guard let text else { throw EditError(Errno(rawValue: EILSEQ)) }
        guard count <= 255 else { throw EditError(.nameTooLong) }
        return text
    }
}
