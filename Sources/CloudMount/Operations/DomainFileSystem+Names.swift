import FileProvider
import FileProviderEngine
import Fuse
import Glibc
import LinuxSystem

/// Names: what they lead to, and what makes, removes and changes them.
extension DomainFileSystem {
    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        // Every name here is UTF-8.
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        guard name.count <= 255 else { return reply.fail(.nameTooLong) }
        lookUp(text, in: ItemNumber(parent), mayWait: true, reply)
    }

    private func lookUp(_ name: String, in parent: ItemNumber, mayWait: Bool, _ reply: Reply<Entry>) {
        do throws(Errno) {
            if let item = try reading({ () throws(IndexFailure) in try index.item(named: name, in: parent) }) {
                notifications.lookedUp(in: parent)
                return reply.reply(entry(for: item))
            }
            // Noted before the index is asked whether everything is known: whoever adds the name later sees the note.
            notifications.willDeny(namesIn: parent)
            guard let folder = try reading({ () throws(IndexFailure) in try index.item(parent) }) else {
                throw .noSuchFile
            }
            guard folder.item.kind == .folder else { throw .notDirectory }
            let isComplete = folder.listing == .complete
            if isComplete || !mayWait {
                // It may have come between the two questions.
                if let item = try reading({ () throws(IndexFailure) in try index.item(named: name, in: parent) }) {
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

    func makeFolder(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>) {
        edit(reply) { (engine, files) throws(EditFailure) in
            var mode = mode & 0o7777
            // A folder that passes its group on has others do so too.
            if let folder = try? files.index.item(ItemNumber(parent)) { mode |= folder.fullMode & UInt32(S_ISGID) }
            let item = try engine.makeFolder(
                named: name.asNewName(), in: ItemNumber(parent), mode: UInt16(truncatingIfNeeded: mode))
            return files.entry(for: item)
        } ifDone: { [self] error in
            error == .fileExists ? entry(of: name, in: parent) { $0.kind == .folder } : nil
        }
    }

    func makeSymbolicLink(_ name: Name, in parent: NodeID, target: Name, _ reply: Reply<Entry>) {
        guard let target = target.text else { return reply.fail(Errno(rawValue: EILSEQ)) }
        edit(reply) { (engine, files) throws(EditFailure) in
            let item = try engine.makeSymbolicLink(
                named: name.asNewName(), in: ItemNumber(parent), target: target)
            return files.entry(for: item)
        } ifDone: { [self] error in
            error == .fileExists ? entry(of: name, in: parent) { $0.linkTarget == target } : nil
        }
    }

    func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>) {
        // A service has files and folders; pipes, sockets and devices are of this machine.
        guard mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { return reply.fail(.notPermitted) }
        edit(reply) { (engine, files) throws(EditFailure) in
            let item = try engine.createFile(
                named: name.asNewName(), in: ItemNumber(parent), mode: UInt16(truncatingIfNeeded: mode & 0o7777))
            return files.entry(for: item)
        } ifDone: { [self] error in
            error == .fileExists ? entry(of: name, in: parent) { $0.kind == .file } : nil
        }
    }

    func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        // No provider has files with several names.
        reply.fail(.notPermitted)
    }

    func remove(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        edit(reply) { (engine, files) throws(EditFailure) in
            files.removed.add(try engine.remove(text, in: ItemNumber(parent)))
            return Done()
        } ifDone: { error in
            error == .noSuchFile ? Done() : nil
        }
    }

    func removeFolder(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        edit(reply) { (engine, files) throws(EditFailure) in
            files.removed.add(try engine.removeFolder(text, in: ItemNumber(parent)))
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
            // Nobody can tell whether it was done; done twice it would be undone.
            for (name, parent) in [(name, parent), (newName, newParent)] { session?.invalidateEntry(name, in: parent) }
            return reply.fail(.inputOutput)
        }
        edit(reply) { (engine, files) throws(EditFailure) in
            let replaced = try engine.rename(
                text, in: ItemNumber(parent), to: newName.asNewName(), in: ItemNumber(newParent),
                flags.contains(.exchange) ? .exchanging : flags.contains(.noReplace) ? .onlyToFreeName : .replacing)
            if let replaced { files.removed.add(replaced) }
            return Done()
        } ifDone: { [self] error in
            error == .noSuchFile && entry(of: newName, in: newParent, where: { _ in true }) != nil ? Done() : nil
        }
    }

    func forget(_ node: NodeID, count: UInt64) { removed.forget(ItemNumber(node)) }

    /// An item that was made by a request that comes again, if that is what has the name.
    private func entry(of name: Name, in parent: NodeID, where isIt: (ProviderItem) -> Bool) -> Entry? {
        guard let text = name.text, let item = try? index.item(named: text, in: ItemNumber(parent)), isIt(item.item)
        else {
            return nil
        }
        return entry(for: item)
    }

    /// Runs an edit on the engine's thread and answers with what comes of it.
    ///
    /// - Parameter ifDone: of a request that comes again and fails with an error: the answer that it would have had before, where
    ///   what it asks for was done then.
    func edit<Content: SendableMetatype>(
        _ reply: Reply<Content>,
        _ body: @escaping @Sendable (isolated DomainEngine, DomainFileSystem) throws(EditFailure) -> Content,
        ifDone: @escaping @Sendable (Errno) -> Content? = { _ in nil }
    ) {
        edit(
            reply, attempt: 1, body,
            failed: { error in
                if reply.isRepeated, let answer = ifDone(error) { reply.reply(answer) } else { reply.fail(error) }
            },
            succeeded: { reply.reply($0) })
    }

    /// Runs an edit on the engine's thread. Where a folder has to be known completely first, it is listed and the edit is tried
    /// again.
    ///
    /// - Parameters:
    ///   - reply: whose caller may give up the wait for a listing.
    ///   - failed, succeeded: called on the engine's thread.
    func edit<Content: SendableMetatype, Outcome: SendableMetatype>(
        _ reply: Reply<Content>, attempt: Int = 1,
        _ body: @escaping @Sendable (isolated DomainEngine, DomainFileSystem) throws(EditFailure) -> Outcome,
        failed: @escaping @Sendable (Errno) -> Void, succeeded: @escaping @Sendable (Outcome) -> Void
    ) {
        engine.perform { [self] engine in
            do throws(EditFailure) {
                // The kernel knows of what it asked for itself.
                succeeded(try notifications.withoutTelling { () throws(EditFailure) in try body(engine, self) })
            } catch {
                guard let folder = error.unlistedFolder, attempt < Self.attemptLimit else {
                    return failed(error.errno)
                }
                let hold = Hold()
                let waiting = engine.list(folder, needs: .complete) { [self] result in
                    switch result {
                    case .success: edit(reply, attempt: attempt + 1, body, failed: failed, succeeded: succeeded)
                    case .failure(let failure): failed(hold.isOver ? Errno(rawValue: EBUSY) : Errno(failure))
                    }
                }
                reply.onInterrupt { waiting.cancel() }
                // Until it is answered, the kernel lets nobody else into the folder that the other one is in. The listing goes
                // on, so that a later attempt need not wait.
                engine.clock.run(after: Self.longestHold) {
                    hold.end()
                    waiting.cancel()
                }
            }
        }
    }

    /// Runs an edit of an item that the kernel speaks of by its number. Of one that has another number by now, or none, the kernel looks up
    /// the name again.
    static func ofNode<Value>(_ edit: () throws(EditFailure) -> Value) throws(EditFailure) -> Value {
        do throws(EditFailure) {
            return try edit()
        } catch {
            throw error.errno == .noSuchFile ? EditFailure(.staleHandle) : error
        }
    }

    /// How many seconds a folder may be held up by what is to be done in it.
    private static let longestHold = 2.0

    /// Tells a wait that was too long from one that somebody gave up.
    private final class Hold: Sendable {
        // Innermost.
        private let state = Lock(false)

        var isOver: Bool { state.withLock { $0 } }

        func end() { state.withLock { $0 = true } }
    }

    /// A folder that is forgotten as often as it is listed is not waited for any longer.
    private static let attemptLimit = 4
}

extension Name {
    /// The name for a new item: services have names that are text.
    func asNewName() throws(EditFailure) -> String {
        guard let text else { throw EditFailure(Errno(rawValue: EILSEQ)) }
        guard count <= 255 else { throw EditFailure(.nameTooLong) }
        return text
    }
}
