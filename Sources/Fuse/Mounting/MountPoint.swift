import CFuse
import Glibc
import LinuxSystem

/// A mount that this process serves.
final class MountPoint: Sendable {
    let path: String
    let device: FileDescriptor
    /// Whether fusermount3 created the mount. If so, fusermount3 must also unmount it.
    let usesProgram: Bool
    private let hasEnded = Lock(false)

    /// Mounts the file system. Afterwards the kernel's first request (FUSE_INIT) waits for a reply.
    init(at path: String, _ options: MountOptions) throws(MountError) {
        guard let absolute = realpath(path, nil) else { throw .notMounted(path: path, .current) }
        self.path = String(cString: absolute)
        free(absolute)
        try Self.check(self.path, options)
        do throws(MountError) {
            device = try Self.mountDirectly(at: self.path, options)
            usesProgram = false
        } catch {
            switch error {
            case .noDevice(.notPermitted), .noDevice(.permissionDenied), .notMounted(_, .notPermitted):
                device = try MountProgram.mount(at: self.path, options)
                usesProgram = true
            default: throw error
            }
        }
    }

    /// Adopts the mount of another process. Sends no request to the file system, because no process would reply yet.
    ///
    /// Fails if the path is not mounted any more, or the session has ended.
    init(
        takingOver path: String, device: FileDescriptor, fileSystem: UInt64, usesProgram: Bool
    ) throws(MountError) {
        self.path = path
        self.device = device
        self.usesProgram = usesProgram
        guard let mount = try? MountTable.current().mount(of: path), mount.point == path, Self.isOurs(mount),
            mount.device == fileSystem
        else { throw .ended(nil) }
        var state = pollfd(fd: device.rawValue, events: 0, revents: 0)
        guard poll(&state, 1, 0) >= 0, state.revents & Int16(POLLERR | POLLNVAL) == 0 else { throw .ended(nil) }
    }

    private static func isOurs(_ mount: Mount) -> Bool {
        mount.type == "fuse" || mount.type.hasPrefix("fuse.")
    }

    /// Checks that a mount point exists and does not overlap with ``MountOptions/source``. The kernel does not check
    /// for this overlap.
    private static func check(_ path: String, _ options: MountOptions) throws(MountError) {
        let directory: FileDescriptor
        do throws(Errno) {
            directory = try .open(path, [.pathOnly, .directory])
        } catch {
            throw .notMounted(path: path, error)
        }
        guard let source = options.source else { return }
        let overlap: Bool
        do throws(Errno) {
            overlap = try directory.overlaps(.open(source, [.pathOnly, .directory]))
        } catch {
            throw .noSource(path: source, error)
        }
        if overlap { throw .showsItself(path: path, source: source) }
    }

    private static func mountDirectly(
        at path: String, _ options: MountOptions
    ) throws(MountError) -> FileDescriptor {
        let device: FileDescriptor
        do throws(Errno) {
            device = try .open("/dev/fuse", .readWrite)
        } catch {
            throw .noDevice(error)
        }
        var raw = stat()
        guard lstat(path, &raw) == 0 else { throw .notMounted(path: path, .current) }
        var data = "fd=\(device.rawValue),rootmode=\(String(raw.st_mode & S_IFMT, radix: 8))"
        data += ",user_id=\(geteuid()),group_id=\(getegid()),max_read=\(options.largestRead)"
        if options.allowsOthers { data += ",allow_other" }
        if options.checksPermissions { data += ",default_permissions" }
        var flags = cfuse_nosuid | cfuse_nodev
        if options.isReadOnly { flags |= cfuse_rdonly }
        let type = options.subtype.isEmpty ? "fuse" : "fuse.\(options.subtype)"
        guard cfuse_mount(options.name, path, type, flags, data) == 0 else {
            throw .notMounted(path: path, .current)
        }
        return device
    }

    /// Unmounts the file system if this process has not done so before. If `aborting` is set, also ends the session.
    func unmount(aborting: Bool) {
        let control = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            guard !hasEnded else { return Optional<Connection>.none }
            // The control file is opened before unmounting, because it cannot be found afterwards. The file often does
            // not exist, or is not accessible to this user.
            let control = Connection(at: path)
            if !usesProgram {
                // The call fails if another process has unmounted the file system.
                _ = aborting ? cfuse_abort(path) : cfuse_detach(path)
            } else {
                MountProgram.unmount(path)
            }
            return control
        }
        if aborting { control?.abort() }
    }

    static func unmountStale(at path: String) -> Bool {
        guard let path = absolute(path), isStale(path) else { return false }
        if cfuse_abort(path) < 0 { MountProgram.unmount(path) }
        return !isStale(path)
    }

    /// Returns the absolute path of a possible mount point without sending a request to it.
    private static func absolute(_ path: String) -> String? {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let cut = path.lastSlash
        let parent = cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = realpath(parent, nil) else { return nil }
        defer { free(resolved) }
        let parentPath = String(cString: resolved)
        let name = path.lastPathName
        return parentPath == "/" ? "/" + name : parentPath + "/" + name
    }

    /// Whether no process serves the mount at the given path.
    private static func isStale(_ path: String) -> Bool {
        guard let mount = try? MountTable.current().mount(of: path), mount.point == path, isOurs(mount) else {
            return false
        }
        let probe = StaleProbe(path)
        HandlerThreads.shared.run { probe.run() }
        return probe.wait(seconds: timeoutSeconds) ?? true
    }

    /// The timeout in seconds for the reply to a probe. A killed server can leave a session that does not end, in which
    /// requests neither complete nor fail. This happens if a thread of the server was notifying the kernel of a change
    /// in a directory, while a request for that directory was waiting for its reply.
    private static let timeoutSeconds = 5
}

/// The kernel's control file for a mount.
private struct Connection {
    private let control: FileDescriptor

    /// Opens the control file of the mount at the given path. Returns `nil` if no file system is mounted at the path,
    /// or if the control file cannot be opened. Sends no request to the file system, which might be blocked.
    init?(at path: String) {
        guard let mount = try? MountTable.current().mount(of: path), mount.point == path else { return nil }
        let minor = mount.device & 0xFF | mount.device >> 12 & 0xFFF00
        guard let file = try? FileDescriptor.open("/sys/fs/fuse/connections/\(minor)/abort", .writeOnly) else {
            return nil
        }
        control = file
    }

    func abort() {
        // Fails if the session has ended by itself.
        _ = try? [UInt8(ascii: "1")].withUnsafeBytes { try control.writeAll($0) }
    }
}

/// A request for a directory's attributes, which may block for ever.
private final class StaleProbe: Sendable {
    private let isDone = Semaphore()
    private let path: String
    private let isStale = Lock<Bool?>(nil)

    init(_ path: String) { self.path = path }

    /// Sends the request. Blocks until the reply.
    func run() {
        var error: CInt = 0
        repeat {
            error = cfuse_probe(path) < 0 ? errno : 0
            // A request that was under way when the session ended fails with ECONNABORTED. It is repeated, because
            // later requests fail with ENOTCONN.
        } while error == ECONNABORTED
        isStale.withLock { $0 = error == ENOTCONN }
        isDone.signal()
    }

    /// Waits for the reply. Returns whether the mount is stale; `nil` after the timeout.
    func wait(seconds: Int) -> Bool? {
        isDone.wait(seconds: seconds)
        return isStale.withLock { $0 }
    }
}
