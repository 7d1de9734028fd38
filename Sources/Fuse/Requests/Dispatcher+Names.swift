import CFuse

/// Decodes requests for the names in a directory.
extension Dispatcher {
    func lookup(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let name = request.name() else { return false }
        fileSystem.lookup(name, in: parent, Reply(request, on: channel))
        return true
    }

    func unlink(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let name = request.name() else { return false }
        fileSystem.unlink(name, in: parent, Reply(request, on: channel))
        return true
    }

    func removeDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let name = request.name() else { return false }
        fileSystem.removeDirectory(name, in: parent, Reply(request, on: channel))
        return true
    }

    func makeSymbolicLink(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let (name, target) = request.names(at: 0) else { return false }
        fileSystem.makeSymbolicLink(name, in: parent, target: target, Reply(request, on: channel))
        return true
    }

    func makeNode(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let body = request.load(fuse_mknod_in.self),
            let name = request.name(at: MemoryLayout<fuse_mknod_in>.size)
        else { return false }
        fileSystem.makeNode(
            name, in: parent, mode: body.mode, device: body.rdev, Reply(request, on: channel))
        return true
    }

    func makeDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let body = request.load(fuse_mkdir_in.self),
            let name = request.name(at: MemoryLayout<fuse_mkdir_in>.size)
        else { return false }
        fileSystem.makeDirectory(name, in: parent, mode: body.mode & 0o7777, Reply(request, on: channel))
        return true
    }

    func makeLink(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let body = request.load(fuse_link_in.self),
            let name = request.name(at: MemoryLayout<fuse_link_in>.size)
        else { return false }
        let node = NodeID(rawValue: body.oldnodeid)
        fileSystem.makeLink(to: node, name, in: parent, Reply(request, other: node, on: channel))
        return true
    }

    func rename(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let body = request.load(fuse_rename_in.self),
            let (name, newName) = request.names(at: MemoryLayout<fuse_rename_in>.size)
        else { return false }
        let newParent = NodeID(rawValue: body.newdir)
        fileSystem.rename(
            name, in: parent, to: newName, in: newParent, [], Reply(request, other: newParent, on: channel))
        return true
    }

    func renameWithFlags(_ request: Request, on channel: DeviceChannel) -> Bool {
        let parent = request.node
        guard let body = request.load(fuse_rename2_in.self),
            let (name, newName) = request.names(at: MemoryLayout<fuse_rename2_in>.size)
        else { return false }
        let flags = RenameFlags(rawValue: body.flags)
        // The flag for whiteouts is not supported, because only file systems that lie beneath a stacked file system
        // need it.
        guard flags.isSubset(of: [.noReplace, .exchange]) else { return false }
        let newParent = NodeID(rawValue: body.newdir)
        fileSystem.rename(
            name, in: parent, to: newName, in: newParent, flags, Reply(request, other: newParent, on: channel))
        return true
    }
}
