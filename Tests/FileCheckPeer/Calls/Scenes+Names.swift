import CLinux
import Glibc
import LinuxSystem

/// rename(2), renameat2(2), link(2), symlink(2).
extension Transcript {
    mutating func renaming() throws {
        try scene("rename a file") { scene in
            try file("a", "text")
            let identity = try status("a").identity
            try folder("folder")
            scene.noteDates("to a free name", of: [("a", "b"), (".", ".")]) { try move("a", to: "b") }
            scene.note("the old name") { try status("a") }
            scene.tellStatus("the new name", of: "b")
            scene.tell("is the same file") { try status("b").identity == identity }
            scene.noteDates("into a folder", of: [("b", "folder/c"), (".", "."), ("folder", "folder")]) {
                try move("b", to: "folder/c")
            }
            scene.tell("is the same file still") { try status("folder/c").identity == identity }
            scene.note("what is not there") { try move("missing", to: "d") }
            scene.note("from a folder that is not there") { try move("missing/a", to: "d") }
            scene.note("to a folder that is not there") { try move("folder/c", to: "missing/d") }
            scene.note("to nothing") { try move("folder/c", to: "") }
            scene.note("from nothing") { try move("", to: "d") }
            scene.note("into a file") { try move("folder/c", to: "folder/c/d") }
            scene.note("with a slash behind") { try move("folder/c/", to: "d") }
            scene.note("to a name with a slash behind") { try move("folder/c", to: "d/") }
            scene.note("to a name of 256 bytes") { try move("folder/c", to: String(repeating: "n", count: 256)) }
            scene.note("to a name of 255 bytes") { try move("folder/c", to: String(repeating: "n", count: 255)) }
            scene.note("to itself") {
                try move(String(repeating: "n", count: 255), to: String(repeating: "n", count: 255))
            }
            scene.tell("the names") { try names() }
        }
        try scene("rename a file onto something") { scene in
            try file("a", "new")
            try file("b", "old", mode: 0o600)
            let identity = try status("a").identity
            let replaced = try FileDescriptor.open("b", .readWrite)
            scene.noteDates("onto a file", of: [("a", "b"), (".", ".")]) { try move("a", to: "b") }
            scene.tellStatus("what is there", of: "b")
            scene.tell("its bytes") { try text("b") }
            scene.tell("is the one that was renamed") { try status("b").identity == identity }
            scene.tell("names of what was replaced") { try replaced.status().linkCount }
            scene.tell("what was replaced") { try replaced.text() }
            scene.note("writing to what was replaced") { try replaced.write("older", at: 0) }
            scene.tell("the bytes stay") { try text("b") }
            try folder("folder")
            scene.note("onto an empty folder") { try move("b", to: "folder") }
            try link(at: "link", to: "nowhere")
            scene.note("onto a link") { try move("b", to: "link") }
            scene.tellStatus("in the link's place", of: "link")
            scene.tell("the names") { try names() }
        }
        try scene("rename a folder") { scene in
            try folder("a")
            try folder("a/inner")
            try file("a/inner/file", "text")
            try folder("other")
            try file("file")
            scene.noteDates("to a free name", of: [("a", "b"), (".", "."), ("a/inner", "b/inner")]) {
                try move("a", to: "b")
            }
            scene.tell("what is in it") { try text("b/inner/file") }
            scene.note("by its old name") { try status("a/inner/file") }
            scene.note("into itself") { try move("b", to: "b/c") }
            scene.note("into one in itself") { try move("b", to: "b/inner/c") }
            scene.note("onto one in itself") { try move("b", to: "b/inner") }
            scene.note("onto the one that it is in") { try move("b/inner", to: "b") }
            scene.note("onto a file") { try move("b", to: "file") }
            scene.note("onto itself") { try move("b", to: "b") }
            scene.note("with slashes behind") { try move("b/", to: "c/") }
            scene.note("onto an empty one") { try move("c", to: "other") }
            scene.tell("what is in it then") { try text("other/inner/file") }
            try folder("full")
            try file("full/a")
            scene.note("onto one with something in it") { try move("other", to: "full") }
            scene.note("the folder where it is") { try move("other/.", to: "d") }
            scene.note("the folder above") { try move("other/..", to: "d") }
            scene.note("onto the folder where it is") { try move("other", to: "full/.") }
            scene.noteDates("into another", of: [("other", "full/o"), (".", "."), ("full", "full")]) {
                try move("other", to: "full/o")
            }
            scene.tell("what is above it") { try status("full/o/..").identity == status("full").identity }
            scene.tell("the names") { try names() + names("full") }
        }
        try scene("rename while it is open") { scene in
            try folder("folder")
            let open = try file("folder/a", "text")
            try move("folder/a", to: "b")
            scene.note("written to") { try open.write("more", at: 4) }
            scene.tell("the bytes") { try text("b") }
            let inside = try FileDescriptor.open("folder", [.readOnly, .directory])
            try move("folder", to: "moved")
            scene.note("a file in a folder that is open") {
                try inside.open("c", [.writeOnly, .create, .exclusive]).write("text")
            }
            scene.tell("what is in it") { try names("moved") }
        }
        try scene("rename with flags") { scene in
            try file("a", "a")
            try file("b", "b")
            try folder("folder")
            try file("folder/inner", "inner")
            let noReplace = clinux_rename_noreplace
            let exchange = clinux_rename_exchange
            scene.note("onto what is taken") { try move("a", to: "b", flags: noReplace) }
            scene.note("onto itself") { try move("a", to: "a", flags: noReplace) }
            scene.note("to a free name") { try move("a", to: "c", flags: noReplace) }
            scene.noteDates("two files", of: [("b", "c"), ("c", "b"), (".", ".")]) {
                try move("b", to: "c", flags: exchange)
            }
            scene.tell("their bytes") { try text("b") + text("c") }
            scene.note("a file and a folder") { try move("b", to: "folder", flags: exchange) }
            scene.tell("what is where") { try text("folder") + text("b/inner") }
            scene.note("a folder and what is in it") { try move("b", to: "b/inner", flags: exchange) }
            scene.note("with what is not there") { try move("b", to: "missing", flags: exchange) }
            scene.note("both") { try move("b", to: "c", flags: noReplace | exchange) }
            scene.note("flags that mean nothing") { try move("b", to: "c", flags: 1 << 16) }
            scene.tell("the names") { try names() }
        }
    }

