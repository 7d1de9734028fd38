import FileCoordination
import Foundation
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) final class FileWrapperTests {
    let folder: URL

    init() throws {
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func package() -> FileWrapper {
        let images = FileWrapper(directoryWithFileWrappers: [
            "a.png": FileWrapper(regularFileWithContents: Data("A".utf8))
        ])
        return FileWrapper(directoryWithFileWrappers: [
            "text.txt": FileWrapper(regularFileWithContents: Data("text".utf8)), "images": images,
            "link": FileWrapper(symbolicLinkWithDestinationURL: URL(fileURLWithPath: "/etc/hostname")),
        ])
    }

    private func contents(_ path: String) -> String? {
        FileManager.default.contents(atPath: folder.appendingPathComponent(path).path)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func aDateThatNoFileCanHaveIsNotGivenToOne(seconds: Double) throws {
        let wrapper = FileWrapper(regularFileWithContents: Data("text".utf8))
        wrapper.fileAttributes[FileAttributeKey.modificationDate.rawValue] = Date(timeIntervalSince1970: seconds)
        let url = folder.appendingPathComponent("dated")
        let before = Date(timeIntervalSinceNow: -60)
        try wrapper.write(to: url, originalContentsURL: nil)
        #expect(contents("dated") == "text")
        let date = try #require(FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date)
        #expect(date > before)
    }

    @Test func aTreeIsWrittenAndReadBack() throws {
        let url = folder.appendingPathComponent("Document.bundle")
        try package().write(to: url, options: [.atomic, .withNameUpdating], originalContentsURL: nil)
        #expect(contents("Document.bundle/images/a.png") == "A")
        for options in [FileWrapper.ReadingOptions.immediate, []] {
            let read = try FileWrapper(url: url, options: options)
            #expect(read.isDirectory && !read.isRegularFile && !read.isSymbolicLink)
            #expect(read.filename == "Document.bundle")
            #expect(read.fileWrappers?.keys.sorted() == ["images", "link", "text.txt"])
            #expect(read.fileWrappers?["text.txt"]?.regularFileContents == Data("text".utf8))
            #expect(read.fileWrappers?["link"]?.symbolicLinkDestinationURL?.path == "/etc/hostname")
            #expect(read.regularFileContents == nil)
            #expect(read.matchesContents(of: url))
        }
    }

    @Test func writingReplacesWhatWasThereAsAWhole() throws {
        let url = folder.appendingPathComponent("Document")
        try package().write(to: url, originalContentsURL: nil)
        try FileWrapper(directoryWithFileWrappers: ["only": FileWrapper(regularFileWithContents: Data())])
            .write(to: url, originalContentsURL: nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["only"])
        try FileWrapper(regularFileWithContents: Data("file".utf8)).write(to: url, originalContentsURL: nil)
        #expect(contents("Document") == "file")
        // No temporary file is left.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Document"])
    }

    @Test func aLinkInThePlaceIsReplacedAndNotFollowed() throws {
        let victim = folder.appendingPathComponent("victim")
        try Data("safe".utf8).write(to: victim)
        let link = folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
        try FileWrapper(regularFileWithContents: Data("new".utf8)).write(to: link, originalContentsURL: nil)
        #expect(contents("victim") == "safe")
        #expect(contents("link") == "new")
    }

    @Test func aFailedWriteLeavesWhatWasThere() throws {
        let url = folder.appendingPathComponent("Document")
        try Data("old".utf8).write(to: url)
        let gone = folder.appendingPathComponent("gone")
        try Data("x".utf8).write(to: gone)
        let wrapper = FileWrapper(directoryWithFileWrappers: ["a": try FileWrapper(url: gone)])
        try FileManager.default.removeItem(at: gone)
        #expect(throws: CocoaError.self) { try wrapper.write(to: url, originalContentsURL: nil) }
        #expect(contents("Document") == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Document"])
        #expect(throws: CocoaError.self) {
            try wrapper.write(to: folder.appendingPathComponent("no/where"), originalContentsURL: nil)
        }
        #expect(throws: CocoaError.self) { try FileWrapper(url: gone) }
    }

    @Test func childrenGetUniqueNames() {
        let directory = FileWrapper(directoryWithFileWrappers: [:])
        #expect(directory.addRegularFile(withContents: Data("1".utf8), preferredFilename: "a.txt") == "a.txt")
        #expect(directory.addRegularFile(withContents: Data("2".utf8), preferredFilename: "a.txt") == "a 2.txt")
        let third = FileWrapper(regularFileWithContents: Data("3".utf8))
        third.preferredFilename = "a.txt"
        #expect(directory.addFileWrapper(third) == "a 3.txt")
        #expect(third.preferredFilename == "a.txt")
        #expect(directory.keyForChildFileWrapper(third) == "a 3.txt")
        directory.removeFileWrapper(third)
        #expect(directory.keyForChildFileWrapper(third) == nil)
        #expect(directory.fileWrappers?.count == 2)
        // A file wrapper of a regular file has no children.
        #expect(third.addRegularFile(withContents: Data(), preferredFilename: "b") == "b")
        #expect(third.fileWrappers == nil)
    }

    @Test(arguments: ["../escape", "/etc/passwd", "", ".", "..", String(repeating: "n", count: 300)])
    func namesThatNoFileCanHaveAreMended(_ name: String) throws {
        let directory = FileWrapper(directoryWithFileWrappers: [:])
        let key = directory.addRegularFile(withContents: Data(), preferredFilename: name)
        #expect(!key.contains("/") && !key.isEmpty && key.utf8.count <= 255)
        let url = folder.appendingPathComponent("out")
        try directory.write(to: url, originalContentsURL: nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == [key])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }

    @Test func aWrapperIsSerializedAndArchived() throws {
        let wrapper = package()
        wrapper.preferredFilename = "Name"
        let data = try #require(wrapper.serializedRepresentation)
        let back = try #require(FileWrapper(serializedRepresentation: data))
        #expect(back.preferredFilename == "Name")
        #expect(back.fileWrappers?["images"]?.fileWrappers?["a.png"]?.regularFileContents == Data("A".utf8))
        #expect(back.fileWrappers?["link"]?.symbolicLinkDestinationURL?.path == "/etc/hostname")
        let archive = try NSKeyedArchiver.archivedData(withRootObject: wrapper, requiringSecureCoding: true)
        let unarchived = try NSKeyedUnarchiver.unarchivedObject(ofClass: FileWrapper.self, from: archive)
        #expect(unarchived?.fileWrappers?.count == 3)
    }

    @Test func malformedSerializedWrappersAreRefused() throws {
        func list(_ root: Any) throws -> Data {
            try PropertyListSerialization.data(
                fromPropertyList: ["fileWrapper": 1, "root": root], format: .binary, options: 0)
        }
        #expect(FileWrapper(serializedRepresentation: Data()) == nil)
        #expect(FileWrapper(serializedRepresentation: Data("text".utf8)) == nil)
        #expect(FileWrapper(serializedRepresentation: try list("root")) == nil)
        #expect(FileWrapper(serializedRepresentation: try list(["kind": "device", "contents": ""])) == nil)
        let escape: [String: Any] = ["../x": ["kind": "file", "contents": Data()]]
        #expect(FileWrapper(serializedRepresentation: try list(["kind": "directory", "contents": escape])) == nil)
        var deep: [String: Any] = ["kind": "file", "contents": Data()]
        for _ in 0..<300 { deep = ["kind": "directory", "contents": ["a": deep]] }
        #expect(FileWrapper(serializedRepresentation: try list(deep)) == nil)
    }

    @Test func aChangeOnDiskIsNoticed() throws {
        let url = folder.appendingPathComponent("file")
        try Data("one".utf8).write(to: url)
        let wrapper = try FileWrapper(url: url)
        #expect(wrapper.matchesContents(of: url))
        try Data("other".utf8).write(to: url)
        #expect(!wrapper.matchesContents(of: url))
        // The contents were never read, and the file has other contents now.
        #expect(wrapper.regularFileContents == nil)
        try wrapper.read(from: url, options: .withoutMapping)
        #expect(wrapper.regularFileContents == Data("other".utf8))
    }

    @Test func attributesAreReadAndGiven() throws {
        let url = folder.appendingPathComponent("script")
        let wrapper = FileWrapper(regularFileWithContents: Data("#!".utf8))
        wrapper.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = NSNumber(value: 0o750)
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        wrapper.fileAttributes[FileAttributeKey.modificationDate.rawValue] = date
        try wrapper.write(to: url, options: .withNameUpdating, originalContentsURL: nil)
        #expect(wrapper.filename == "script")
        let read = try FileWrapper(url: url).fileAttributes
        #expect((read[FileAttributeKey.posixPermissions.rawValue] as? NSNumber)?.intValue == 0o750)
        #expect(read[FileAttributeKey.modificationDate.rawValue] as? Date == date)
        #expect((read[FileAttributeKey.size.rawValue] as? NSNumber)?.intValue == 2)
    }

    @Test func filesReadFromBytesAreNotWritableByOthers() throws {
        let wrapper = FileWrapper(regularFileWithContents: Data("#!".utf8))
        wrapper.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = NSNumber(value: 0o6777)
        let bytes = try #require(wrapper.serializedRepresentation)
        let read = try #require(FileWrapper(serializedRepresentation: bytes)).fileAttributes
        let mode = (read[FileAttributeKey.posixPermissions.rawValue] as? NSNumber)?.intValue
        #expect(mode == 0o777 & ~Int(CreationMask.current & 0o022))
    }

    @Test func optionsHaveTheReferencesValues() {
        #expect(FileWrapper.ReadingOptions.immediate.rawValue == 1)
        #expect(FileWrapper.ReadingOptions(rawValue: 2) == .withoutMapping)
        #expect(FileWrapper.WritingOptions.atomic.rawValue == 1)
        #expect(FileWrapper.WritingOptions(rawValue: 2) == .withNameUpdating)
    }

    private static func tree(ofDepth depth: Int) -> FileWrapper {
        (0..<depth).reduce(FileWrapper(regularFileWithContents: Data("leaf".utf8))) { child, _ in
            FileWrapper(directoryWithFileWrappers: ["d": child])
        }
    }

    @Test func tooDeeplyNestedWrappersAreRefused() throws {
        let url = folder.appendingPathComponent("deep")
        for depth in [257, 1_000, 5_000] {
            let wrapper = Self.tree(ofDepth: depth)
            #expect(wrapper.serializedRepresentation == nil)
            let error = #expect(throws: CocoaError.self) { try wrapper.write(to: url, originalContentsURL: nil) }
            #expect(error?.code == .fileWriteUnknown)
            #expect(error?.localizedDescription.contains("more than 256 directories within each other") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let own = FileWrapper(directoryWithFileWrappers: [:])
        own.preferredFilename = "own"
        own.addFileWrapper(own)
        #expect(own.serializedRepresentation == nil)
        #expect(throws: CocoaError.self) { try own.write(to: url, originalContentsURL: nil) }
        own.removeFileWrapper(own)
    }

    @Test func deeplyNestedWrappersAreWrittenReadAndSerialized() throws {
        let url = folder.appendingPathComponent("deep")
        try Self.tree(ofDepth: 250).write(to: url, originalContentsURL: nil)
        let wrapper = try FileWrapper(url: url, options: .immediate)
        #expect(wrapper.matchesContents(of: url))
        #expect(wrapper.serializedRepresentation == nil)
        let data = try #require(Self.tree(ofDepth: 96).serializedRepresentation)
        var restored = try #require(FileWrapper(serializedRepresentation: data))
        for _ in 0..<96 { restored = try #require(restored.fileWrappers?["d"]) }
        #expect(restored.regularFileContents == Data("leaf".utf8))
    }

    @Test func aDirectoryOnDiskThatIsTooDeepIsReadOnlyAsFarAsRequested() throws {
        let url = folder.appendingPathComponent(Array(repeating: "d", count: 400).joined(separator: "/"))
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let error = #expect(throws: CocoaError.self) { try FileWrapper(url: folder, options: .immediate) }
        #expect(error?.localizedDescription.contains("more than 256 directories within each other") == true)
        let wrapper = try FileWrapper(url: folder)
        #expect(wrapper.fileWrappers?["d"]?.fileWrappers?.count == 1)
        #expect(!wrapper.matchesContents(of: folder))
        #expect(wrapper.serializedRepresentation == nil)
    }

    @Test func wrappersWithinWrappersAreReleasedHoweverDeepTheyAre() {
        weak var leaf: FileWrapper?
        do {
            let wrapper = FileWrapper(regularFileWithContents: Data())
            leaf = wrapper
            var outer = FileWrapper(directoryWithFileWrappers: ["d": wrapper])
            for _ in 0..<200_000 { outer = FileWrapper(directoryWithFileWrappers: ["d": outer]) }
            #expect(outer.isDirectory && leaf != nil)
        }
        #expect(leaf == nil)
    }
}
