import FileTesting
import Glibc
import LinuxSystem
import Sandbox
import TestThreads
import Testing

/// A program of the system, confined to a directory of a test.
@Suite(.ownThreads) struct NamespaceTests {
    private static let system: [(path: String, access: Confinement.Access)] = [
        ("/usr", [.read, .execute]), ("/lib", [.read, .execute]), ("/lib64", [.read, .execute]),
        ("/bin", [.read, .execute]),
        ("/dev/null", [.read, .write]),
    ]

    /// Runs a command of the shell, and returns what it printed.
    private static func run(
        _ command: String, _ paths: [(path: String, access: Confinement.Access)] = [], layers: Layers = Layers(),
        network: Bool = false
    ) throws -> String {
        var confinement = Confinement(workingFolder: "/")
        confinement.paths = system + paths
        confinement.layers = layers
        confinement.network = network
        let output = try MemoryFile.create(name: "output")
        // The filter lets the shell start no process. It runs its own commands, or replaces itself by one program.
        let child = try ChildProgram.start(
            "/bin/sh", arguments: ["-c", command], environment: ["PATH=/usr/bin:/bin"],
            descriptors: [nil, output, output],
            confinedTo: confinement)
        _ = try child.wait()
        return String(decoding: try output.everything(), as: UTF8.self)
    }

    /// Whether the system permits namespaces. In continuous integration it must.
    private static func namespacesExist() -> Bool {
        let missing = Layers.missing.filter { $0.contains("namespace") }
        if !missing.isEmpty, getenv("CI") != nil { Issue.record("\(missing)") }
        return missing.isEmpty
    }

    @Test func filesThatAProgramWasNotHandedDoNotExistForIt() throws {
        guard Self.namespacesExist() else { return }
        let folder = try TestFolder()
        let path = folder.path
        try folder.file("handed", Array("handed\n".utf8))
        try folder.file("secret")
        let paths: [(path: String, access: Confinement.Access)] = [(path + "/handed", .read)]
        #expect(try Self.run("read x <\(path)/handed; echo $x", paths) == "handed\n")
        for outside in [
            path + "/secret", "/etc/passwd", "/root", "/home", "/proc/\(getpid())", "/sys", "/run", "/dev/sda",
        ] {
            #expect(try Self.run("test -e \(outside) || echo absent", paths) == "absent\n", "\(outside)")
        }
    }

    @Test func otherProcessesAndTheNetworkAreAbsent() throws {
        guard Self.namespacesExist() else { return }
        #expect(try Self.run("test -e /proc/$$/status && test -e /proc/self/fd && echo own") == "own\n")
        #expect(try Self.run("test -e /proc/1 || test -e /proc/$PPID || echo absent") == "absent\n")
        #expect(try Self.run("kill -0 $PPID 2>/dev/null || echo refused") == "refused\n")
        #expect(try Self.run("exec uname -n") == "localhost\n")
        let devices = try Self.run("exec cat /proc/self/net/dev").split(separator: "\n").filter { $0.contains(":") }
        #expect(devices.count == 1 && devices.allSatisfy { $0.contains("lo:") })
    }

    @Test func aProgramHasNoCapabilities() throws {
        for layers in [Layers(), Layers(namespaces: [])] {
            let status = try Self.run("exec cat /proc/self/status", layers: layers)
            let sets = status.split(separator: "\n").filter { $0.hasPrefix("Cap") }
            // A process of a user other than root keeps the bounding set, which has no effect for it.
            let wanted = geteuid() == 0 ? sets : sets.filter { !$0.hasPrefix("CapBnd") }
            #expect(sets.count == 5 && wanted.allSatisfy { $0.hasSuffix("0000000000000000") }, "\(sets)")
        }
    }

    @Test func linksOnTheWayToAPathLeadThere() throws {
        guard Self.namespacesExist() else { return }
        let folder = try TestFolder()
        let path = folder.path
        try folder.folder("real")
        try folder.folder("real/inner")
        try folder.file("real/inner/file", Array("found\n".utf8))
        try folder.link("relative", to: "real")
        try folder.link("absolute", to: path + "/relative")
        let paths: [(path: String, access: Confinement.Access)] = [(path + "/absolute/inner", .read)]
        for way in ["absolute", "relative", "real"] {
            #expect(try Self.run("read x <\(path)/\(way)/inner/file; echo $x", paths) == "found\n", "\(way)")
        }
        let pinned: [(path: String, access: Confinement.Access)] = [(path + "/absolute/inner", [.read, .withoutLinks])]
        #expect(try Self.run("test -e \(path)/real || echo absent", pinned) == "absent\n")
    }

    @Test func aProgramWritesWhereItMayOnly() throws {
        let folder = try TestFolder()
        let path = folder.path
        try folder.folder("read")
        try folder.folder("read/write")
        let paths: [(path: String, access: Confinement.Access)] = [
            (path + "/read", .read), (path + "/read/write", [.read, .write]),
        ]
        for layers in [Layers(), Layers(landlock: 0), Layers(landlock: 2), Layers(namespaces: [])] {
            #expect(try Self.run("echo x >\(path)/read/write/file && echo done", paths, layers: layers) == "done\n")
            let refused = try Self.run("echo x >\(path)/read/file && echo done", paths, layers: layers)
            #expect(!refused.contains("done"), "\(layers)")
            #expect(try folder.names("read") == ["write"])
        }
    }

    @Test func withoutNamespacesPathsAreRefused() throws {
        let folder = try TestFolder()
        try folder.file("secret", Array("secret\n".utf8))
        for layers in [
            Layers(landlock: 1, namespaces: []), Layers(landlock: 2, namespaces: []), Layers(namespaces: []),
        ] {
            let said = try Self.run("read x <\(folder.path)/secret; echo $x", layers: layers)
            #expect(!said.contains("secret\n") && said.contains("Permission denied"), "\(layers): \(said)")
        }
    }

    @Test func layersThatAreLeftOutAreTold() {
        #expect(Layers("landlock:2,namespaces:no") == Layers(landlock: 2, namespaces: []))
        #expect(Layers("") == Layers() && Layers("nonsense:1,landlock:x") == Layers())
        let older = Layers.missing(Layers(landlock: 2, namespaces: []))
        #expect(older.count == 2 && older[0].contains("no namespaces") && older[1].contains("Landlock 2"))
        #expect(Layers.missing(Layers(landlock: 0, namespaces: [])).last?.contains("reach all files") == true)
        let full = Errno(rawValue: ENOSPC)
        let unnetworked = Layers.missing(Layers(landlock: 2), permitting: [.ipc, .hostName, .files], full)
        #expect(unnetworked.count == 1 && unnetworked[0].contains("no namespace of the network (\(full))"))
        let rooted = Layers.missing(Layers(landlock: 0), permitting: .all, nil)
        #expect(rooted.count == 1 && rooted[0].contains("files that they are handed for reading"))
    }
}
