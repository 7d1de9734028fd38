import FileProviderEngine
import FileProviderWire
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Moves items into the trash and out of the trash.
extension TrashView {
    func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>
    ) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        guard let newText = newName.text else { return reply.fail(Errno(rawValue: EILSEQ)) }
        guard flags.subtracting(.noReplace).isEmpty else { return reply.fail(.invalidArgument) }
        let isFree = flags.contains(.noReplace)
        switch (TrashTarget(parent), TrashTarget(newParent)) {
        case (nil, .files): moveIn(text, in: ItemNumber(parent), as: newText, reply)
        case (.files, nil): moveOut(text, to: newText, in: ItemNumber(newParent), reply)
        // The provider can restore an item of a trashed directory only together with that directory. After `EXDEV`,
        // programs copy the item instead.
        case (.item, nil), (.info, nil), (.top, nil): reply.fail(.crossDevice)
        case (.files, .expunged): expunge(text, reply)
        case (.top, .top):
            serve(reply) { engine throws(EditError) in
                guard TrashTarget.folders.allSatisfy({ $0.name != text && $0.name != newText }) else {
                    throw EditError(.notPermitted)
                }
                try Self.ifNotDone(reply.isRepeated) { () throws(EditError) in
                    try engine.localTrash.renamePlainFile(text, to: newText, onlyToFreeName: isFree)
                }
                return Done()
            }
        case (.info, .info):
            serve(reply) { engine throws(EditError) in
                try Self.ifNotDone(reply.isRepeated) { () throws(EditError) in
                    try engine.localTrash.renameInfoFile(text, to: newText, onlyToFreeName: isFree)
                }
                return Done()
            }
        default: reply.fail(.notPermitted)
        }
    }

    /// Runs `body`. If the request is repeated, ignores the error that the old name does not exist any more.
    private static func ifNotDone(_ isRepeated: Bool, _ body: () throws(EditError) -> Void) throws(EditError) {
        do throws(EditError) { try body() } catch  where error.errno == .noSuchFile && isRepeated {}
    }

    // MARK: Into the trash

    /// The time in seconds for which a move waits until an item's changes are sent.
    private static let longestWaitForEdits = 2.0

    private func moveIn(_ name: String, in parent: ItemNumber, as newName: String, _ reply: Reply<Done>) {
        engine.perform { [self] engine in
            do throws(EditError) {
                try trash(name, in: parent, as: newName, engine)
                reply.reply()
            } catch {
                guard error.errno == Errno(rawValue: EBUSY),
                    let row = try? engine.index.item(named: name, in: parent)
                else {
                    return reply.isRepeated && isDone(error, newName, engine) ? reply.reply() : reply.fail(error.errno)
                }
                moveIn(name, in: parent, as: newName, afterEditsOf: row.number, reply)
            }
        }
    }

    private func trash(
        _ name: String, in parent: ItemNumber, as newName: String, _ engine: isolated DomainEngine
    ) throws(EditError) {
        // The kernel already knows that the item has left its directory.
        try domain.notifications.withoutInvalidating { () throws(EditError) in
            try engine.localTrash.trash(name, in: parent, as: newName, engine)
        }
        // The kernel has cached the old node, which cannot be opened any more, under the name in the trash.
        domain.session?.invalidateEntry(Name(newName), in: TrashTarget.files.node)
    }

    private func isDone(_ error: EditError, _ newName: String, _ engine: isolated DomainEngine) -> Bool {
        error.errno == .noSuchFile && (try? engine.localTrash.item(named: newName)) != nil
    }

    /// Moves an item into the trash as soon as the provider has the item's changes, or fails with `EBUSY`.
    private func moveIn(
        _ name: String, in parent: ItemNumber, as newName: String, afterEditsOf number: ItemNumber,
        _ reply: Reply<Done>
    ) {
        let task = Task { [engine, self] in
            // The item is moved even if the wait fails. If the item's changes are still not sent, the move fails by
            // itself.
            _ = try? await engine.run { engine throws(ProviderError) in
                try await engine.progress.waitForEdits(below: number)
            }
            guard !Task.isCancelled else {
                return reply.fail(reply.isInterrupted ? .interrupted : Errno(rawValue: EBUSY))
            }
            engine.perform { [self] engine in
                do throws(EditError) {
                    try trash(name, in: parent, as: newName, engine)
                    reply.reply()
                } catch {
                    reply.fail(error.errno)
                }
            }
        }
        reply.onInterrupt { task.cancel() }
        engine.clock.run(after: Self.longestWaitForEdits) { task.cancel() }
    }

    // MARK: Out of the trash

    private func moveOut(_ name: String, to newName: String, in folder: ItemNumber, _ reply: Reply<Done>) {
        let isRepeated = reply.isRepeated
        serve(reply, upTo: Self.longestLockTime) { [self] engine throws(ProviderError) in
            let node = try known { () throws(IndexError) in try engine.localTrash.item(named: name) }
            guard let node else {
                let other = try known { () throws(IndexError) in try engine.index.item(named: newName, in: folder) }
                if isRepeated, other != nil { return Done() }
                throw ProviderError(.noSuchItem, message: "The trash has no such item.")
            }
            try await engine.localTrash.restore(node.number, to: folder, named: newName, engine)
            return Done()
        }
    }

    /// Removes an item permanently, with all of its contents if it is a directory.
    private func expunge(_ name: String, _ reply: Reply<Done>) {
        let isRepeated = reply.isRepeated
        serve(reply, upTo: Self.longestLockTime) { [self] engine throws(ProviderError) in
            let node = try known { () throws(IndexError) in try engine.localTrash.item(named: name) }
            guard let node else {
                if isRepeated { return Done() }
                throw ProviderError(.noSuchItem, message: "The trash has no such item.")
            }
            try await engine.localTrash.remove(node.number, engine)
            return Done()
        }
    }

    /// Runs a query of the index, and converts the query's failures to provider errors.
    func known<Value>(_ body: () throws(IndexError) -> Value) throws(ProviderError) -> Value {
        do throws(IndexError) { return try body() } catch { throw ProviderError(error) }
    }
}
