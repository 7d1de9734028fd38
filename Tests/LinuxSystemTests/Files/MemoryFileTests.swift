import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct MemoryFileTests {
    private let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }

    private func sealed() throws -> FileDescriptor { try MemoryFile.sealed(bytes) }

    @Test func aSealedFileCanBeReadAndNotChanged() throws {
        let file = try sealed()
        #expect(MemoryFile.isSealed(file))
        #expect(try file.status().size == bytes.count)
        #expect(throws: Errno.notPermitted) { try bytes.withUnsafeBytes { try file.writeAll($0, at: 0) } }
        #expect(throws: Errno.notPermitted) { try file.truncate(to: 1) }
        #expect(throws: Errno.notPermitted) { try file.truncate(to: 1 << 20) }
        #expect(throws: Errno.notPermitted) { try MemoryFile.seal(file) }
        #expect(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0) == MAP_FAILED)
    }

    @Test func onlyASealedFileCountsAsOne() throws {
        #expect(!MemoryFile.isSealed(try MemoryFile.create(name: "test")))
        #expect(!MemoryFile.isSealed(try FileDescriptor.open("/proc/self/exe", .readOnly)))
        #expect(!MemoryFile.isSealed(try EventCounter().descriptor))
    }

    @Test func aMappingShowsTheFilesBytesAndOutlivesItsDescriptor() throws {
        var file: FileDescriptor? = try sealed()
        let mapping = try Mapping(#require(file), size: bytes.count)
        file = nil
        #expect(Array(mapping.bytes) == bytes)
    }

    @Test func anEmptyMappingHasNoBytes() throws {
        #expect(try Mapping(MemoryFile.create(name: "test"), size: 0).bytes.isEmpty)
    }

    @Test func failedMappingsAreReported() throws {
        #expect(throws: Errno.self) { try Mapping(EventCounter().descriptor, size: 4096) }
    }
}
