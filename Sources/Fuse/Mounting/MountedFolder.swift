import CFuse
import Glibc
import LinuxSystem

/// A mount that this process serves.
final class MountedFolder: Sendable {
    let path: String
    let device: FileDescriptor
    /// Whether fusermount3 made it, which then ends it too.
    let usesProgram: Bool
    private let hasEnded = Lock(false)

    /// Mounts; the kernel's first request waits then.
    init(at path: String, _ options: MountOptions) throws(MountFailure) {
        guard let absolute = realpath(path, nil) else { throw .notMounted(path: path, .current) }
        self.path = String(cString: absolute)
        free(absolute)
        try Self.check(self.path, options)
        do throws(MountFailure) {
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

    /// What another process has mounted. Nothing is asked of it: nobody would answer yet.
    ///
    /// Fails where it is mounted no more, or its session has ended.
    init(
        takingOver path: String, device: FileDescriptor, fileSystem: UInt64, usesProgram: Bool
    ) throws(MountFailure) {
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

    /// What the kernel would mount on, and nobody could use.
    private static func check(_ path: String, _ options: MountOptions) throws(MountFailure) {
        let folder: FileDescriptor
        do throws(Errno) {
            folder = try .open(path, [.pathOnly, .directory])
        } catch {
            throw .notMounted(path: path, error)
        }
        guard let source = options.source else { return }
        let overlap: Bool
        do throws(Errno) {
            overlap = try folder.overlaps(.open(source, [.pathOnly, .directory]))
        } catch {
            throw .noSource(path: source, error)
        }
        if overlap { throw .showsItself(path: path, source: source) }
    }

    private static func mountDirectly(
        at path: String, _ options: MountOptions
    ) throws(MountFailure) -> FileDescriptor {
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

    /// Takes it out of sight, once; aborting, its session ends too.
    func unmount(aborting: Bool) {
        let control = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            guard !hasEnded else { return Optional<Connection>.none }
            // It can be found only as long as it is mounted. Seldom is it there for anybody to use.
            let control = Connection(at: path)
            if !usesProgram {
                // Fails where somebody else has unmounted it.
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

    /// The path of what may be a mount point, of which nothing is asked.
    private static func absolute(_ path: String) -> String? {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let cut = path.lastSlash
        let parent = cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = realpath(parent, nil) else { return nil }
        defer { free(resolved) }
        let folder = String(cString: resolved)
        let name = path.lastPathName
        return folder == "/" ? "/" + name : folder + "/" + name
    }

    /// Whether nobody answers for what is mounted there.
    private static func isStale(_ path: String) -> Bool {
        guard let mount = try? MountTable.current().mount(of: path), mount.point == path, isOurs(mount) else {
            return false
        }
        let asked = Question(path)
        HandlerThreads.shared.run { asked.answer() }
        return asked.wait(seconds: patienceSeconds) ?? true
    }

    /// A server that has been killed can leave a session that does not end by itself: a thread of its may have been telling the
    /// kernel of a change in a folder for which a request waited. Then nobody answers, and nothing fails.
    private static let patienceSeconds = 5
}

/// The kernel's control files for a mount.
private struct Connection {
    private let control: FileDescriptor

    /// `nil` where there are none. The file system itself is not asked: it might be blocked.
    init?(at path: String) {
        guard let mount = try? MountTable.current().mount(of: path), mount.point == path else { return nil }
        let minor = mount.device & 0xFF | mount.device >> 12 & 0xFFF00
        guard let file = try? FileDescriptor.open("/sys/fs/fuse/connections/\(minor)/abort", .writeOnly) else {
            return nil
        }
        control = file
    }

    func abort() {
        // Fails where it has ended by itself.
        _ = try? [UInt8(ascii: "1")].withUnsafeBytes { try control.writeAll($0) }
    }
}

/// Asks a folder for its attributes, which may take for ever.
private final class Question: @unchecked Sendable {
    // Sendable: the semaphore is an allocation of its own that only sem_* calls touch, made for use from several threads; the rest
    // is immutable or behind the lock.
    private let semaphore: UnsafeMutablePointer<sem_t>
    private let path: String
    private let isStale = Lock<Bool?>(nil)

    init(_ path: String) {
        self.path = path
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func answer() {
        var error: CInt = 0
        repeat {
            error = cfuse_probe(path) < 0 ? errno : 0
            // A question that was on its way as the session ended fails in its own way, and the next one as all others do.
        } while error == ECONNABORTED
        isStale.withLock { $0 = error == ENOTCONN }
        sem_post(semaphore)
    }

    /// `nil` where there is no answer in time.
    func wait(seconds: Int) -> Bool? {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while sem_timedwait(semaphore, &end) < 0, errno == EINTR {}
        return isStale.withLock { $0 }
    }
}
