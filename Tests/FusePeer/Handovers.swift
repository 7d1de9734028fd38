import Fuse
import FuseTesting
import Glibc
import LinuxSystem

/// A session that several processes serve one after the other, and the process that holds its descriptors between them.
struct Handovers {
    let path: String
    let folder: String
    let passes: Bool

    init(_ path: String, _ folder: String, passes: Bool) {
        self.path = path
        self.folder = folder
        self.passes = passes
    }

    /// Starts a server. After its death, starts the next one when it reads a line from standard input, which may
    /// contain the number of a backing file.
    func keep() -> Never {
        do {
            var record: [UInt8] = []
            var devices: [FileDescriptor] = []
            var backing = ""
            while true {
                let (ours, theirs) = try SequencedPacketSocket.pair()
                let own = try FileDescriptor.open("/proc/self/exe", .pathOnly).path ?? ""
                let server = try ChildProgram.start(
                    own,
                    arguments: [path, "serve=\(folder)", "backing=\(backing)"] + (passes ? ["passthrough"] : []),
                    descriptors: [nil, .copy(of: STDOUT_FILENO), .copy(of: STDERR_FILENO), theirs.descriptor])
                if devices.isEmpty {
                    (record, devices) = try receive(from: ours)
                } else {
                    try send(record, devices, over: ours)
                }
                _ = try server.wait()
                say("died")
                guard let line = readLine() else { exit(0) }
                backing = line
            }
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    /// Serves until killed.
    func serve(backing: String?) -> Never {
        do {
            let line = try SequencedPacketSocket(checking: .copy(of: 3))
            var options = MountOptions(name: "peer", subtype: "test")
            options.wantsPassthrough = passes
            let adopted = backing.flatMap { Int32($0) }
            let isFirst = (try? MountTable.current().mount(of: path))?.point != path
            let files = FolderFileSystem(folder, isFirst: isFirst, passes: passes, adopted: adopted) { say($0) }
            if isFirst {
                let session = try Session.mount(at: path, options: options, files)
                guard let handover = session.handover else {
                    session.unmount(aborting: true)
                    say("no handover")
                    exit(0)
                }
                try send(handover.record, handover.devices, over: line)
            } else {
                let (record, devices) = try receive(from: line)
                guard let handover = SessionHandover(record: record, devices: devices) else { exit(2) }
                _ = try Session.resume(handover, options: options, files)
            }
            say("ready \(getpid()) \(descriptorCount())")
            // Exits when the keeping process has ended.
            var ended = pollfd(fd: line.descriptor.rawValue, events: 0, revents: 0)
            while poll(&ended, 1, -1) <= 0 {}
            exit(0)
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    private func send(_ record: [UInt8], _ devices: [FileDescriptor], over line: SequencedPacketSocket) throws {
        try record.withUnsafeBytes { try line.send($0, descriptors: devices) }
    }

    private func receive(from line: SequencedPacketSocket) throws -> ([UInt8], [FileDescriptor]) {
        var waited = pollfd(fd: line.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        try retrying { poll(&waited, 1, -1) }
        var buffer = [UInt8](repeating: 0, count: SessionHandover.recordLimit)
        let packet = try buffer.withUnsafeMutableBytes { try line.receive(into: $0) }
        return (Array(buffer.prefix(packet.byteCount)), packet.descriptors)
    }
}
