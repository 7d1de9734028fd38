import CLinux
import Glibc
import LinuxSystem

/// open(2), and the properties of open files.
extension Transcript {
    mutating func opening() throws {
        try scene("open a new file") { scene in
            scene.noteDates("made", of: ".") { try file("a") }
            scene.tellStatus("its status", of: "a")
            scene.note("once more, exclusively") { try file("a") }
            try link(at: "dangling", to: "nowhere")
            scene.note("exclusively where a link is") { try file("dangling") }
            try folder("folder")
            scene.note("exclusively where a folder is") { try file("folder") }
            scene.note("through a link") { try FileDescriptor.open("dangling", [.writeOnly, .create]) }
            scene.tellStatus("made through a link", of: "nowhere")
            scene.note("with a slash behind") { try file("new/") }
            scene.note("in a folder that is not there") { try file("missing/a") }
            scene.note("in a file") { try file("a/a") }
            for mode in [0o000, 0o200, 0o444, 0o666, 0o777, 0o4755, 0o2755, 0o1755] as [mode_t] {
                let name = "mode " + String(mode, radix: 8)
                scene.note("\(name), written to") { try file(name, "text", mode: mode) }
                scene.tellStatus(name, of: name)
            }
            scene.tell("the names") { try names() }
        }
        try scene("open a file that is there") { scene in
            try file("a", "0123456789")
            try folder("folder")
            scene.note("not there") { try FileDescriptor.open("b", .readOnly) }
            scene.note("in a file") { try FileDescriptor.open("a/b", .readOnly) }
            scene.note("with a slash behind") { try FileDescriptor.open("a/", .readOnly) }
            scene.note("as a folder") { try FileDescriptor.open("a", [.readOnly, .directory]) }
            scene.note("an empty path") { try FileDescriptor.open("", .readOnly) }
            scene.note("a folder to read") { try FileDescriptor.open("folder", .readOnly) }
            scene.note("a folder to write") { try FileDescriptor.open("folder", .writeOnly) }
            scene.note("a folder to read and write") { try FileDescriptor.open("folder", .readWrite) }
            scene.note("a folder to cut") { try FileDescriptor.open("folder", [.readOnly, .truncate]) }
            scene.note("a folder to make") { try FileDescriptor.open("folder", [.readOnly, .create]) }
            scene.note("reading from a folder") { try FileDescriptor.open("folder", .readOnly).text() }
            scene.note("writing what is open to read") { try FileDescriptor.open("a", .readOnly).write("x") }
            scene.note("reading what is open to write") { try FileDescriptor.open("a", .writeOnly).text() }
            scene.noteDates("opened and closed", of: "a") { _ = try FileDescriptor.open("a", .readWrite) }
            scene.noteDates("cut", of: "a") { _ = try FileDescriptor.open("a", [.writeOnly, .truncate]) }
            scene.tellStatus("cut", of: "a")
            scene.noteDates("cut once more", of: "a") { _ = try FileDescriptor.open("a", [.writeOnly, .truncate]) }
            scene.noteDates("written to", of: "a") { try FileDescriptor.open("a", .writeOnly).write("0123456789") }
            scene.note("cut as it is read") { try FileDescriptor.open("a", [.readOnly, .truncate]) }
            scene.tellStatus("cut as it is read, its status", of: "a")
        }
        try scene("names and paths") { scene in
            let longest = String(repeating: "n", count: 255)
            scene.note("a name of 255 bytes") { try file(longest, "long") }
            scene.note("a name of 256 bytes") { try file(longest + "n") }
            scene.note("looking for a name of 256 bytes") { try status(longest + "n") }
            scene.note("a folder's name of 256 bytes") { try status(longest + "n/a") }
            scene.note("255 bytes of letters of several") { try file(String(repeating: "日", count: 85), "long") }
            scene.note("256 bytes of letters of several") { try file(String(repeating: "日", count: 85) + "n") }
            try file("a", "text")
            scene.tell("a path of 4095 bytes") { try text(path(of: "a", bytes: 4095)) }
            scene.tell("a path of 4096 bytes") { try text(path(of: "a", bytes: 4096)) }
            scene.note("a path of 4096 bytes of a new file") { try file(path(of: "b", bytes: 4096)) }
            for name in [" ", "...", "-", "a b", "ä", "a\u{308}", "A", "a\"\\*?<>|:", "~", "#a#", ".hidden"] {
                scene.note("the name \(name)") { try file(name, name, mode: 0o600) }
                scene.tell("what \(name) holds") { try text(name) }
            }
            scene.note("a name with a line's end") { try file("a\nb") }
            scene.note("a name with an escape") { try file("a\u{1B}b") }
            scene.note("a name that is not UTF-8") {
                try retrying { mkdir([CChar(bitPattern: 0xC3), 0x28, 0], 0o755) }
            }
            scene.note("looking for a name that is not UTF-8") {
                try retrying { access([CChar(bitPattern: 0xC3), 0x28, 0], F_OK) }
            }
            var deep = "."
            for depth in 0..<60 {
                deep += "/\(depth)"
                try folder(deep)
            }
            scene.note("sixty folders deep") { try file(deep + "/a") }
        }
        try scene("links on the way") { scene in
            try link(at: "itself", to: "itself")
            try link(at: "one", to: "other")
            try link(at: "other", to: "one")
            try folder("folder")
            try file("folder/a", "text")
            try link(at: "shortcut", to: "folder")
            scene.note("a link to itself") { try FileDescriptor.open("itself", .readOnly) }
            scene.note("two links in a circle") { try FileDescriptor.open("one", .readOnly) }
            scene.note("a folder that is a circle") { try FileDescriptor.open("one/a", .readOnly) }
            scene.note("a new file at a circle") { try FileDescriptor.open("one", [.writeOnly, .create]) }
            scene.note("a link that is not followed") { try FileDescriptor.open("shortcut", [.readOnly, .noFollow]) }
            scene.note("one on the way is") { try FileDescriptor.open("shortcut/a", [.readOnly, .noFollow]) }
            scene.note("a link as a folder that is not followed") {
                try FileDescriptor.open("shortcut", [.readOnly, .noFollow, .directory])
            }
            scene.tellStatus("a link behind a link's slash", of: "shortcut/")
            try file("link 0", "text")
            for number in 1...41 { try link(at: "link \(number)", to: "link \(number - 1)") }
            scene.tell("forty links") { try text("link 40") }
            scene.tell("forty-one links") { try text("link 41") }
        }
        try scene("append") { scene in
            try file("a", "begin ")
            let one = try FileDescriptor.open("a", [.writeOnly, .append])
            let other = try FileDescriptor.open("a", [.writeOnly, .append])
            scene.note("by the one") { try one.write("one ") }
            scene.note("by the other") { try other.write("other ") }
            scene.note("by the one again") { try one.write("again ") }
            // On Linux, pwrite(2) with O_APPEND appends regardless of the offset.
            scene.note("at a place") { try one.write("placed ", at: 0) }
            scene.tell("all of it") { try text("a") }
            scene.note("after it was cut") {
                try cut("a", to: 2)
                try other.write("end")
            }
            scene.tell("all of it then") { try text("a") }
        }
        try scene("append no more") { scene in
            try file("a", "begin")
            let open = try FileDescriptor.open("a", [.readWrite, .append])
            scene.note("by fcntl") { try open.setFlags(0) }
            scene.note("at a place") { try open.write("B", at: 0) }
            scene.tell("all of it") { try text("a") }
        }
        try scene("append from now on") { scene in
            let open = try file("a", "begin ")
            scene.note("by fcntl") { try open.setFlags(O_APPEND) }
            scene.note("at the end") { try open.write("end", at: 0) }
            scene.tell("all of it") { try text("a") }
        }
        try scene("append, and map") { scene in
            let open = try FileDescriptor.open("a", [.readWrite, .create, .append], permissions: 0o644)
            scene.note("at the end") { try open.write(String(repeating: "a", count: 10_000)) }
            scene.note("in memory") {
                guard let bytes = mmap(nil, 10_000, PROT_READ | PROT_WRITE, MAP_SHARED, open.rawValue, 0),
                    bytes != MAP_FAILED
                else { throw Errno.current }
                defer { munmap(bytes, 10_000) }
                memset(bytes + 5_000, Int32(UInt8(ascii: "m")), 10)
                try retrying { msync(bytes, 10_000, MS_SYNC) }
            }
            scene.tell("what stays") { try text("a").count { $0 == "a" } }
            scene.tell("what was written") { try text("a").firstIndex(of: "m")?.utf16Offset(in: text("a")) }
            scene.note("at the end again") { try open.write("end") }
            scene.tell("its last bytes") { try text("a").suffix(5) }
            scene.tellStatus("its status", of: "a")
        }
        try scene("open without a name") { scene in
            scene.note("a file without a name") { try FileDescriptor.open(".", [.unnamedTemporary, .readWrite]) }
            scene.tell("the names") { try names() }
        }
        try scene("running programs") { scene in
            try SceneProgram.copy(to: "program")
            let writer = try FileDescriptor.open("program", .writeOnly)
            scene.note("run while it is open for writing") { try SceneProgram("./program").end() }
            withExtendedLifetime(writer) {}
        }
        try scene("running programs that are closed") { scene in
            try SceneProgram.copy(to: "program")
            let running = try SceneProgram("./program")
            scene.note("opened for writing while it runs") { try FileDescriptor.open("program", .writeOnly) }
            scene.note("cut while it runs") { try cut("program", to: 0) }
            scene.note("read while it runs") { try FileDescriptor.open("program", .readOnly) }
            scene.note("renamed while it runs") { try move("program", to: "renamed") }
            scene.note("removed while it runs") { try remove("renamed") }
            try running.end()
            scene.tell("the names") { try names() }
        }
        try scene("who may open") { scene in
            for mode in [0o000, 0o200, 0o400, 0o600] as [mode_t] {
                let name = String(mode, radix: 8)
                try file(name, "text", mode: mode)
                scene.note("\(name) to read") { try FileDescriptor.open(name, .readOnly) }
                scene.note("\(name) to write") { try FileDescriptor.open(name, .writeOnly) }
                scene.note("\(name) to cut") { try cut(name, to: 1) }
            }
            for mode in [0o000, 0o400, 0o500, 0o600, 0o700] as [mode_t] {
                let name = "folder " + String(mode, radix: 8)
                try folder(name)
                try file(name + "/a", "text")
                try setMode(name, mode)
                scene.note("\(name): names") { try names(name) }
                scene.note("\(name): status of a file") { try status(name + "/a") }
                scene.note("\(name): a file") { try text(name + "/a") }
                scene.note("\(name): a new file") { try file(name + "/b") }
                scene.note("\(name): a new folder") { try folder(name + "/c") }
                scene.note("\(name): a new name") { try move(name + "/a", to: name + "/d") }
                scene.note("\(name): a removal") { try remove(name + "/d") }
                try setMode(name, 0o700)
            }
        }
    }
}
