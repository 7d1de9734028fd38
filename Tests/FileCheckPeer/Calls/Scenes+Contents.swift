import CLinux
import Glibc
import LinuxSystem

/// Scenes with truncate(2), ftruncate(2), posix_fallocate(3), and readers of directories.
extension Transcript {
    mutating func cutting() throws {
        for isOpen in [false, true] {
            try scene(isOpen ? "ftruncate" : "truncate") { scene in
                let open = try file("a", "0123456789")
                func cut(to size: Int) throws {
                    if isOpen { try open.truncate(to: size) } else { try FileCheckPeer.cut("a", to: size) }
                }
                scene.noteDates("shorter", of: "a") { try cut(to: 4) }
                scene.tell("shorter, its bytes") { try text("a") }
                scene.noteDates("longer", of: "a") { try cut(to: 7) }
                scene.tell("longer, its bytes") { Array(try text("a").utf8) }
                scene.noteDates("to what it is", of: "a") { try cut(to: 7) }
                scene.note("to less than nothing") { try cut(to: -1) }
                scene.note("to a gigabyte") { try cut(to: 1 << 30) }
                scene.tellStatus("to a gigabyte, its status", of: "a")
                scene.note("to nothing") { try cut(to: 0) }
                scene.note("written at a place beyond") { try open.write("x", at: 5) }
                scene.tell("its bytes then") { Array(try text("a").utf8) }
                scene.noteDates("the folder's dates", of: ".") { try cut(to: 1) }
            }
        }
        try scene("cut what is no file") { scene in
            try file("a", "text")
            try folder("folder")
            try link(at: "link", to: "a")
            try link(at: "circle", to: "circle")
            scene.note("a folder") { try cut("folder", to: 0) }
            scene.note("what is not there") { try cut("missing", to: 0) }
            scene.note("in a file") { try cut("a/b", to: 0) }
            scene.note("a circle of links") { try cut("circle", to: 0) }
            scene.note("a name of 256 bytes") { try cut(String(repeating: "n", count: 256), to: 0) }
            scene.note("a file with a slash behind") { try cut("a/", to: 0) }
            scene.note("through a link") { try cut("link", to: 2) }
            scene.tell("its bytes") { try text("a") }
            scene.note("what is open to read") { try FileDescriptor.open("a", .readOnly).truncate(to: 0) }
        }
        try scene("what was cut is seen by who has it open") { scene in
            try file("a", "0123456789")
            let reader = try FileDescriptor.open("a", .readOnly)
            try cut("a", to: 3)
            scene.tell("its size") { try reader.status().size }
            scene.tell("its bytes") { try reader.text() }
            try cut("a", to: 5)
            scene.tell("its bytes then") { Array(try reader.text().utf8) }
        }
    }

    mutating func allocating() throws {
        try scene("posix_fallocate") { scene in
            let open = try file("a", "text")
            func allocate(_ offset: Int, _ count: Int) throws {
                let error = posix_fallocate(open.rawValue, off_t(offset), off_t(count))
                guard error == 0 else { throw Errno(rawValue: error) }
            }
            scene.noteDates("longer", of: "a") { try allocate(0, 10) }
            scene.tell("its bytes") { Array(try text("a").utf8) }
            scene.noteDates("what is there", of: "a") { try allocate(2, 2) }
            scene.tellStatus("what is there, its status", of: "a")
            scene.note("beyond the end") { try allocate(100, 10) }
            scene.tellStatus("beyond the end, its status", of: "a")
            scene.note("nothing") { try allocate(0, 0) }
            scene.note("less than nothing") { try allocate(0, -1) }
            scene.note("before the beginning") { try allocate(-1, 10) }
            let reader = try FileDescriptor.open("a", .readOnly)
            scene.note("of what is open to read") {
                try retrying { clinux_fallocate(reader.rawValue, 0, 0, 1000) }
            }
            scene.note("and the size stays") { try retrying { clinux_fallocate(open.rawValue, 1, 0, 10_000) } }
            scene.tellStatus("and the size stays, its status", of: "a")
            scene.note("a hole") { try retrying { clinux_fallocate(open.rawValue, 3, 0, 2) } }
            scene.tell("a hole, the first bytes") { Array(try text("a").utf8.prefix(6)) }
        }
    }

    mutating func readingFolders() throws {
        try scene("readdir") { scene in
            let all = (0..<300).map { "file \($0)" }
            for name in all { try file(name) }
            scene.tell("all") { try names() == all.sorted() }
            let stream = try FolderStream(".")
            scene.tell("itself and the one above") { try stream.all().filter { $0.hasPrefix(".") }.sorted() }
            stream.rewind()
            let head = try (0..<50).map { _ in try stream.next() }
            let place = stream.place
            let next = try stream.next()
            _ = try stream.all()
            stream.seek(to: place)
            scene.tell("the same after going back") { try stream.next() == next }
            // Removes every other entry, both of those read and of those not read yet.
            let rest = all.filter { !head.contains($0) && $0 != next }
            for name in rest.indices.filter({ $0 % 2 == 0 }).map({ rest[$0] }) { try remove(name) }
            for name in head.compactMap({ $0 }).filter({ !$0.hasPrefix(".") }).prefix(20) { try remove(name) }
            stream.seek(to: place)
            let seen = try stream.all().filter { !$0.hasPrefix(".") }
            let stayed = rest.indices.filter { $0 % 2 == 1 }.map { rest[$0] } + [next ?? ""]
            scene.tell("each once that stayed") { seen.count == Set(seen).count && Set(seen).isSuperset(of: stayed) }
            scene.tell("after all was removed while it was read") {
                stream.rewind()
                while let name = try stream.next() { if !name.hasPrefix(".") { try remove(name) } }
                return try names()
            }
            try file("new")
            stream.rewind()
            scene.tell("what came meanwhile, after rewinding") { try stream.all().sorted() }
        }
        try scene("what a folder says of what is in it") { scene in
            try file("file")
            try folder("folder")
            try link(at: "link", to: "file")
            let entries = try FileDescriptor.open(".", [.readOnly, .directory]).entries()
                .sorted { $0.name.description < $1.name.description }
            scene.tell("kinds") { entries.map { "\($0.name) \($0.kind.map { "\($0)" } ?? "?")" } }
            scene.tell("inodes") { try entries.map { try status($0.name.description).identity.inode == $0.inode } }
        }
    }
}

/// A directory that is read by opendir(3) and readdir(3).
private final class FolderStream {
    private let stream: OpaquePointer

    init(_ path: String) throws(Errno) {
        guard let stream = opendir(path) else { throw .current }
        self.stream = stream
    }

    deinit { closedir(stream) }

    func next() throws(Errno) -> String? {
        errno = 0
        guard let entry = readdir(stream) else {
            guard errno == 0 else { throw .current }
            return nil
        }
        return withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
    }

    func all() throws(Errno) -> [String] {
        var names: [String] = []
        while let name = try next() { names.append(name) }
        return names
    }

    var place: Int { telldir(stream) }

    func seek(to place: Int) { seekdir(stream, place) }

    func rewind() { rewinddir(stream) }
}
