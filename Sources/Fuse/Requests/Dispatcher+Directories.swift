import CFuse

/// Decodes requests for directories.
extension Dispatcher {
    func openDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_open_in.self) else { return false }
        fileSystem.openDirectory(node, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        return true
    }

    func readDirectory(_ request: Request, withAttributes: Bool, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_read_in.self) else { return false }
        fileSystem.readDirectory(
            node, handle: body.fh, after: body.offset,
            Reply(request, room: Int(body.size), isMeasured: withAttributes, on: channel))
        return true
    }

    func releaseDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_release_in.self) else { return false }
        fileSystem.releaseDirectory(node, handle: body.fh, Reply(request, on: channel))
        return true
    }

    func fsyncDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_fsync_in.self) else { return false }
        fileSystem.fsyncDirectory(
            node, handle: body.fh, dataOnly: body.fsync_flags & UInt32(FUSE_FSYNC_FDATASYNC) != 0,
            Reply(request, on: channel))
        return true
    }
}
