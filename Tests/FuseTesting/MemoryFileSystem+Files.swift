import CLinux
package import Fuse
import Glibc
import LinuxSystem

extension MemoryFileSystem {
    // MARK: Files

    package func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        count("open")
        guard let file = state.withLock({ $0.file(node) }) else { return reply.fail(.invalidArgument) }
        do throws(Errno) {
            if flags.contains(.truncate) { try file.truncate(to: 0) }
            reply.reply(try opening(node, file))
        } catch {
            reply.fail(error)
        }
    }

    private func opening(_ node: NodeID, _ file: FileDescriptor) throws(Errno) -> OpenReply {
        try state.withLock { state throws(Errno) in
            state.nodes[node]?.openings += 1
            switch way {
            case .cached: return OpenReply(handle: 7)
            case .keeping: return OpenReply(handle: 7, mode: .cached(keepsPages: true))
            case .direct: return OpenReply(handle: 7, mode: .direct)
            case .passthrough:
                if let backing = state.nodes[node]?.backing {
                    return OpenReply(handle: 7, mode: .passthrough(backing))
                }
                guard let backing = try state.session?.backing(for: file) else { throw .inputOutput }
                state.nodes[node]?.backing = backing
                return OpenReply(handle: 7, mode: .passthrough(backing))
            }
        }
    }

    package func create(
        _ name: Name, in parent: NodeID, mode: UInt32, _ flags: OpenFlags, _ reply: Reply<CreateReply>
    ) {
        do throws(Errno) {
            let file = try MemoryFile.create(name: "file")
            let made = try state.withLock { state throws(Errno) in
                let made = try state.insert(name, in: parent, .file(file), mode: mode, reply.caller).get()
                state.nodes[made.node]?.lookups = 1
                return made
            }
            let opening = try opening(made.node, file)
            reply.reply(CreateReply(entry: entry(made.full), opening: opening))
        } catch {
            reply.fail(error)
        }
    }

    package func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        self.count("read")
        guard handle == 7, let file = state.withLock({ $0.file(node) }) else { return reply.fail(.invalidArgument) }
        let isNever = state.withLock { $0.nodes[node]?.extended["user.never"] != nil }
        guard !isNever else { return wait(reply) }
        if state.withLock({ $0.nodes[node]?.extended["user.blocks"] != nil }) {
            // A handler that breaks the rules and blocks, until another request removes the attribute.
            while state.withLock({ $0.nodes[node]?.extended["user.blocks"] != nil }) { usleep(1000) }
        }
        reply.reply(reading: file, at: offset, count: count)
    }

    /// Replies only when the caller is interrupted.
    private func wait(_ reply: Reply<Bytes>) {
        let number = state.withLock { state in
            state.last += 1
            state.waiting[state.last] = reply
            return state.last
        }
        reply.onInterrupt { [weak self] in
            let reply = self?.state.withLock { $0.waiting.removeValue(forKey: number) }
            reply?.fail(.interrupted)
        }
    }

    package func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>
    ) {
        count("write")
        guard handle == 7, let file = state.withLock({ $0.file(node) }) else { return reply.fail(.invalidArgument) }
        do throws(Errno) {
            try file.writeAll(bytes, at: Int(offset))
            reply.reply(bytes.count)
        } catch {
            reply.fail(error)
        }
    }

    package func flush(_ node: NodeID, handle: UInt64, lockOwner: UInt64, _ reply: Reply<Done>) {
        count("flush")
        if !isUnanswered("flush", of: node, reply) { reply.reply() }
    }

    package func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>) {
        count("release")
        state.withLock { state in
            state.nodes[node]?.openings -= 1
            if state.nodes[node]?.openings == 0 { state.nodes[node]?.backing = nil }
            state.dropUnused(node)
        }
        reply.reply()
    }

    package func fsync(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        count(dataOnly ? "fdatasync" : "fsync")
        reply.reply()
    }

    package func allocate(
        _ node: NodeID, handle: UInt64, offset: Int64, length: Int64, _ flags: AllocationFlags, _ reply: Reply<Done>
    ) {
        guard let file = state.withLock({ $0.file(node) }) else { return reply.fail(.invalidArgument) }
        if clinux_fallocate(file.rawValue, CInt(flags.rawValue), offset, length) < 0 {
            reply.fail(.current)
        } else {
            reply.reply()
        }
    }

    package func seek(
        _ node: NodeID, handle: UInt64, from offset: Int64, to target: SeekTarget, _ reply: Reply<Int64>
    ) {
        guard let file = state.withLock({ $0.file(node) }) else { return reply.fail(.invalidArgument) }
        let place = lseek(file.rawValue, Int(offset), target == .data ? clinux_seek_data : clinux_seek_hole)
        if place < 0 { reply.fail(.current) } else { reply.reply(Int64(place)) }
    }

    package func copyFileRange(
        from node: NodeID, handle: UInt64, offset: Int64, to destination: NodeID, handle destinationHandle: UInt64,
        offset destinationOffset: Int64, count: Int, _ reply: Reply<Int>
    ) {
        self.count("copyFileRange")
        let files = state.withLock { ($0.file(node), $0.file(destination)) }
        guard let from = files.0, let to = files.1 else { return reply.fail(.invalidArgument) }
        var buffer = [UInt8](repeating: 0, count: min(count, 1 << 20))
        do throws(Errno) {
            let count = try retrying { pread(from.rawValue, &buffer, buffer.count, Int(offset)) }
            try retrying { pwrite(to.rawValue, buffer, count, Int(destinationOffset)) }
            reply.reply(count)
        } catch {
            reply.fail(error)
        }
    }

    // MARK: Directories

    package func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        count("openDirectory")
        reply.reply(.directory(handle: 8))
    }

    package func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        count("readDirectory")
        let isNever = state.withLock { state in
            guard state.nodes[node]?.extended["user.never"] != nil else { return false }
            state.waitingListings.append(reply)
            return true
        }
        if isNever { return }
        let listing = reply.listing()
        let children = state.withLock { $0.children(of: node, after: cookie) }
        for (name, child, cookie) in children {
            guard listing.append(name, entry(child), cookie: cookie) else { break }
            if listing.wantsAttributes {
                state.withLock { $0.nodes[child.attributes.node]?.lookups += 1 }
            }
        }
        reply.reply(listing)
    }

    package func releaseDirectory(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>) { reply.reply() }

    package func fsyncDirectory(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        count("folder fsync")
        reply.reply()
    }

    // MARK: Locks, one per file

    package func conflictingLock(
        _ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<FileLock>
    ) {
        let held = state.withLock { $0.locks[node] }
        reply.reply(held.flatMap { $0.owner == request.owner ? nil : $0.lock } ?? FileLock(kind: .none))
    }

    package func releaseWholeFileLock(_ node: NodeID, handle: UInt64, owner: UInt64) {
        state.withLock { state in
            if state.locks[node]?.owner == owner { state.locks[node] = nil }
        }
    }

    package func setLock(_ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<Done>) {
        count(request.isWholeFile ? "flock" : "lock")
        let isFree = state.withLock { state in
            if let held = state.locks[node], held.owner != request.owner { return request.lock.kind == .none }
            state.locks[node] = request.lock.kind == .none ? nil : (request.owner, request.lock)
            return true
        }
        if isFree { reply.reply() } else { reply.fail(.wouldBlock) }
    }
}
