import FileTesting
import LinuxSystem
import Testing

/// Runs the checker on a disk first, which defines correct behaviour.
@Suite struct RandomFileCheckerTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func aDiskPasses(seed: UInt64) throws {
        let folder = try TestFolder()
        var checker = try RandomFileChecker(path: folder.path + "/file", seed: seed)
        try checker.run(operations: 2_000)
        let expected = try checker.finish()
        #expect(try FileDescriptor.open(folder.path + "/file", [.readOnly]).readToEnd(limit: 1 << 20) == expected)
    }

    @Test func aWrongByteIsFound() throws {
        let folder = try TestFolder()
        var checker = try RandomFileChecker(path: folder.path + "/file", seed: 4)
        try checker.run(operations: 200)
        let other = try FileDescriptor.open(folder.path + "/file", [.readWrite])
        #expect(throws: RandomFileChecker.Fault.self) {
            try checker.run(operations: 500) { _ in
                let size = try FileStatus.of(folder.path + "/file", followingLinks: false).size
                try other.truncate(to: Int(size) + 1)
            }
        }
    }
}
