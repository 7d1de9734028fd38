import FileTesting
import Glibc
import LinuxSystem
import ProgramTesting
import Sandbox
import Testing

/// Control groups of version 2. This machine may provide no controllers for memory and processes there.
@Suite(.enabled(if: geteuid() == 0)) struct ControlGroupTests {
    /// Mounts the unified hierarchy for one test.
    private static func withHierarchy(_ body: (FileDescriptor) throws -> Void) throws {
        let folder = try TestFolder()
        try retrying { mount("none", folder.path, "cgroup2", 0, nil) }
        defer { umount2(folder.path, CInt(MNT_DETACH)) }
        try body(FileDescriptor.open(folder.path, [.readOnly, .directory]))
    }

    @Test func aProgramJoinsTheGroupThatItIsGiven() throws {
        try Self.withHierarchy { hierarchy in
            let name = "purvey-test-\(getpid())"
            try retrying { mkdirat(hierarchy.rawValue, name, 0o755) }
            defer { unlinkat(hierarchy.rawValue, name, AT_REMOVEDIR) }
            let group = try hierarchy.open(name, [.readOnly, .directory])
            var confinement = Confinement(workingFolder: "/")
            confinement.paths = [("/", [.read, .execute])]
            confinement.controlGroup = try group.open("cgroup.procs", .writeOnly)
            let output = try MemoryFile.create(name: "output")
            let child = try ChildProgram.start(
                "/bin/cat", arguments: ["/proc/self/cgroup"], environment: [], descriptors: [nil, output],
                confinedTo: confinement)
            #expect(try child.wait() == .exited(0))
            let text = String(decoding: try output.everything(), as: UTF8.self)
            #expect(text.split(separator: "\n").contains("0::/\(name)"), "\(text)")
        }
    }

    @Test func aGroupThatCannotBeJoinedIsAnErrorOfItsOwn() throws {
        var confinement = Confinement(workingFolder: "/")
        confinement.paths = [("/", [.read, .execute])]
        confinement.controlGroup = try FileDescriptor.open("/dev/null", .readOnly)
        do {
            _ = try ChildProgram.start(
                "/bin/true", arguments: [], environment: [], descriptors: [], confinedTo: confinement)
            Issue.record("it started")
        } catch {
            #expect(error.isOfControlGroup && "\(error)".contains("control group"))
        }
    }

    /// A plain directory simulates the kernel's files, as far as the code reads and writes them.
    @Test func membersGetTheLimitsOfTheControllersThatThereAre() throws {
        let folder = try TestFolder()
        try folder.file("cgroup.controllers", Array("cpuset memory pids\n".utf8))
        try folder.file("cgroup.procs", Array("\(getpid())\n".utf8))
        try folder.file("cgroup.subtree_control")
        try folder.folder("daemon")
        try folder.file("daemon/cgroup.procs")
        let group = try ControlGroup(folder.descriptor)
        #expect(group.controllers == ["memory", "pids"])
        #expect(try folder.content("daemon/cgroup.procs") == Array("\(getpid())".utf8))
        // The plain file holds the later command over the start of the earlier one. The kernel would execute both.
        #expect(try folder.content("cgroup.subtree_control") == Array("+pidsry".utf8))
        // The kernel adds files to a new group, but a plain directory stays empty. So no member can be created, and
        // no leftover must remain.
        #expect(throws: Errno.self) { try group.makeMember(memory: 1 << 20, threads: 5) }
        #expect(try !folder.names().contains { $0.hasPrefix("extension-") })
    }

    @Test func aGroupWithoutControllersIsNotUsed() throws {
        let folder = try TestFolder()
        try folder.file("cgroup.controllers", Array("hugetlb\n".utf8))
        #expect(throws: Errno.notSupported) { try ControlGroup(folder.descriptor) }
    }
}
