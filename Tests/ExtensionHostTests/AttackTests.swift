import AppExtension
import ExtensionHost
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import Sandbox
import Testing

/// Attacks that succeeded against an earlier version, with variants. A hostile extension makes the system calls.
///
/// Runs as the user of the tests, which is root in continuous integration. ``UnprivilegedAttackTests`` runs them as
/// another user.
@Suite struct AttackTests {
    #if arch(x86_64)
        private static let (truncate, fcntl, ioctl, mmap, clone, semctl, msgctl, shmctl) = (
            76, 72, 16, 9, 56, 66, 71, 31
        )
        private static let (setScheduler, setParameters, setAffinity, setAttributes) = (144, 142, 203, 314)
        private static let (setGroups, unshare, stat, readLink, getAttribute) = (116, 272, 262, 267, 191)
    #else
        private static let (truncate, fcntl, ioctl, mmap, clone, semctl, msgctl, shmctl) = (
            45, 25, 29, 222, 220, 191, 187, 195
        )
        private static let (setScheduler, setParameters, setAffinity, setAttributes) = (119, 118, 122, 274)
        private static let (setGroups, unshare, stat, readLink, getAttribute) = (159, 97, 79, 78, 8)
    #endif
    private static let refused = Errno.notPermitted.description

    /// The layers of confinement to attack: those of this system, and those of older or stricter systems.
    static let layers = [
        Layers(), Layers(landlock: 2), Layers(landlock: 0), Layers(namespaces: []), Layers(landlock: 2, namespaces: []),
    ]

    private func refuses(_ deeds: [String], _ place: ExtensionFixture, layers: Layers) throws {
        let unruly = try place.start(layers: layers)
        defer { unruly.end() }
        for deed in deeds { #expect(unruly.tell("call " + deed) == Self.refused, "\(deed) with \(layers)") }
        #expect(unruly.tell("greet") == "hello")
    }

    @Test(arguments: layers) func noFileIsEmptiedByItsPath(_ layers: Layers) throws {
        try ExtensionFixture.run { place in
            let file = place.root + "/precious"
            try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
            let own = place.data + "/extensions/org.example.unruly.appex/Info.plist"
            try refuses(
                ["\(Self.truncate) @\(file) 0", "\(Self.truncate) @\(own) 0", "\(Self.truncate) @/proc/self/exe 4"],
                place, layers: layers)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("precious".utf8))
            #expect(try FileStatus.of(own).size > 0)
        }
    }

    @Test(arguments: layers) func noProcessIsSignalledByADescriptor(_ layers: Layers) throws {
        try ExtensionFixture.run { place in
            let own = getpid()
            try refuses(
                [
                    // F_SETOWN, F_SETSIG, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP.
                    "\(Self.fcntl) 3 8 \(own)", "\(Self.fcntl) 3 10 9", "\(Self.fcntl) 3 15 #64",
                    "\(Self.ioctl) 3 0x8901 #64",
                    "\(Self.ioctl) 3 0x8902 #64",
                ], place, layers: layers)
        }
    }

