import CLinux
import FileTesting
import Glibc
import LinuxSystem

/// chmod(2), chown(2), utimensat(2), setxattr(2).
extension Transcript {
    mutating func settingModes() throws {
        try scene("chmod") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "link", to: "a")
            try link(at: "dangling", to: "nowhere")
            for mode in [0o000, 0o001, 0o111, 0o400, 0o640, 0o777, 0o1644, 0o2644, 0o4755, 0o7777] as [mode_t] {
                for name in ["a", "folder"] {
                    let step = "\(name), \(String(mode, radix: 8))"
                    scene.note(step) { try setMode(name, mode) }
                    scene.tellStatus("\(step), its status", of: name)
                }
            }
            try setMode("a", 0o644)
            try setMode("folder", 0o755)
            scene.noteDates("dates", of: "a", "folder", ".") {
                try setMode("a", 0o600)
                try setMode("folder", 0o700)
            }
            scene.note("through a link") { try setMode("link", 0o640) }
            scene.tellStatus("through a link, the file's status", of: "a")
            scene.tellStatus("through a link, the link's status", of: "link")
            scene.note("of a link") { try retrying { fchmodat(AT_FDCWD, "link", 0o600, AT_SYMLINK_NOFOLLOW) } }
            scene.note("of what is not there") { try setMode("missing", 0o600) }
            scene.note("through a link that leads nowhere") { try setMode("dangling", 0o600) }
            scene.note("in a file") { try setMode("a/b", 0o600) }
            scene.note("of a name of 256 bytes") { try setMode(String(repeating: "n", count: 256), 0o600) }
            scene.note("of what is open to read") {
                let open = try FileDescriptor.open("a", .readOnly)
                try retrying { fchmod(open.rawValue, 0o604) }
            }
            scene.tellStatus("of what is open to read, its status", of: "a")
        }
        try scene("modes that writing takes away") { scene in
            for mode in [0o4755, 0o2755, 0o6777] as [mode_t] {
                let name = String(mode, radix: 8)
                let open = try file(name, "text")
                try setMode(name, mode)
                scene.note("\(name), written to") { try open.write("x", at: 0) }
                scene.tellStatus("\(name), written to, its status", of: name)
                try setMode(name, mode)
                scene.note("\(name), cut") { try cut(name, to: 1) }
                scene.tellStatus("\(name), cut, its status", of: name)
                try setMode(name, mode)
                scene.note("\(name), given to its owner") { try retrying { chown(name, geteuid(), getegid()) } }
                scene.tellStatus("\(name), given to its owner, its status", of: name)
            }
        }
        try scene("modes of a file that is open") { scene in
            let open = try file("a", "text")
            scene.note("nobody may") { try setMode("a", 0o000) }
            scene.note("written to all the same") { try open.write("more", at: 4) }
            scene.tell("read all the same") { try open.text() }
            scene.note("opened anew") { try FileDescriptor.open("a", .readOnly) }
        }
    }

    mutating func settingOwners() throws {
        try scene("chown") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "link", to: "a")
            let (user, group) = (geteuid(), getegid())
            let nobody = uid_t.max
            scene.note("to nobody") { try retrying { chown("a", nobody, nobody) } }
            scene.note("to its owner") { try retrying { chown("a", user, group) } }
            scene.note("to its owner, whatever group") { try retrying { chown("a", user, nobody) } }
            scene.note("to its group, whatever owner") { try retrying { chown("a", nobody, group) } }
            scene.note("a folder to its owner") { try retrying { chown("folder", user, group) } }
            scene.note("a link to its owner") { try retrying { lchown("link", user, group) } }
            scene.tellStatus("its status", of: "a")
            scene.noteDates("dates", of: "a") { try retrying { chown("a", user, group) } }
            scene.note("what is not there") { try retrying { chown("missing", user, group) } }
            scene.note("in a file") { try retrying { chown("a/b", user, group) } }
            scene.note("to another") { try retrying { chown("a", 12345, nobody) } }
            scene.note("to another group") { try retrying { chown("a", nobody, 12345) } }
            scene.note("a link to another") { try retrying { lchown("link", 12345, 12345) } }
            scene.tellStatus("its status then", of: "a")
        }
    }

    private static let now = 0x3FFF_FFFF
    private static let omitted = 0x3FFF_FFFE

    private static func setDates(
        _ path: String, _ accessed: (Int, Int), _ modified: (Int, Int), followingLinks: Bool = true
    ) throws(Errno) {
        let times = [accessed, modified].map { timespec(tv_sec: $0.0, tv_nsec: $0.1) }
        try retrying { utimensat(AT_FDCWD, path, times, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
    }

    private static func date(_ time: timespec) -> String { "\(time.tv_sec) s \(time.tv_nsec) ns" }

    mutating func settingDates() throws {
        try scene("utimensat") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "link", to: "a")
            for name in ["a", "folder"] {
                scene.note("\(name), both") { try Self.setDates(name, (1_000_000_000, 1000), (1_100_000_000, 5000)) }
                scene.tell("\(name), both, contents") { Self.date(try status(name).modified) }
                scene.tell("\(name), both, last read") { Self.date(try status(name).accessed) }
                scene.note("\(name), the first") { try Self.setDates(name, (1_200_000_000, 0), (0, Self.omitted)) }
                scene.tell("\(name), the first, contents") { Self.date(try status(name).modified) }
                scene.tell("\(name), the first, last read") { Self.date(try status(name).accessed) }
                scene.note("\(name), the second") { try Self.setDates(name, (0, Self.omitted), (1_300_000_000, 0)) }
                scene.tell("\(name), the second, contents") { Self.date(try status(name).modified) }
                scene.note("\(name), neither") { try Self.setDates(name, (0, Self.omitted), (0, Self.omitted)) }
                scene.tell("\(name), neither, contents") { Self.date(try status(name).modified) }
                scene.noteDates("\(name), now", of: name) { try Self.setDates(name, (0, Self.now), (0, Self.now)) }
                scene.noteDates("\(name), without dates", of: name) {
                    try retrying { utimensat(AT_FDCWD, name, nil, 0) }
                }
                scene.noteDates("\(name), long ago", of: name) { try Self.setDates(name, (1, 0), (1, 0)) }
            }
            scene.note("a link") { try Self.setDates("link", (2, 0), (1_400_000_000, 0), followingLinks: false) }
            scene.tell("a link, contents") { Self.date(try status("link").modified) }
            scene.note("through a link") { try Self.setDates("link", (3, 0), (1_500_000_000, 0)) }
            scene.tell("through a link, the link's") { Self.date(try status("link").modified) }
            scene.tell("through a link, the file's") { Self.date(try status("a").modified) }
            for seconds in [-1, -1_000_000_000, 0, 1 << 31, (1 << 32) + 5] {
                scene.note("\(seconds) seconds") { try Self.setDates("a", (seconds, 0), (seconds, 0)) }
                scene.tell("\(seconds) seconds, contents") { Self.date(try status("a").modified) }
            }
            scene.note("a nanosecond") { try Self.setDates("a", (7, 0), (7, 1)) }
            scene.tell("a nanosecond, contents") { Self.date(try status("a").modified) }
            scene.note("too many nanoseconds") { try Self.setDates("a", (0, 0), (0, 1_000_000_000)) }
            scene.note("fewer than none") { try Self.setDates("a", (0, 0), (0, -1)) }
            scene.note("of what is not there") { try Self.setDates("missing", (0, 0), (0, 0)) }
            scene.note("in a file") { try Self.setDates("a/b", (0, 0), (0, 0)) }
            scene.note("of what may not be written") {
                try setMode("a", 0o444)
                try Self.setDates("a", (8, 0), (8, 0))
            }
            scene.note("of what may not be written, now") { try retrying { utimensat(AT_FDCWD, "a", nil, 0) } }
        }
        try scene("dates of a file that is open") { scene in
            let open = try file("a", "text")
            try Self.setDates("a", (1_000_000_000, 0), (1_000_000_000, 0))
            scene.tell("set") { Self.date(try open.status().modified) }
            scene.noteDates("written to", of: "a") { try open.write("more", at: 4) }
            try Self.setDates("a", (1_000_000_000, 0), (1_000_000_000, 0))
            scene.tell("set again") { Self.date(try status("a").modified) }
            scene.noteDates("read", of: "a") { _ = try open.text() }
        }
        try scene("dates that stay") { scene in
            for name in ["a", "b"] {
                let open = try file(name, "text")
                try Self.setDates(name, (1_000_000_000, 0), (1_000_000_000, 0))
                withExtendedLifetime(open) {}
            }
            scene.tell("closed") { Self.date(try status("a").modified) }
            try move("a", to: "c")
            try setMode("c", 0o600)
            scene.tell("renamed and another mode") { Self.date(try status("c").modified) }
            try move("c", to: "b")
            scene.tell("renamed onto another") { Self.date(try status("b").modified) }
            scene.tell("read") {
                _ = try text("b")
                return Self.date(try status("b").modified)
            }
        }
    }

    mutating func settingExtendedAttributes() throws {
        try scene("extended attributes") { scene in
            try folder("folder")
            for (name, open) in [
                ("a file", try file("a", "text")), ("a folder", try FileDescriptor.open("folder", .readOnly)),
            ] {
                func set(_ key: String, _ value: String, _ flags: CInt = 0) throws(Errno) {
                    try retrying { clinux_fsetxattr(open.rawValue, key, value, value.utf8.count, flags) }
                }
                func value(_ key: String, room: Int = 4096) throws(Errno) -> String {
                    var bytes = [UInt8](repeating: 0, count: room)
                    let count = try retrying { clinux_fgetxattr(open.rawValue, key, &bytes, room) }
                    return String(decoding: bytes.prefix(count), as: UTF8.self)
                }
                scene.note("\(name): one that is not there") { try value("user.a") }
                scene.note("\(name): set") { try set("user.a", "value") }
                scene.tell("\(name): its value") { try value("user.a") }
                scene.tell("\(name): with little room") { try value("user.a", room: 2) }
                scene.note("\(name): made once more") { try set("user.a", "other", 1) }
                scene.note("\(name): replaced") { try set("user.a", "other", 2) }
                scene.note("\(name): replaced where it is not there") { try set("user.b", "other", 2) }
                scene.note("\(name): an empty one") { try set("user.empty", "") }
                scene.tell("\(name): the empty one's value") { try value("user.empty") }
                scene.note("\(name): a name of 255 bytes") { try set("user." + String(repeating: "n", count: 250), "") }
                scene.note("\(name): a name of 256 bytes") { try set("user." + String(repeating: "n", count: 251), "") }
                scene.note("\(name): no name") { try set("user.", "value") }
                scene.note("\(name): of no kind") { try set("nothing", "value") }
                scene.note("\(name): 2000 bytes") { try set("user.b", String(repeating: "v", count: 2000)) }
                scene.note("\(name): 70000 bytes") { try set("user.b", String(repeating: "v", count: 70_000)) }
                scene.note("\(name): removed") { try retrying { clinux_fremovexattr(open.rawValue, "user.b") } }
                scene.note("\(name): removed again") { try retrying { clinux_fremovexattr(open.rawValue, "user.b") } }
                scene.tell("\(name): all") { try open.attributeNames() }
            }
            scene.noteDates("dates", of: "a", "folder") {
                for name in ["a", "folder"] { try FileDescriptor.open(name, .readOnly).setAttribute("user.c", "c") }
            }
        }
    }
}
