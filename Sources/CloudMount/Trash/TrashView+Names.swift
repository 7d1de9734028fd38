import FileProviderEngine
import FileProviderWire
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Serves requests that create directories in the trash, and requests that remove items.
extension TrashView {
    func makeDirectory(_ name: Name, in parent: TrashTarget, _ reply: Reply<Entry>) {
        serve(reply) { [self] engine throws(EditError) in
            guard parent == .top, let folder = TrashTarget.folders.first(where: { $0.name == name.text }) else {
                throw EditError(.notPermitted)
            }
            guard reply.isRepeated else { throw EditError(.fileExists) }
            return entry(folderAttributes(folder.target, engine))
        }
    }

    // MARK: Removing

    func unlink(_ name: Name, in parent: TrashTarget, _ reply: Reply<Done>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        switch parent {
        case .top, .info:
            serve(reply) { engine throws(EditError) in
                do throws(EditError) {
                    if parent == .top {
                        try engine.localTrash.removePlainFile(named: text)
                    } else {
                        try engine.localTrash.removeInfoFile(named: text)
                    }
                } catch  where error.errno == .noSuchFile && reply.isRepeated {}
                return Done()
            }
        case .files, .item: remove(text, in: parent, isFolder: false, reply)
        case .expunged, .infoFile: reply.fail(.noSuchFile)
        }
    }

    func removeDirectory(_ name: Name, in parent: TrashTarget, _ reply: Reply<Done>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        switch parent {
        // The directories of the trash stay.
        case .top: reply.fail(.notPermitted)
        case .files, .item: remove(text, in: parent, isFolder: true, reply)
        case .info, .expunged, .infoFile: reply.fail(.noSuchFile)
        }
    }

    /// Removes an item. An item directly in the trash is removed at the provider, with all its contents. An item in a
    /// trashed directory is only hidden, and is removed together with that directory.
    private func remove(_ name: String, in parent: TrashTarget, isFolder: Bool, _ reply: Reply<Done>) {
        let isRepeated = reply.isRepeated
        serve(reply, upTo: Self.longestLockTime) { [self] engine throws(ProviderError) in
            if case .item(let folder) = parent { try await engine.localTrash.list(folder) }
            let node = try known { () throws(IndexError) in
                if case .item(let folder) = parent { return engine.localTrash.child(named: name, of: folder) }
                return try engine.localTrash.item(named: name)
            }
            guard let node, let item = node.item else {
                if isRepeated { return Done() }
                throw ProviderError(.noSuchItem, message: "The trash has no such item.")
            }
            guard (item.kind == .folder) == isFolder else {
                throw ProviderError(.notPermitted, message: "The item is of another kind.")
            }
            if isFolder {
                try await engine.localTrash.list(node.number)
                guard engine.localTrash.isEmpty(node.number) else {
                    throw ProviderError(.directoryNotEmpty, message: "The directory is not empty.")
                }
            }
            if parent == .files {
                try await engine.localTrash.remove(node.number, engine)
            } else {
                engine.localTrash.hide(node.number)
            }
            return Done()
        }
    }
}
