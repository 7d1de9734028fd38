import CFuse
import Glibc
import LinuxSystem

/// The decoder of requests, which calls the file system. A malformed request fails with `EINVAL`. An unknown request
/// fails with `ENOSYS`.
///
/// Each operation has its own function, which returns whether the request is well-formed and was passed on.
package struct Dispatcher: Sendable {
    let fileSystem: any FileSystem

    package init(_ fileSystem: any FileSystem) {
        self.fileSystem = fileSystem
    }

    /// Serves one request.
    ///
    /// - Returns: `false` after the last request, because the file system is being unmounted.
    @discardableResult
    package func serve(_ request: Request, on channel: DeviceChannel) -> Bool {
        guard let opcode = Opcode(rawValue: request.header.opcode) else {
            refuse(request, .noSystemCall, on: channel)
            return true
        }
        if !decode(opcode, request, on: channel) { refuse(request, .invalidArgument, on: channel) }
        return opcode != .destroy
    }

    /// Calls the function of an operation. The switch has no `default`, so that the compiler reports a missing
    /// operation.
    private func decode(_ opcode: Opcode, _ request: Request, on channel: DeviceChannel) -> Bool {
        switch opcode {
        case .lookup: lookup(request, on: channel)
        case .unlink: unlink(request, on: channel)
        case .removeDirectory: removeDirectory(request, on: channel)
        case .symbolicLink: makeSymbolicLink(request, on: channel)
        case .makeNode: makeNode(request, on: channel)
        case .makeDirectory: makeDirectory(request, on: channel)
        case .link: makeLink(request, on: channel)
        case .rename: rename(request, on: channel)
        case .rename2: renameWithFlags(request, on: channel)

        case .getAttributes: getAttributes(request, on: channel)
        case .setAttributes: setAttributes(request, on: channel)
        case .readLink: readLink(request, on: channel)
        case .statistics: getStatistics(request, on: channel)
        case .setExtendedAttribute: setExtendedAttribute(request, on: channel)
        case .getExtendedAttribute: getExtendedAttribute(request, on: channel)
        case .listExtendedAttributes: listExtendedAttributes(request, on: channel)
        case .removeExtendedAttribute: removeExtendedAttribute(request, on: channel)

        case .open: open(request, on: channel)
        case .create: create(request, on: channel)
        case .read: read(request, on: channel)
        case .write: write(request, on: channel)
        case .flush: flush(request, on: channel)
        case .release: release(request, on: channel)
        case .fsync: fsync(request, on: channel)
        case .allocate: allocate(request, on: channel)
        case .seek: seek(request, on: channel)
        case .copyFileRange: copyFileRange(request, on: channel)

        case .openDirectory: openDirectory(request, on: channel)
        case .readDirectory: readDirectory(request, withAttributes: false, on: channel)
        case .readDirectoryPlus: readDirectory(request, withAttributes: true, on: channel)
        case .releaseDirectory: releaseDirectory(request, on: channel)
        case .fsyncDirectory: fsyncDirectory(request, on: channel)

        case .getLock: getLock(request, on: channel)
        case .setLock: setLock(request, waits: false, on: channel)
        case .setLockWaiting: setLock(request, waits: true, on: channel)

        case .forget: forget(request)
        case .batchForget: forgetMany(request)
        case .interrupt: interrupt(request, on: channel)
        // The kernel expects no reply to this message.
        case .notifyReply: true
        case .destroy: destroy(request, on: channel)

        // Other file systems without ioctl(2) reply `ENOTTY`, too.
        case .ioctl: refuse(request, Errno(rawValue: ENOTTY), on: channel)
        // FUSE_INIT is handled before requests are served. This library does not support the other operations.
        case .initialize, .access, .blockMap, .poll, .setUpMapping, .removeMapping, .syncFileSystem, .temporaryFile:
            refuse(request, .noSystemCall, on: channel)
        }
    }

    /// Fails a request with an error.
    ///
    /// - Returns: `true`, because the request has a reply.
    @discardableResult
    private func refuse(_ request: Request, _ error: Errno, on channel: DeviceChannel) -> Bool {
        channel.send(request.header.unique, error: error, UnsafeRawBufferPointer(start: nil, count: 0))
        return true
    }

    private func destroy(_ request: Request, on channel: DeviceChannel) -> Bool {
        channel.send(request.header.unique, error: nil, UnsafeRawBufferPointer(start: nil, count: 0))
        return true
    }

    // MARK: Requests without a reply

    // Malformed requests are ignored, because they have no reply.
    private func forget(_ request: Request) -> Bool {
        if let body = request.load(fuse_forget_in.self) { fileSystem.forget(request.node, count: body.nlookup) }
        return true
    }

    private func forgetMany(_ request: Request) -> Bool {
        guard let body = request.load(fuse_batch_forget_in.self),
            let rest = request.rest(after: MemoryLayout<fuse_batch_forget_in>.size)
        else { return true }
        let size = MemoryLayout<fuse_forget_one>.size
        for index in 0..<min(Int(body.count), rest.count / size) {
            let one = rest.loadUnaligned(fromByteOffset: index * size, as: fuse_forget_one.self)
            fileSystem.forget(NodeID(rawValue: one.nodeid), count: one.nlookup)
        }
        return true
    }

    private func interrupt(_ request: Request, on channel: DeviceChannel) -> Bool {
        guard let body = request.load(fuse_interrupt_in.self) else { return true }
        if !channel.requests.interrupt(body.unique) {
            // Another thread has read the request and not added it to the table yet. The kernel sends the interrupt
            // again, unless the request has been completed meanwhile.
            refuse(request, .wouldBlock, on: channel)
        }
        return true
    }
}
