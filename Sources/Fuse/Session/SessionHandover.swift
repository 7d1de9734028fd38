import Glibc
public import LinuxSystem

/// What a process needs to go on with a session that another one has begun, and that has died or will end.
///
/// Whoever keeps the ``devices`` open keeps the session: as long as nobody serves it, programs wait for it, and can be killed unless
/// their request was read already. When the last of them is closed, the session ends, and what is mounted fails with `ENOTCONN`. A
/// process of its own should keep them that has nothing open in the mount, because closing a file there waits too.
///
/// ```swift
/// // The server, once it is mounted; the keeper gets both over a local socket.
/// if let handover = session.handover { send(handover.record, handover.devices) }
/// // The next server.
/// if let handover = SessionHandover(record: bytes, devices: received) {
///     session = try Session.resume(handover, options: options, fileSystem)
/// }
/// ```
///
/// The kernel remembers names, nodes, openings and locks; the file system has to know the same nodes by the same ``NodeID``s, and
/// openings by the same handles.
public struct SessionHandover: Sendable {
    /// The opens of the FUSE device by which the session is served: one or two.
    public let devices: [FileDescriptor]
    /// Where it is mounted.
    public let path: String
    /// The number of the file system, as `st_dev` has it: another mount at the same place has another one.
    let fileSystem: UInt64
    let usesProgram: Bool
    let passesThrough: Bool
    let largestRead: Int
    let largestWrite: Int

    private static let version = "fuse-session 1"
    /// Whether it can be gone on with: it is mounted where it was, and its session has not ended. Nothing is asked of it.
    public var isAlive: Bool {
        guard let device = devices.first else { return false }
        return
            (try? MountedFolder(
                takingOver: path, device: device, fileSystem: fileSystem, usesProgram: usesProgram)) != nil
    }

    /// The most bytes of a record.
    public static let recordLimit = 8 << 10

    init?(_ session: Session) {
        guard session.agreement.canBeHandedOver, let mount = try? MountTable.current().mount(of: session.path),
            mount.point == session.path
        else { return nil }
        devices = [session.device] + (session.extraDevice.map { [$0] } ?? [])
        path = session.path
        fileSystem = mount.device
        usesProgram = session.mount.usesProgram
        passesThrough = session.agreement.passesThrough
        (largestRead, largestWrite) = (session.largestRead, session.largestWrite)
    }

    /// Everything but the devices, for ``init(record:devices:)``.
    public var record: [UInt8] {
        let words = [
            Self.version, path, "\(fileSystem)", usesProgram ? "1" : "0", passesThrough ? "1" : "0", "\(largestRead)",
            "\(largestWrite)",
        ]
        return Array(words.joined(separator: "\0").utf8)
    }

    /// What another process has handed over; `nil` for a record that this library does not understand, or with other than one or
    /// two devices.
    ///
    /// - Parameter devices: in the order in which they were in ``devices``.
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

    /// Ends the session instead of going on with it: unmounts, and whatever waits for it fails, when the last of the ``devices`` is
    /// closed at the latest.
    ///
    /// - Returns: whether it was mounted still.
    @discardableResult
    public func abandon() -> Bool {
        guard let mount = try? MountedFolder(takingOver: self) else { return false }
        mount.unmount(aborting: true)
        return true
    }
}

extension MountedFolder {
    convenience init(takingOver handover: SessionHandover) throws(MountFailure) {
        try self.init(
            takingOver: handover.path, device: handover.devices[0], fileSystem: handover.fileSystem,
            usesProgram: handover.usesProgram)
    }
}

extension Session {
    /// What another process needs to go on with this session when this one has died; `nil` where the kernel cannot do that, which
    /// takes Linux 6.16, or nothing is mounted any more.
    ///
    /// It is the same for as long as the session lasts.
    public var handover: SessionHandover? { SessionHandover(self) }

    /// Goes on with a session whose process has died.
    ///
    /// What was read by that process and not answered comes again (``Reply/isRepeated``). The kernel looks up every name anew;
    /// what else it keeps of files, such as attributes and pages, the file system has to see to in ``FileSystem/start(_:)``.
    ///
    /// That process must be gone with all of its threads, as it is when the last of its descriptors has closed: a request that it
    /// still reads would never be answered.
    ///
    /// - Parameter options: what was agreed on at the beginning holds; of these count the number of threads and the helper.
    /// - Throws: ``MountFailure/ended(_:)`` where the session has ended or is not mounted any more.
    public static func resume(
        _ handover: SessionHandover, options: MountOptions, _ fileSystem: any FileSystem
    ) throws(MountFailure) -> Session {
        let mount = try MountedFolder(takingOver: handover)
        var options = options
        (options.largestRead, options.largestWrite) = (handover.largestRead, handover.largestWrite)
        let agreement = Agreement(passesThrough: handover.passesThrough, canBeHandedOver: true)
        let session = Session(mount, agreement, extra: handover.devices.dropFirst().first, options)
        do throws(MountFailure) {
            try session.serve(fileSystem, options) { session.notifier.takeOver() }
        } catch {
            mount.unmount(aborting: true)
            throw error
        }
        return session
    }
}
