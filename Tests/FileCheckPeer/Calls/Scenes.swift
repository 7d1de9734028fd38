import CLinux
import Glibc
import LinuxSystem

extension Transcript {
    /// Plays every scene in the working directory.
    mutating func playAll() throws {
        try opening()
        try locking()
        try renaming()
        try removing()
        try makingFolders()
        try removingFolders()
        try linking()
        try linkingSymbolically()
        try cutting()
        try allocating()
        try settingModes()
        try settingOwners()
        try settingDates()
        try settingExtendedAttributes()
        try makingNodes()
        try readingFolders()
    }

    /// mkfifo(3), mknod(2), and sockets.
    mutating func makingNodes() throws {
        try scene("nodes") { scene in
            try file("a")
            scene.note("a pipe") { try retrying { mkfifo("pipe", 0o644) } }
            scene.note("a pipe where a name is taken") { try retrying { mkfifo("a", 0o644) } }
            scene.note("a pipe in a folder that is not there") { try retrying { mkfifo("missing/pipe", 0o644) } }
            scene.note("a pipe in a file") { try retrying { mkfifo("a/pipe", 0o644) } }
            scene.note("a pipe of a name of 256 bytes") {
                try retrying { mkfifo(String(repeating: "n", count: 256), 0o644) }
            }
            scene.note("a socket") { try retrying { mknod("socket", S_IFSOCK | 0o644, 0) } }
            scene.note("a device") { try retrying { mknod("device", S_IFCHR | 0o644, 0x103) } }
            scene.note("a file") { try retrying { mknod("file", S_IFREG | 0o640, 0) } }
            scene.tellStatus("a file, its status", of: "file")
            scene.note("a file where a name is taken") { try retrying { mknod("a", S_IFREG | 0o644, 0) } }
            scene.note("the file is used") { try FileDescriptor.open("file", .writeOnly).write("text") }
            scene.tell("its bytes") { try text("file") }
        }
    }
}
