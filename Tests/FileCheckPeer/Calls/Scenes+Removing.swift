import CLinux
import Glibc
import LinuxSystem

/// unlink(2), and open files without a name.
extension Transcript {
    mutating func removing() throws {
        try scene("unlink") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "link", to: "folder")
            try link(at: "circle", to: "circle")
            scene.note("what is not there") { try remove("missing") }
            scene.note("in a folder that is not there") { try remove("missing/a") }
            scene.note("in a file") { try remove("a/b") }
            scene.note("in a circle of links") { try remove("circle/a") }
            scene.note("a folder") { try remove("folder") }
            scene.note("a folder with a slash behind") { try remove("folder/") }
            scene.note("the folder where it is") { try remove("folder/.") }
            scene.note("a file with a slash behind") { try remove("a/") }
            scene.note("nothing") { try remove("") }
            scene.note("a name of 256 bytes") { try remove(String(repeating: "n", count: 256)) }
            scene.note("a link with a slash behind") { try remove("link/") }
            scene.note("a link") { try remove("link") }
            scene.note("a circle") { try remove("circle") }
            scene.noteDates("a file", of: ".") { try remove("a") }
            scene.note("once more") { try remove("a") }
            scene.tell("the names") { try names() }
            scene.note("a name that is free again") { try file("a", "other") }
            scene.tell("what it holds") { try text("a") }
        }
        try scene("a file without a name") { scene in
            let open = try file("a", "text")
            let reader = try FileDescriptor.open("a", .readOnly)
            try remove("a")
            scene.tell("its names") { try open.status().linkCount }
            scene.tell("its bytes") { try reader.text() }
            scene.note("written to") { try open.write(" and more", at: 4) }
            scene.tell("its bytes then") { try reader.text() }
            scene.tell("its size") { try open.status().size }
            scene.note("cut") { try open.truncate(to: 2) }
            scene.tell("its size then") { try reader.status().size }
            scene.note("its mode set") { try retrying { fchmod(open.rawValue, 0o600) } }
            scene.tell("its mode") { String(try open.status().permissions, radix: 8) }
            scene.note("its dates set") {
                var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_100_000_000, tv_nsec: 0)]
                try retrying { futimens(open.rawValue, &times) }
            }
            scene.tell("its date") { try open.status().modified.tv_sec }
            scene.note("written to the disk") { try open.synchronize() }
            try file("a", "another")
            scene.tell("its bytes beside another file's") { try reader.text() }
            scene.tell("the other's") { try text("a") }
            scene.tell("opened anew") { try open.reopen(.readOnly).text() }
            scene.note("opened anew and written to") { try open.reopen(.writeOnly).write("x", at: 0) }
            scene.tell("its bytes at the end") { try reader.text() }
        }
        try scene("a file without a name that was there before") { scene in
            try file("a", "text")
            let reader = try FileDescriptor.open("a", .readOnly)
            try remove("a")
            scene.tell("its names") { try reader.status().linkCount }
            scene.tell("its bytes") { try reader.text() }
            scene.tell("opened anew") { try reader.reopen(.readOnly).text() }
        }
        try scene("what is only held on to") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "link", to: "a")
            let held = try ["a", "folder", "link"].map { try FileDescriptor.open($0, [.pathOnly, .noFollow]) }
            try remove("a")
            try remove("link")
            try removeFolder("folder")
            for (name, descriptor) in zip(["a file", "a folder", "a link"], held) {
                scene.tell("names of \(name)") { try descriptor.status().linkCount }
                scene.tell("kind of \(name)") { try descriptor.status().kind }
            }
        }
    }

    mutating func makingFolders() throws {
        try scene("mkdir") { scene in
            scene.noteDates("made", of: ".") { try folder("a") }
            scene.tellStatus("its status", of: "a")
            scene.tell("what is in it") { try names("a") }
            try file("file")
            try link(at: "link", to: "nowhere")
            scene.note("once more") { try folder("a") }
            scene.note("where a file is") { try folder("file") }
            scene.note("where a link is") { try folder("link") }
            scene.note("in a folder that is not there") { try folder("missing/a") }
            scene.note("in a file") { try folder("file/a") }
            scene.note("with a slash behind") { try folder("slash/") }
            scene.note("nothing") { try folder("") }
            scene.note("the folder where it is") { try folder(".") }
            scene.note("the folder above") { try folder("a/..") }
            scene.note("a name of 255 bytes") { try folder(String(repeating: "n", count: 255)) }
            scene.note("a name of 256 bytes") { try folder(String(repeating: "n", count: 256)) }
            for mode in [0o000, 0o111, 0o700, 0o777, 0o1777] as [mode_t] {
                let name = "mode " + String(mode, radix: 8)
                scene.note(name) { try folder(name, mode: mode) }
                scene.tellStatus("\(name), its status", of: name)
                try setMode(name, 0o700)
            }
            try setMode("a", 0o2755)
            scene.note("in one that passes its group on") { try folder("a/group") }
            scene.tellStatus("its status there", of: "a/group")
            try file("a/file")
            scene.tellStatus("status of a file there", of: "a/file")
            scene.tell("links of a folder with one in it") { try status("a").linkCount }
            scene.tell("the names") { try names() }
        }
    }

    mutating func removingFolders() throws {
        try scene("rmdir") { scene in
            try folder("a")
            try folder("full")
            try file("full/file")
            try folder("nested")
            try folder("nested/inner")
            try link(at: "link", to: "a")
            scene.note("what is not there") { try removeFolder("missing") }
            scene.note("in a folder that is not there") { try removeFolder("missing/a") }
            scene.note("a file") { try removeFolder("full/file") }
            scene.note("in a file") { try removeFolder("full/file/a") }
            scene.note("a link") { try removeFolder("link") }
            scene.note("a link with a slash behind") { try removeFolder("link/") }
            scene.note("one with a file in it") { try removeFolder("full") }
            scene.note("one with a folder in it") { try removeFolder("nested") }
            scene.note("the folder where it is") { try removeFolder("a/.") }
            scene.note("the folder above") { try removeFolder("nested/inner/..") }
            scene.note("nothing") { try removeFolder("") }
            scene.note("a name of 256 bytes") { try removeFolder(String(repeating: "n", count: 256)) }
            scene.noteDates("an empty one", of: ".") { try removeFolder("a") }
            scene.note("once more") { try removeFolder("a") }
            scene.note("made again") { try folder("a") }
            scene.note("and removed again with a slash behind") { try removeFolder("a/") }
            try remove("full/file")
            scene.note("one that was emptied") { try removeFolder("full") }
            scene.tell("the names") { try names() }
        }
        try scene("a folder without a name") { scene in
            try folder("a")
            let open = try FileDescriptor.open("a", [.readOnly, .directory])
            try removeFolder("a")
            scene.tell("its names") { try open.status().linkCount }
            scene.tell("its mode") { String(try open.status().permissions, radix: 8) }
            scene.tell("what is in it") { try open.entries().count }
            scene.note("a new file in it") { try open.open("b", [.writeOnly, .create, .exclusive]) }
            scene.note("a new folder in it") { try retrying { mkdirat(open.rawValue, "b", 0o755) } }
            scene.note("looking for a file in it") { try open.status(of: "b") }
            scene.note("its mode set") { try retrying { fchmod(open.rawValue, 0o700) } }
            try folder("a")
            try file("a/b", "text")
            scene.note("looking for a file of another folder in it") { try open.status(of: "b") }
            scene.note("opened anew") { try open.open(".", [.readOnly, .directory]) }
        }
        try scene("the folder that a program is in") { scene in
            try folder("a")
            try retrying { chdir("a") }
            scene.note("removed") { try removeFolder("../a") }
            scene.tell("its links") { try status(".").linkCount }
            scene.note("a new file") { try file("b") }
            scene.note("its names") { try names() }
            scene.note("where it is") {
                guard let path = getcwd(nil, 0) else { throw Errno.current }
                free(path)
            }
            scene.note("what is above it") { try status("..") }
        }
    }
}
