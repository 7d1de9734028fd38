import Fuse
import FuseTesting
import Glibc
import LinuxSystem

// A process that serves a file system in memory until its input ends:
//
//     FusePeer MOUNTPOINT [passthrough] [user=NUMBER] [helper=SOCKET] [check] [repeat=COUNT]
//
// or one that never answers when a file is closed, and passes such a file to a helper:
//
//     FusePeer MOUNTPOINT hang=SOCKET
//
// or one that keeps a session, which processes of its own serve one after the other:
//
//     FusePeer MOUNTPOINT keep=FOLDER [passthrough]
signal(SIGPIPE, SIG_IGN)

func say(_ text: String) {
    _ = (text + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) }
}
func value(_ name: String) -> String? {
    CommandLine.arguments.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
}
func has(_ name: String) -> Bool { CommandLine.arguments.contains(name) }

/// Returns the number of this process's open descriptors.
func descriptorCount() -> Int {
    (try? FileDescriptor.open("/proc/self/fd", [.readOnly, .directory]).entries().count) ?? -1
}

guard let path = CommandLine.arguments.dropFirst().first else {
    say("usage: FusePeer MOUNTPOINT [passthrough] [user=NUMBER] [helper=SOCKET] [check] [repeat=COUNT]")
    exit(2)
}
var options = MountOptions(name: "peer", subtype: "test")
options.wantsPassthrough = has("passthrough")
options.passthroughHelper = value("helper")

if let folder = value("keep") { Handovers(path, folder, passes: has("passthrough")).keep() }
if let folder = value("serve") { Handovers(path, folder, passes: has("passthrough")).serve(backing: value("backing")) }

/// Passes a file to a helper whose close never returns, so that the helper's thread for this process blocks for ever.
@MainActor func hang(_ helper: String) throws {
    let files = MemoryFileSystem()
    let session = try Session.mount(at: path, options: options, files)
    files.neverAnswer("flush", of: try files.add("file"))
    let hanging = try FileDescriptor.open(path + "/file", .readOnly)
    let connection = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: helper))
    try connection.waitForPacket()
    var welcome = PassthroughMessage.Welcome.min
    try connection.receive(value: &welcome)
    let request: PassthroughMessage.Request = (PassthroughMessage.greeting, 0)
    try connection.send(value: request, descriptors: [hanging])
    while files.calls("flush") == 0 { usleep(1000) }
    say("hangs")
    var byte: UInt8 = 0
    _ = read(STDIN_FILENO, &byte, 1)
    // Aborts the session, as this process's own close would hang as well.
    session.unmount(aborting: true)
    session.waitForEnd()
    withExtendedLifetime((hanging, connection)) {}
}

do {
    if let helper = value("hang") {
        try hang(helper)
        exit(0)
    }
    let before = descriptorCount()
    for _ in 0..<(value("repeat").flatMap { Int($0) } ?? 1) {
        let files = MemoryFileSystem(has("passthrough") ? .passthrough : .cached)
        let session = try Session.mount(at: path, options: options, files)
        if let user = value("user").flatMap({ uid_t($0) }) {
            try retrying { setgid(user) }
            try retrying { setuid(user) }
        }
        try files.add("greeting", Array("hello\n".utf8))
        say("ready \(session.passthroughIsPermitted)")
        if has("check") || value("repeat") != nil {
            let file = try FileDescriptor.open(path + "/greeting", .readOnly)
            say(String(decoding: try file.readToEnd(limit: 100), as: UTF8.self))
        } else {
            // For each byte of input, notifies the kernel of changes in a directory while it is being listed.
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {
                while files.waitingListings == 0 { usleep(1000) }
                guard let folder = try? FileStatus.of(path + "/never").identity.inode else { continue }
                for number in 0..<5 {
                    session.invalidateEntry(Name("name \(number)"), in: NodeID(rawValue: folder))
                }
                say("told")
            }
        }
        session.unmount()
        session.waitForEnd()
        say("ended \(files.hasEnded)")
    }
    say("descriptors \(before) \(descriptorCount())")
} catch {
    say("failed \(error)")
    exit(1)
}
