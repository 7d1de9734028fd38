import FileProviderEngine
import FileProviderWire
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Opens, reads and writes files in the trash. A trashed file can only be read, and is fetched when it is read. The
/// `.trashinfo` files, and files that a file manager creates in the trash directory, can also be written.
extension TrashView {
    func open(_ target: TrashTarget, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        serve(reply) { [self] engine throws(EditError) in
            switch target {
            case .top, .files, .info, .expunged: throw EditError(.isDirectory)
            case .infoFile(let number):
                guard try node(number, engine) != nil else { throw EditError(.staleHandle) }
                if flags.contains(.truncate) { try engine.localTrash.setSize(0, of: number) }
                return OpenReply(mode: .direct)
            case .item(let number):
                guard let node = try node(number, engine), let item = node.item else {
                    throw EditError(.staleHandle)
                }
                switch item.kind {
                case .folder: throw EditError(.isDirectory)
                case .symbolicLink: throw EditError(.tooManySymbolicLinks)
                case .file: break
                }
                guard !flags.allowsWriting, !flags.contains(.truncate) else {
                    throw EditError(Errno(rawValue: EROFS))
                }
                guard engine.localTrash.localCopy(of: number) != nil || !domain.readers.refuses(reply.caller, flags)
                else { throw EditError(.permissionDenied) }
                engine.localTrash.open(number)
                // The kernel reads no further than the size that it knows. Therefore a file of unknown size is read
                // without the page cache.
                var opening = OpenReply(mode: item.size == nil ? .direct : .cached(keepsPages: false))
                opening.needsNoFlush = true
                return opening
            }
        }
    }

    func create(_ name: Name, in parent: TrashTarget, _ flags: OpenFlags, _ reply: Reply<CreateReply>) {
        serve(reply) { [self] engine throws(EditError) in
            let node = try makeFile(name, in: parent, flags, isRepeated: reply.isRepeated, engine)
            return CreateReply(entry: entry(infoFileAttributes(node)), opening: OpenReply(mode: .direct))
        }
    }

    func makeNode(_ name: Name, in parent: TrashTarget, mode: UInt32, _ reply: Reply<Entry>) {
        serve(reply) { [self] engine throws(EditError) in
            guard mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { throw EditError(.notPermitted) }
            return entry(
                infoFileAttributes(
                    try makeFile(name, in: parent, .exclusive, isRepeated: reply.isRepeated, engine)))
        }
    }

    private func makeFile(
        _ name: Name, in parent: TrashTarget, _ flags: OpenFlags, isRepeated: Bool, _ engine: isolated DomainEngine
    ) throws(EditError) -> TrashNode {
        let text = try name.asNewName()
        do throws(EditError) {
            switch parent {
            case .top: return try engine.localTrash.makePlainFile(named: text)
            case .info: return try engine.localTrash.makeInfoFile(named: text)
            case .files, .expunged, .item, .infoFile: throw EditError(.notPermitted)
            }
        } catch  where error.errno == .fileExists && (!flags.contains(.exclusive) || isRepeated) {
            let known = try looking { () throws(IndexError) in
                parent == .top
                    ? try engine.localTrash.plainFile(named: text) : try engine.localTrash.infoFile(named: text)
            }
            guard let known else { throw error }
            if flags.contains(.truncate) { try engine.localTrash.setSize(0, of: known.number) }
            return try node(known.number, engine) ?? known
        }
    }

    func read(_ target: TrashTarget, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        switch target {
        case .item(let number): read(number, at: offset, count: count, reply)
        case .infoFile(let number):
            serve(reply) { [self] engine throws(EditError) in
                guard let node = try node(number, engine) else { throw EditError(.staleHandle) }
                let bytes = LocalTrash.bytes(of: node)
                return Bytes(Array(bytes.dropFirst(Int(clamping: offset)).prefix(max(0, count))))
            }
        case .top, .files, .info, .expunged: reply.fail(.isDirectory)
        }
    }

    private func read(_ number: Int64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        let waits = CancellableSet()
        reply.onInterrupt { waits.cancel() }
        engine.perform { [domain] engine in
            if let file = engine.localTrash.localCopy(of: number) {
                return HandlerThreads.shared.run { reply.reply(reading: file, at: offset, count: count) }
            }
            guard !domain.readers.refuses(reply.caller) else { return reply.fail(.permissionDenied) }
            waits.add(
                engine.localTrash.waitForContents(of: number, engine) { result in
                    switch result {
                    case .success(let file):
                        HandlerThreads.shared.run { reply.reply(reading: file, at: offset, count: count) }
                    case .failure(let failure):
                        reply.fail(failure.kind == .noSuchItem ? .staleHandle : Errno(failure))
                    }
                })
        }
    }

    func write(
        _ target: TrashTarget, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>
    ) {
        guard case .infoFile(let number) = target else { return reply.fail(Errno(rawValue: EROFS)) }
        // The bytes are only valid during this call.
        let copy = [UInt8](bytes)
        serve(reply) { engine throws(EditError) in
            try engine.localTrash.write(
                copy, at: flags.appends ? nil : offset, to: number, isRepeated: reply.isRepeated)
            return copy.count
        }
    }

    func release(_ target: TrashTarget, _ reply: Reply<Done>) {
        reply.reply()
        if case .item(let number) = target { engine.perform { $0.localTrash.close(number) } }
    }

    func seek(_ target: TrashTarget, from offset: Int64, to seekTarget: SeekTarget, _ reply: Reply<Int64>) {
        serve(reply) { [self] engine throws(EditError) in
            let size = try attributes(of: target, engine).size
            guard offset >= 0, offset < size else { throw EditError(Errno(rawValue: ENXIO)) }
            return seekTarget == .data ? offset : size
        }
    }
}
