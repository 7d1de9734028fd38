import CLinux
import Dispatch
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct CopyFileTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func aCopyHasTheSameBytesModeTimesAndAttributes() throws {
        let bytes = pattern(3_000_001)
        let source = try folder.file("a", bytes)
        try source.setAttribute("user.colour", "green")
        try retrying { fchmod(source.rawValue, 0o750) }
        try retrying {
            futimens(source.rawValue, [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)])
        }
        try FileCopier.copy(source, into: folder.descriptor, named: "b")
        #expect(try folder.content("b") == bytes)
        let copy = try folder.descriptor.open("b", .readOnly)
        let status = try copy.status()
        #expect(status.permissions == 0o750)
        #expect(status.modified.tv_sec == 2000 && status.modified.tv_nsec == 7)
        #expect(copy.attribute("user.colour") == "green")
        #expect(try folder.names() == ["a", "b"])
    }

    @Test func aCopyCanBeMadeWithAModeOfItsOwn() throws {
        let source = try folder.file("a", pattern(1000))
        try retrying { fchmod(source.rawValue, 0o640) }
        try FileCopier.copy(source, into: folder.descriptor, named: "b", permissions: 0o700)
        #expect(try folder.content("b") == pattern(1000))
        #expect(try folder.status("b").permissions == 0o700)
        #expect(try folder.names() == ["a", "b"])
    }

    @Test func aCopyToAnotherFileSystemHasTheSameBytes() throws {
        let memory = try TestFolder(in: "/dev/shm")
        let bytes = pattern(5_000_000)
        let source = try folder.file("a", bytes)
        try FileCopier.copy(source, into: memory.descriptor, named: "a")
        #expect(try memory.content("a") == bytes)
    }

    @Test func anEmptyFileIsCopied() throws {
        try FileCopier.copy(try folder.file("a"), into: folder.descriptor, named: "b")
        #expect(try folder.content("b") == [])
    }

    @Test func aFileThatSaysItIsEmptyIsReadToItsEnd() throws {
        let source = try FileDescriptor.open("/proc/version", .readOnly)
        #expect(try source.status().size == 0)
        try FileCopier.copy(source, into: folder.descriptor, named: "version")
        #expect(try folder.content("version") == source.everything())
        #expect(try folder.status("version").size > 0)
    }

    @Test func holesStayHoles() throws {
        let source = try folder.file("a")
        let size = 64 << 20
        try source.overwrite([1, 2, 3], at: 32 << 20)
        try source.truncate(to: size)
        var completed = 0
        try FileCopier.copy(source, into: folder.descriptor, named: "b", progress: { done, _ in completed = done })
        let status = try folder.status("b")
        #expect(status.size == size)
        #expect(status.raw.st_blocks * 512 < 1 << 20)
        #expect(completed == size)
        let copy = try folder.descriptor.open("b", .readOnly)
        var bytes = [UInt8](repeating: 9, count: 4)
        _ = try bytes.withUnsafeMutableBytes { try copy.read(into: $0, at: 32 << 20) }
        #expect(bytes == [1, 2, 3, 0])
    }

    @Test func thePositionOfTheSourceDoesNotMatterAndStays() throws {
        let bytes = pattern(100_000)
        let source = try folder.file("a", bytes)
        try retrying { lseek(source.rawValue, 777, SEEK_SET) }
        try FileCopier.copy(source, into: folder.descriptor, named: "b")
        #expect(try folder.content("b") == bytes)
        #expect(lseek(source.rawValue, 0, SEEK_CUR) == 777)
    }

    @Test func progressGrowsToTheSizeOfTheFile() throws {
        let source = try folder.file("a", pattern(40 << 20))
        var seen: [Int] = []
        try FileCopier.copy(
            source, into: folder.descriptor, named: "b",
            progress: { completed, total in
                #expect(total == 40 << 20)
                seen.append(completed)
            })
        #expect(seen.first == 0 && seen.last == 40 << 20)
        #expect(seen == seen.sorted())
    }

    @Test func aCancelledCopyLeavesNothing() throws {
        let memory = try TestFolder(in: "/dev/shm")
        let source = try folder.file("a", pattern(8 << 20))
        var completed = 0
        #expect(throws: CopyError.cancelled) {
            try FileCopier.copy(
                source, into: memory.descriptor, named: "a", progress: { done, _ in completed = done },
                isCancelled: { completed >= 2 << 20 })
        }
        #expect(completed >= 2 << 20 && completed < 8 << 20)
        #expect(try memory.names() == [])
    }

    @Test(arguments: [-1, 1])
    func aFileThatShrinksOrGrowsWhileItIsCopiedFailsTheCopy(step: Int) throws {
        let memory = try TestFolder(in: "/dev/shm")
        let size = 8 << 20
        let source = try folder.file("a", pattern(size))
        #expect(throws: CopyError.changedDuringCopy(path: "b")) {
            try FileCopier.copy(
                source, into: memory.descriptor, named: "b",
                progress: { done, _ in
                    if done == 1 << 20 { try? source.truncate(to: size + step * (2 << 20)) }
                })
        }
        #expect(try memory.names() == [])
    }

    @Test func aFileThatIsWrittenToWhileItIsCopiedFailsTheCopy() throws {
        let memory = try TestFolder(in: "/dev/shm")
        let source = try folder.file("a", pattern(8 << 20))
        try retrying { futimens(source.rawValue, [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]) }
        #expect(throws: CopyError.changedDuringCopy(path: "b")) {
            try FileCopier.copy(
                source, into: memory.descriptor, named: "b",
                progress: { done, _ in
                    guard done == 1 << 20 else { return }
                    try? source.overwrite([9], at: 0)
                })
        }
        #expect(try memory.names() == [])
    }

    @Test func aFileIsCopiedWhileLinksToItComeAndGo() async throws {
        let memory = try TestFolder(in: "/dev/shm")
        let bytes = pattern(8 << 20)
        let source = try folder.file("a", bytes)
        let path = folder.path
        let linking = Task {
            while !Task.isCancelled {
                _ = link("\(path)/a", "\(path)/link")
                _ = unlink("\(path)/link")
            }
        }
        defer { linking.cancel() }
        for count in 0..<5 { try FileCopier.copy(source, into: memory.descriptor, named: "b\(count)") }
        linking.cancel()
        await linking.value
        #expect(try memory.content("b4") == bytes)
    }

    @Test func otherFilesThanRegularOnesAreRefused() throws {
        try retrying { mkfifo(folder.path + "/pipe", 0o600) }
        let pipe = try folder.descriptor.open("pipe", [.readOnly, .nonBlocking])
        #expect(throws: CopyError.wrongKind(.fifo, path: "b")) {
            try FileCopier.copy(pipe, into: folder.descriptor, named: "b")
        }
        #expect(throws: CopyError.wrongKind(.directory, path: "b")) {
            try FileCopier.copy(folder.descriptor, into: folder.descriptor, named: "b")
        }
        let zeros = try FileDescriptor.open("/dev/zero", .readOnly)
        #expect(throws: CopyError.wrongKind(.characterDevice, path: "b")) {
            try FileCopier.copy(zeros, into: folder.descriptor, named: "b")
        }
    }

    @Test func aTakenNameIsNotOverwritten() throws {
        let source = try folder.file("a", [1])
        try folder.file("b", [2])
        #expect(throws: CopyError.alreadyExists(name: "b")) {
            try FileCopier.copy(source, into: folder.descriptor, named: "b")
        }
        #expect(try folder.content("b") == [2])
        #expect(try folder.names() == ["a", "b"])
    }

    @Test(arguments: ["", ".", "..", "a/b", "/a", "a\0b"])
    func aNameThatIsNoNameIsRefused(name: String) throws {
        let source = try folder.file("a", [1])
        #expect(throws: CopyError.invalidName(name)) {
            try FileCopier.copy(source, into: folder.descriptor, named: name)
        }
    }

    @Test func aNameThatIsTooLongIsTheSystemsError() throws {
        let source = try folder.file("a", [1])
        let name = String(repeating: "n", count: 300)
        #expect(throws: CopyError.system(.nameTooLong, path: name)) {
            try FileCopier.copy(source, into: folder.descriptor, named: name)
        }
        #expect(try folder.names() == ["a"])
    }

    @Test func aCopyOwnedByAnotherUserLosesItsSetUserBit() throws {
        let source = try folder.file("a", [1])
        if geteuid() == 0 { try retrying { fchown(source.rawValue, 12345, 12345) } }
        try retrying { fchmod(source.rawValue, 0o6755) }
        try FileCopier.copy(source, into: folder.descriptor, named: "b")
        #expect(try folder.status("b").permissions == (geteuid() == 0 ? 0o755 : 0o6755))
    }

    @Test func aReadOnlyFileWithAttributesIsCopied() throws {
        let source = try folder.file("a", [1])
        try source.setAttribute("user.colour", "green")
        try retrying { fchmod(source.rawValue, 0o400) }
        try FileCopier.copy(source, into: folder.descriptor, named: "b")
        #expect(try folder.descriptor.open("b", .readOnly).attribute("user.colour") == "green")
        #expect(try folder.status("b").permissions == 0o400)
    }

    @Test func anAccessControlListIsKept() throws {
        let source = try folder.file("a", [1])
        guard try AccessControlList.set(on: source) else { return }
        try FileCopier.copy(source, into: folder.descriptor, named: "b")
        let copy = try folder.descriptor.open("b", .readOnly)
        var copied = [UInt8](repeating: 0, count: 256)
        let count = clinux_fgetxattr(copy.rawValue, AccessControlList.attribute, &copied, copied.count)
        #expect(Array(copied.prefix(max(count, 0))) == AccessControlList.sample)
        #expect(try copy.status().permissions == 0o660)
    }

    @Test func aThousandCopiesAtOnceFromOneDescriptorAreAllWhole() throws {
        let bytes = pattern(100_000)
        let source = try folder.file("a", bytes)
        let directory = folder.descriptor
        DispatchQueue.concurrentPerform(iterations: 1000) { number in
            _ = try? FileCopier.copy(source, into: directory, named: "copy-\(number)")
        }
        for number in 0..<1000 { #expect(try folder.content("copy-\(number)") == bytes) }
    }
}
