import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Files with holes, copied by a process without access to `/proc`, such as a confined one.
@Suite(.ownThreads) struct CopyHolesTests {
    private let folder: TestFolder
    private let size = 64 << 20

    init() throws {
        folder = try TestFolder()
        let source = try folder.file("a")
        try source.truncate(to: size)
        try source.overwrite(pattern(100), at: 1 << 20)
        try source.overwrite(pattern(100), at: 32 << 20)
        try folder.file("b")
    }

    private func check() throws {
        let copy = try folder.status("b")
        #expect(copy.size == size && copy.allocatedSize < 1 << 20)
        #expect(try folder.content("b") == folder.content("a"))
    }

    @Test(.enabled(if: Requirement.isEnforced || geteuid() == 0, "needs root"), arguments: [true, false])
    func holesStayHoles(_ movesPosition: Bool) async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String, movesPosition] in
            let source = try FileDescriptor.open(path + "/a", [.readOnly])
            let target = try FileDescriptor.open(path + "/b", [.readWrite])
            try retrying { chroot(path) }
            guard (try? source.reopen(.readOnly)) == nil else { exit(1) }
            try FileCopier.copyContents(of: source, to: target, named: "a", movesPosition: movesPosition)
            exit(0)
        }
        try check()
    }

    @Test(.enabled(if: Requirement.isEnforced || geteuid() == 0, "needs root"), arguments: [true, false])
    func holesOfAPartStayHoles(_ movesPosition: Bool) async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String, size = size as Int, movesPosition] in
            let source = try FileDescriptor.open(path + "/a", [.readOnly])
            let target = try FileDescriptor.open(path + "/b", [.readWrite])
            try target.truncate(to: size)
            try retrying { chroot(path) }
            try FileCopier.copyRange(
                0..<size, of: source, to: target, named: "a", movesPosition: movesPosition)
            exit(0)
        }
        try check()
    }
}
