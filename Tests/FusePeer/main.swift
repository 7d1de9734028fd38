import Fuse
import FuseTesting
import Glibc
import LinuxSystem

// A process that serves a file system in memory until its input ends:
//
//     FusePeer MOUNTPOINT [passthrough] [user=NUMBER] [helper=SOCKET] [check] [repeat=COUNT]
//
// or that keeps a session, which processes of its own serve one after the other:
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

/// Of this process.
func descriptorCount() -> Int {
    (try? FileDescriptor.open("/proc/self/fd", [.readOnly, .directory]).entries().count) ?? -1
}

let path = CommandLine.arguments[1]
var options = MountOptions(name: "peer", subtype: "test")
options.wantsPassthrough = has("passthrough")
options.passthroughHelper = value("helper")

if let folder = value("keep") { Handovers(path, folder, passes: has("passthrough")).keep() }
if let folder = value("serve") { Handovers(path, folder, passes: has("passthrough")).serve(backing: value("backing")) }

do {
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
            // Each byte has it tell the kernel of changes in a folder, once that is being listed.
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
