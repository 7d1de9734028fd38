import Glibc
public import LinuxSystem

/// The state that a process needs to take over the session of another process, which has died or will end.
///
/// The session exists as long as a process has the ``devices`` open. While no process serves it, callers wait. A
/// waiting caller can be killed, unless its request was already read from a device. When the last device is closed,
/// the session ends, and the mount fails with `ENOTCONN`. A separate process that has no file open in the mount should
/// hold the devices, because closing a file in the mount also waits.
///
/// ```swift
/// // The server, once the file system is mounted. A separate process receives both over a local socket.
/// if let handover = session.handover { send(handover.record, handover.devices) }
/// // The next server.
/// if let handover = SessionHandover(record: bytes, devices: received) {
///     session = try Session.resume(handover, options: options, fileSystem)
/// }
/// ```
///
/// The kernel remembers names, nodes, handles and locks. The file system must use the same ``NodeID``s for the same
/// nodes, and the same handles.
public struct SessionHandover: Sendable {
    /// The open descriptors of the FUSE device that serve the session: one or two.
    public let devices: [FileDescriptor]
    /// The absolute path of the mount point.
    public let path: String
    /// The device number of the file system, as in `st_dev`. Another mount at the same path has another number.
    let fileSystem: UInt64
    let usesProgram: Bool
    let passesThrough: Bool
    let largestRead: Int
    let largestWrite: Int

    private static let version = "fuse-session 1"
    /// Whether the session can be taken over: it is still mounted at the path and has not ended. Sends no request to
    /// the file system.
    public var isAlive: Bool {
        guard let device = devices.first else { return false }
        return
            (try? MountPoint(
                takingOver: path, device: device, fileSystem: fileSystem, usesProgram: usesProgram)) != nil
    }

    /// The maximum number of bytes of a record.
    public static let recordLimit = 8 << 10

    init?(_ session: Session) {
        guard session.features.canBeHandedOver, let mount = try? MountTable.current().mount(of: session.path),
            mount.point == session.path
        else { return nil }
        devices = [session.device] + (session.extraDevice.map { [$0] } ?? [])
        path = session.path
        fileSystem = mount.device
        usesProgram = session.mount.usesProgram
        passesThrough = session.features.passesThrough
        (largestRead, largestWrite) = (session.largestRead, session.largestWrite)
    }

    /// The state without the devices, for ``init(record:devices:)``.
    public var record: [UInt8] {
        let words = [
            Self.version, path, "\(fileSystem)", usesProgram ? "1" : "0", passesThrough ? "1" : "0", "\(largestRead)",
            "\(largestWrite)",
        ]
        return Array(words.joined(separator: "\0").utf8)
    }

    /// Creates the state that another process has handed over. Returns `nil` if this library does not understand the
    /// record, or if the number of devices is neither one nor two.
    ///
    /// - Parameter devices: the ``devices``, in their order.
    public init?(record: [UInt8], devices: [FileDescriptor]) {
        guard record.count <= Self.recordLimit, (1...2).contains(devices.count) else { return nil }
        let words = record.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == 7, words[0] == Self.version, words[1].hasPrefix("/"), let fileSystem = UInt64(words[2]),
            let largestRead = Int(words[5]), let largestWrite = Int(words[6]),
            (4096...(1 << 30)).contains(largestRead), (4096...(1 << 30)).contains(largestWrite)
        else { return nil }
        self.devices = devices
        path = words[1]
        self.fileSystem = fileSystem
        usesProgram = words[3] == "1"
        passesThrough = words[4] == "1"
        (self.largestRead, self.largestWrite) = (largestRead, largestWrite)
    }

    /// Ends the session instead of taking it over. Unmounts the file system, and makes the waiting requests fail. They
    /// fail at the latest when the last of the ``devices`` is closed.
    ///
    /// - Returns: whether the session was still mounted.
    @discardableResult
    public func abandon() -> Bool {
        guard let mount = try? MountPoint(takingOver: self) else { return false }
        mount.unmount(aborting: true)
        return true
    }
}

extension MountPoint {
    convenience init(takingOver handover: SessionHandover) throws(MountError) {
        try self.init(
            takingOver: handover.path, device: handover.devices[0], fileSystem: handover.fileSystem,
            usesProgram: handover.usesProgram)
    }
}

extension Session {
    /// The state that another process needs to take over this session when this process has died. `nil` if the kernel
    /// does not support this (it requires Linux 6.16), or if the file system is not mounted any more.
    ///
    /// The state does not change during the session.
    public var handover: SessionHandover? { SessionHandover(self) }

    /// Takes over a session whose process has died.
    ///
    /// Requests that the former process read and did not reply to are repeated (``Reply/isRepeated``). The kernel looks
    /// up every name again. The file system must invalidate other caches of the kernel, such as attributes and pages,
    /// in ``FileSystem/start(_:)``.
    ///
    /// All threads of the former process must have ended, which is certain when the last of its descriptors has closed.
    /// If a thread of the former process still reads a request, that request never gets a reply.
    ///
    /// - Parameter options: the options. Only the number of threads and the helper are used; all other options stay as
    ///   negotiated.
    /// - Throws: ``MountError/ended(_:)`` if the session has ended or is not mounted any more.
    public static func resume(
        _ handover: SessionHandover, options: MountOptions, _ fileSystem: any FileSystem
    ) throws(MountError) -> Session {
        let mount = try MountPoint(takingOver: handover)
        var options = options
        (options.largestRead, options.largestWrite) = (handover.largestRead, handover.largestWrite)
        let features = SessionFeatures(passesThrough: handover.passesThrough, canBeHandedOver: true)
        let session = Session(mount, features, extra: handover.devices.dropFirst().first, options)
        do throws(MountError) {
            try session.serve(fileSystem, options) { session.notifier.takeOver() }
        } catch {
            mount.unmount(aborting: true)
            throw error
        }
        return session
    }
}
