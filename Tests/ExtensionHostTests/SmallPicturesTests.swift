import ExtensionHost
import LinuxSystem
import Testing

/// Validation of the untrusted results of the process that decodes pictures.
@Suite struct SmallPicturesTests {
    private func file(_ count: Int, isSealed: Bool = true) throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "pictures")
        try file.truncate(to: count)
        if isSealed { try MemoryFile.seal(file) }
        return file
    }

    @Test func theyLieOneAfterTheOther() throws {
        #expect(SmallPictures(try file(10), sizes: [2, 3, 5])?.ranges == [0..<2, 2..<5, 5..<10])
        #expect(SmallPictures(try file(10), sizes: [10])?.ranges == [0..<10])
        #expect(SmallPictures(try file(10), sizes: [])?.ranges == [])
    }

    @Test(arguments: [[11], [5, 6], [0], [-1, 5], [.max], [1, .max], [.min]])
    func sizesThatAreNoneOfThemAreRefused(_ sizes: [Int]) throws {
        #expect(SmallPictures(try file(10), sizes: sizes) == nil)
    }

    @Test func changeableAndTooLargeFilesAreRefused() throws {
        #expect(SmallPictures(try file(10, isSealed: false), sizes: [10]) == nil)
        #expect(SmallPictures(try file(17 << 20), sizes: [10]) == nil)
    }
}