    @Test(arguments: layers) func capabilitiesAreNone(_ layers: Layers) throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start(layers: layers)
            let status = try #require(unruly.tell("text /proc/self/status"))
            let sets = status.split(separator: "\n").filter {
                $0.hasPrefix("CapEff") || $0.hasPrefix("CapPrm") || $0.hasPrefix("CapInh")
            }
            #expect(sets.count == 3 && sets.allSatisfy { $0.hasSuffix("\t0000000000000000") }, "\(sets)")
            unruly.end()
            let thread = 0x3D0F00
            try refuses(
                [
                    // FIFREEZE, EXT4_IOC_SHUTDOWN; threads in new namespaces of mounts, network and host name.
                    "\(Self.ioctl) 3 0xC0045877 0", "\(Self.ioctl) 3 0x8004587D #8",
                    "\(Self.clone) \(thread | 0x2_0000) 0",
                    "\(Self.clone) \(thread | 0x4000_0000) 0", "\(Self.clone) \(thread | 0x400_0000) 0",
                    "\(Self.unshare) 0x10000000",
                    // open_tree_attr; setgroups.
                    "467 -100 @/ 1 #64 32", "\(Self.setGroups) 0 0",
                ], place, layers: layers)
        }
    }

    @Test(arguments: layers) func noProcessIsSlowedDown(_ layers: Layers) throws {
        try ExtensionFixture.run { place in
            for process in [0, getpid(), getppid()] {
                try refuses(
                    [
                        "\(Self.setScheduler) \(process) 5 #64", "\(Self.setParameters) \(process) #64",
                        "\(Self.setAffinity) \(process) 8 #64", "\(Self.setAttributes) \(process) #64 0",
                    ], place, layers: layers)
            }
        }
    }

    @Test func sharedObjectsOfOthersStay() throws {
        // A semaphore of this process, with a value.
        let set = semget(IPC_PRIVATE, 1, 0o600)
        try #require(set >= 0)
        // ipcrm removes it, because Swift cannot call the variadic semctl(2).
        defer { _ = try? ChildProgram.start("/usr/bin/ipcrm", arguments: ["-s", "\(set)"], descriptors: []).wait() }
        try ExtensionFixture.run { place in
            for layers in Self.layers {
                try refuses(
                    [
                        "\(Self.semctl) \(set) 0 16 7", "\(Self.semctl) \(set) 0 0 0", "\(Self.msgctl) 0 0 0",
                        "\(Self.shmctl) 0 0 0",
                    ], place,
                    layers: layers)
            }
        }
        var operation = sembuf(sem_num: 0, sem_op: 0, sem_flg: CShort(IPC_NOWAIT))
        // The value is still zero, so waiting for zero succeeds at once.
        #expect(semop(set, &operation, 1) == 0)
    }

    @Test(arguments: layers) func filesOutsideTheContainerAreNotSeen(_ layers: Layers) throws {
        try ExtensionFixture.run { place in
            let file = place.root + "/seen"
            try Data("x".utf8).write(to: URL(fileURLWithPath: file))
            let unruly = try place.start(layers: layers)
            defer { unruly.end() }
            guard layers.namespaces.contains(.files), !Layers.missing.contains(where: { $0.contains("namespaces") })
            else {
                // `purvey status` reports this weakness.
                #expect(unruly.tell("read \(file)") == Errno.permissionDenied.description)
                return
            }
            let absent = Errno.noSuchFile.description
            for path in [file, "/root", "/home", "/etc/shadow", "/etc/passwd", "/proc/\(getpid())", "/run"] {
                #expect(unruly.tell("exists \(path)") == absent, "\(path)")
                #expect(unruly.tell("call \(Self.stat) -100 @\(path) #256 0") == absent, "\(path)")
                #expect(unruly.tell("call \(Self.readLink) -100 @\(path) #256 256") == absent, "\(path)")
                #expect(unruly.tell("call \(Self.getAttribute) @\(path) @user.x #256 256") == absent, "\(path)")
            }
            // Mounts and sockets of other processes; statmount, listmount; SIOCGIFCONF, SIOCGIFHWADDR.
            let mounts = unruly.tell("text /proc/self/mountinfo") ?? ""
            #expect(!mounts.contains(place.root + "/other") && !mounts.contains("/sys/fs/cgroup"))
            #expect((unruly.tell("text /proc/self/net/unix") ?? "").split(separator: "\n").count <= 1)
            for call in [
                "457 #64 #256 256 0", "458 #64 #256 16 0", "\(Self.ioctl) 3 0x8912 #256", "\(Self.ioctl) 3 0x8927 #256",
            ] {
                #expect(unruly.tell("call " + call) == Self.refused, "\(call)")
            }
        }
    }

    @Test func callsThatNoKernelHadYetDoNotExist() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            defer { unruly.end() }
            for number in [471, 480, 1000] {
                #expect(unruly.tell("call \(number)") == Errno(rawValue: ENOSYS).description, "\(number)")
            }
            #if arch(x86_64)
                // modify_ldt
                #expect(unruly.tell("call 154 0 #16 16") == Self.refused)
            #endif
        }
    }

    @Test func memoryThatTheLimitDoesNotCountIsRefused() throws {
        try ExtensionFixture.run { place in
            // MAP_GROWSDOWN, MAP_SHARED | MAP_ANONYMOUS, MAP_HUGETLB.
            try refuses(
                [
                    "\(Self.mmap) 0 4096 3 0x122 -1 0", "\(Self.mmap) 0 4096 3 0x21 -1 0",
                    "\(Self.mmap) 0 4096 3 0x40022 -1 0",
                ], place,
                layers: Layers())
        }
    }

    @Test(arguments: ["page-tables", "sockets", "memory-files"]) func memoryOfAnyKindEndsAtTheLimit(_ deed: String)
        throws
    {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            unruly.order(deed)
            let ending = unruly.run.waitForEnd()
            #expect(ending.reason == .tookTooMuchMemory && ending.status == 128, "\(ending)")
            #expect(ending.sentence.contains("128 MiB of memory"))
        }
    }

    @Test func threadsEndAtTheirLimit() throws {
        try ExtensionFixture.run { place in
            let unruly = try place.start()
            defer { unruly.end() }
            unruly.order("threads")
            // In a user namespace, the kernel enforces the limit itself for users other than root, and the process
            // does not end.
            guard geteuid() == 0 || !Layers.missing.isEmpty else { return }
            let ending = unruly.run.waitForEnd()
            #expect(ending.reason == .tookTooManyThreads, "\(ending)")
            #expect(ending.sentence.contains("1024 threads"))
        }
    }

    @Test func aThousandCallsByChanceChangeNothingOutside() throws {
        try ExtensionFixture.run { place in
            let outside = place.root + "/outside"
            try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
            let file = outside + "/file"
            try Data("as it was".utf8).write(to: URL(fileURLWithPath: file))
            let before = try (FileStatus.of(file), FileStatus.of(outside))
            // A process that the attacks must not affect.
            let watched = try ChildProgram.start("/bin/sleep", arguments: ["600"], descriptors: [])
            defer {
                kill(watched.processID, SIGKILL)
                _ = try? watched.wait()
            }
            for seed in 1...(TestSample.count(20, of: 200)) {
                let unruly = try place.start(layers: Self.layers[seed % Self.layers.count])
                // A random call may end the process early. The following processes make further calls.
                _ = unruly.tell("chance \(seed) 50 \(file) \(outside) \(watched.processID)")
                unruly.end()
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("as it was".utf8))
            let after = try (FileStatus.of(file), FileStatus.of(outside))
            for (old, new) in [(before.0, after.0), (before.1, after.1)] {
                #expect(
                    old.permissions == new.permissions && old.owner == new.owner
                        && old.modifiedSeconds == new.modifiedSeconds)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["file"])
            #expect(kill(watched.processID, 0) == 0)
        }
    }
}