    mutating func linking() throws {
        try scene("link") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "symbolic", to: "a")
            scene.note("a file") { try Self.hardLink("a", "b") }
            scene.tell("names of the file") { try status("a").linkCount }
            scene.note("a symbolic link") { try Self.hardLink("symbolic", "c") }
            scene.note("a folder") { try Self.hardLink("folder", "d") }
            scene.note("where a name is taken") { try Self.hardLink("a", "folder") }
            scene.note("what is not there") { try Self.hardLink("missing", "e") }
            scene.note("to a folder that is not there") { try Self.hardLink("a", "missing/e") }
            scene.note("to a name of 256 bytes") { try Self.hardLink("a", String(repeating: "n", count: 256)) }
            scene.tell("the names") { try names() }
        }
    }

    private static func hardLink(_ path: String, _ newPath: String) throws(Errno) {
        try retrying { Glibc.link(path, newPath) }
    }

    mutating func linkingSymbolically() throws {
        try scene("symbolic links") { scene in
            try file("a", "text")
            try folder("folder")
            scene.noteDates("made", of: ".") { try link(at: "link", to: "a") }
            scene.tellStatus("its status", of: "link")
            scene.tell("where it leads") { try target("link") }
            scene.tell("what is there") { try text("link") }
            scene.note("a name that is taken") { try link(at: "a", to: "b") }
            scene.note("a link's name that is taken") { try link(at: "link", to: "b") }
            scene.note("in a folder that is not there") { try link(at: "missing/link", to: "a") }
            scene.note("in a file") { try link(at: "a/link", to: "a") }
            scene.note("to nothing") { try link(at: "nothing", to: "") }
            scene.note("with a slash behind") { try link(at: "slash/", to: "a") }
            scene.note("a name of 256 bytes") { try link(at: String(repeating: "n", count: 256), to: "a") }
            scene.note("to a path of 4095 bytes") { try link(at: "far", to: path(of: "a", bytes: 4095)) }
            scene.tell("where it leads, then") { try target("far").utf8.count }
            scene.note("to a path of 4096 bytes") { try link(at: "farther", to: path(of: "a", bytes: 4096)) }
            scene.note("to a path with a line's end") { try link(at: "lines", to: "a\nb") }
            scene.tell("where that leads") { try target("lines") }
            scene.note("to a path that is not UTF-8") {
                try retrying { symlink([CChar(bitPattern: 0xC3), 0x28, 0], "bytes") }
            }
            scene.note("reading a file as one") { try target("a") }
            scene.note("reading a folder as one") { try target("folder") }
            try link(at: "upwards", to: "../a")
            try link(at: "folder/upwards", to: "../a")
            scene.note("one that leads out of its folder wrongly") { try text("upwards") }
            scene.tell("one that leads out of its folder") { try text("folder/upwards") }
            try link(at: "absolute", to: "/bin/sh")
            scene.note("one that leads elsewhere") { try FileDescriptor.open("absolute", .readOnly) }
            scene.note("removed") { try remove("link") }
            scene.tell("what it led to stays") { try text("a") }
            scene.note("cut through one") { try cut("folder/upwards", to: 2) }
            scene.tell("what was cut") { try text("a") }
        }
    }
}
