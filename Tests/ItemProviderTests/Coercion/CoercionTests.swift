import FileCoordination
import Foundation
import Images
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// An object of a client's own class with secure coding.
final class Token: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let word: String
    init(_ word: String) { self.word = word }
    init?(coder: NSCoder) {
        guard let word = coder.decodeObject(of: NSString.self, forKey: "word") else { return nil }
        self.word = word as String
    }
    func encode(with coder: NSCoder) { coder.encode(word as NSString, forKey: "word") }
}

/// Another class, which no test requests.
final class Intruder: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}

@Suite struct CoercionTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func load<Value: Sendable>(
        _ item: any NSSecureCoding, _ typeIdentifier: String, as type: Value.Type
    ) async -> (value: Value?, error: NSError?) {
        let provider = NSItemProvider(item: item, typeIdentifier: typeIdentifier)
        return await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: typeIdentifier, as: type) { value, error in
                continuation.resume(returning: (value, error as NSError?))
            }
        }
    }

    private func attributedText(
        _ item: any NSSecureCoding, _ typeIdentifier: String
    ) async -> (text: String?, code: Int?) {
        let provider = NSItemProvider(item: item, typeIdentifier: typeIdentifier)
        return await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: typeIdentifier, as: NSAttributedString.self) { value, error in
                continuation.resume(returning: (value?.string, (error as NSError?)?.code))
            }
        }
    }

    private func picture(_ format: ImageFormat = .png) throws -> Data {
        try ImageCodec.encode(Data(repeating: 200, count: 40 * 30 * 4), width: 40, height: 30, as: format)
    }

    @Test func aFilesURLBecomesWhatTheFileHolds() async throws {
        let text = try scratch.file("a.txt", "alpha") as NSURL
        #expect(await load(text, "public.plain-text", as: Data.self).value == Data("alpha".utf8))
        #expect(await load(text, "public.plain-text", as: String.self).value == "alpha")
        #expect(await load(text, "public.plain-text", as: URL.self).value == text as URL)
        // With a URL type, the item is the URL itself. As data, it is still the file's contents.
        #expect(await load(text, "public.file-url", as: String.self).value == (text as URL).absoluteString)
        #expect(await load(text, "public.file-url", as: Data.self).value == Data("alpha".utf8))
        let image = try scratch.file("a.png", try picture()) as NSURL
        #expect(await load(image, "public.png", as: UIImage.self).value?.size == CGSize(width: 40, height: 30))
        let list = try scratch.file(
            "a.plist", "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer></dict></plist>")
        let dictionary = NSItemProvider(item: list as NSURL, typeIdentifier: "com.apple.property-list")
        let number = await withCheckedContinuation { continuation in
            dictionary.loadItem(forTypeIdentifier: "com.apple.property-list", as: NSDictionary.self) { value, _ in
                continuation.resume(returning: value?["a"] as? Int)
            }
        }
        #expect(number == 1)
    }

    @Test func otherURLsAreTheirText() async throws {
        let url = try #require(NSURL(string: "https://example.org/a"))
        #expect(await load(url, "public.url", as: String.self).value == "https://example.org/a")
        #expect(await load(url, "public.url", as: Data.self).value == Data("https://example.org/a".utf8))
        #expect(await load(url, "public.url", as: UIImage.self).error?.code == -1200)
    }

    @Test func dataBecomesWhatItsTypeSays() async throws {
        let text = NSData(data: Data("alpha".utf8))
        #expect(await load(text, "public.utf8-plain-text", as: String.self).value == "alpha")
        let url = NSData(data: Data("https://example.org".utf8))
        #expect(await load(url, "public.url", as: URL.self).value?.host == "example.org")
        let image = NSData(data: try picture(.webp))
        #expect(await load(image, "org.webmproject.webp", as: UIImage.self).value?.size.width == 40)
    }

    @Test func dataIsAURLOnlyWhereItsTypeSaysSoOrItsScheme() async throws {
        func url(_ text: String, _ type: String) async -> (value: URL?, error: NSError?) {
            await load(Data(text.utf8) as NSData, type, as: URL.self)
        }
        #expect(await url("notes/a.html", "public.url").value?.relativeString == "notes/a.html")
        for type in ["public.utf8-plain-text", "public.data", "dyn.ah62d4rv4ge80c5pe", "com.example.unheard-of"] {
            #expect(await url("https://example.org\n", type).value?.host == "example.org", "\(type)")
            #expect(await url("hello", type).error?.code == -1200, "\(type)")
        }
        for type in ["public.png", "com.adobe.pdf", "com.apple.property-list", "public.zip-archive"] {
            #expect(await url("hello", type).error?.code == -1200, "\(type)")
            #expect(await url("https://example.org", type).error?.code == -1200, "\(type)")
        }
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
        for type in ["com.apple.property-list", "com.apple.xml-property-list", "public.data"] {
            #expect(await load(list as NSData, type, as: URL.self).error?.code == -1200, "\(type)")
        }
    }

    @Test func dataIsAStringOnlyWhereItIsText() async throws {
        let image = try picture() as NSData
        for type in ["public.png", "public.data", "public.utf8-plain-text", "public.plain-text", "public.url"] {
            #expect(await load(image, type, as: String.self).error?.code == -1200, "\(type)")
            #expect(await attributedText(image, type).code == -1200, "\(type)")
        }
        let text = Data("héllo".utf8) as NSData
        for type in ["public.text", "public.json", "public.data", "public.html", "com.example.unheard-of"] {
            #expect(await load(text, type, as: String.self).value == "héllo", "\(type)")
        }
        for type in ["public.png", "com.adobe.pdf", "com.apple.property-list", "public.zip-archive"] {
            #expect(await load(text, type, as: String.self).error?.code == -1200, "\(type)")
            #expect(await attributedText(text, type).code == -1200, "\(type)")
        }
        // Data of a text type may be in an older encoding; other data may not.
        let older = Data([0x68, 0xE9]) as NSData
        #expect(await load(older, "public.plain-text", as: String.self).value == "hé")
        #expect(await load(older, "public.data", as: String.self).error?.code == -1200)
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: format, options: 0)
            #expect(await load(list as NSData, "com.apple.property-list", as: String.self).error?.code == -1200)
        }
        // A URL in the form that Apple's systems write.
        let url = try PropertyListSerialization.data(
            fromPropertyList: ["https://example.org/a", ""], format: .binary, options: 0)
        #expect(await load(url as NSData, "public.url", as: String.self).value == "https://example.org/a")
        #expect(await load(url as NSData, "public.utf8-plain-text", as: String.self).error?.code == -1200)
    }

    // MARK: - The two interfaces

    @Test func dataOfEitherInterfaceIsTheSame() async throws {
        let folder = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper(regularFileWithContents: Data("w".utf8))])
        folder.preferredFilename = "Folder"
        let tree = try scratch.file("tree/a.txt", "alpha").deletingLastPathComponent()
        let items: [(item: any NSSecureCoding, type: String)] = [
            (["k": NSNull()] as NSDictionary, "com.apple.property-list"), (["k": 1] as NSDictionary, "public.data"),
            (Token("word"), "com.example.token"), (NSUUID(), "com.example.identifier"),
            (folder, "public.folder"), (tree as NSURL, "public.folder"),
            ("hé" as NSString, "public.utf16-plain-text"), ("hé" as NSString, "public.text"),
            (NSAttributedString(string: "rich"), "org.purvey.attributed-string"),
            (NSAttributedString(string: "rich"), "public.rtf"),
            (try #require(NSURL(string: "a", relativeTo: URL(string: "https://example.org/b"))), "public.url"),
            (try #require(UIImage(data: try picture())), "public.jpeg"),
        ]
        for (item, type) in items {
            let bytes = await NSItemProvider(item: item, typeIdentifier: type).data(type).data
            let loaded = await load(item, type, as: Data.self)
            #expect(loaded.error == nil && loaded.value?.isEmpty == false, "\(type)")
            // An archive contains its files' dates, and Foundation archives values in any order.
            if bytes?.starts(with: Data("PK".utf8)) == true || bytes?.starts(with: Data("bplist".utf8)) == true {
                #expect(loaded.value?.count == bytes?.count && loaded.value?.prefix(2) == bytes?.prefix(2), "\(type)")
            } else {
                #expect(loaded.value == bytes, "\(type)")
            }
        }
    }

    @Test func aFileWrapperBecomesWhatItsDataDoes() async throws {
        func wrapper(_ data: Data) -> FileWrapper { FileWrapper(regularFileWithContents: data) }
        #expect(await load(wrapper(Data("text".utf8)), "public.plain-text", as: String.self).value == "text")
        #expect(await load(wrapper(try picture()), "public.png", as: UIImage.self).value?.size.width == 40)
        let url = wrapper(Data("https://example.org".utf8))
        #expect(await load(url, "public.url", as: URL.self).value?.host == "example.org")
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
        let provider = NSItemProvider(item: wrapper(list), typeIdentifier: "com.apple.property-list")
        let number = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "com.apple.property-list", as: NSDictionary.self) { value, _ in
                continuation.resume(returning: value?["a"] as? Int)
            }
        }
        #expect(number == 1)
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        #expect(await load(folder, "public.folder", as: String.self).error?.code == -1200)
        #expect(await load(wrapper(Data("text".utf8)), "public.png", as: String.self).error?.code == -1200)
    }

    @Test func dataBecomesAFileWrapper() async throws {
        func contents(_ item: any NSSecureCoding, _ type: String) async -> Data? {
            let provider = NSItemProvider(item: item, typeIdentifier: type)
            return await withCheckedContinuation { continuation in
                provider.loadItem(forTypeIdentifier: type, as: FileWrapper.self) { wrapper, _ in
                    continuation.resume(returning: wrapper?.regularFileContents)
                }
            }
        }
        #expect(await contents("text" as NSString, "public.text") == Data("text".utf8))
        #expect(await contents(Data([1]) as NSData, "public.data") == Data([1]))
        let file = try scratch.file("a.txt", "alpha") as NSURL
        #expect(await contents(file, "public.plain-text") == Data("alpha".utf8))
        let image = try #require(UIImage(data: try picture()))
        #expect(await contents(image, "public.png") == image.encoded)
        #expect(await contents(["k": 1] as NSDictionary, "com.apple.property-list")?.isEmpty == false)
    }

    @Test func aFileThatIsMissingIsNamedWithItsCause() async throws {
        let gone = NSURL(fileURLWithPath: "/nonexistent/file.png")
        func check(_ error: NSError?) {
            #expect(error?.domain == NSItemProvider.errorDomain && error?.code == -1200)
            #expect(error?.localizedDescription.contains("/nonexistent/file.png") == true)
            #expect(error?.underlying?.domain == NSCocoaErrorDomain)
            #expect(error?.underlying?.code == CocoaError.fileReadNoSuchFile.rawValue)
        }
        check(await load(gone, "public.png", as: Data.self).error)
        check(await load(gone, "public.png", as: UIImage.self).error)
        check(await load(gone, "public.plain-text", as: String.self).error)
        let wrapper = await withCheckedContinuation { continuation in
            NSItemProvider(item: gone, typeIdentifier: "public.png")
                .loadItem(forTypeIdentifier: "public.png", as: FileWrapper.self) { _, error in
                    continuation.resume(returning: error as NSError?)
                }
        }
        check(wrapper)
    }

    /// A keyed archive is also a property list, which describes its structure.
    @Test func anArchiveIsNeverTakenForTheListThatItIsMadeOf() async throws {
        func archive(_ object: any NSSecureCoding) throws -> NSData {
            try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true) as NSData
        }
        func loadList(_ data: NSData) async -> (keys: [String]?, code: Int?) {
            let provider = NSItemProvider(item: data, typeIdentifier: "com.apple.property-list")
            return await withCheckedContinuation { continuation in
                provider.loadItem(forTypeIdentifier: "com.apple.property-list", as: NSDictionary.self) { value, error in
                    continuation.resume(returning: (value?.allKeys as? [String], (error as NSError?)?.code))
                }
            }
        }
        #expect(await loadList(try archive(["k": NSNull()] as NSDictionary)).keys == ["k"])
        #expect(await loadList(try archive(NSMutableDictionary(dictionary: ["m": 1]))).keys == ["m"])
        for other in [Token("a"), ["k": Token("a")] as NSDictionary, NSUUID(), [1] as NSArray] as [any NSSecureCoding] {
            #expect(await loadList(try archive(other)).code == -1200)
        }
        // The archive's structure is incomplete, but it still names its archiver.
        let damaged: NSDictionary = [
            "$archiver": "NSKeyedArchiver", "$objects": ["$null"], "$top": [:] as NSDictionary,
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: damaged, format: .binary, options: 0)
        #expect(await loadList(bytes as NSData).code == -1200)
    }

    @Test func textURLsAndImagesBecomeEachOther() async throws {
        #expect(await load("https://example.org" as NSString, "public.text", as: URL.self).value?.host == "example.org")
        #expect(await load("text" as NSString, "public.text", as: Data.self).value == Data("text".utf8))
        let attributed = NSAttributedString(string: "rich")
        #expect(await load(attributed, "public.rtf", as: String.self).value == "rich")
        let image = try #require(UIImage(data: try picture()))
        let jpeg = try #require(await load(image, "public.jpeg", as: Data.self).value)
        #expect(ImageFormat(sniffing: jpeg) == .jpeg)
        let wrapper = FileWrapper(regularFileWithContents: Data("w".utf8))
        #expect(await load(wrapper, "public.data", as: Data.self).value == Data("w".utf8))
    }

    @Test func anImpossibleCoercionIsAnError() async throws {
        let liar = NSData(data: Data("not a picture".utf8))
        #expect(await load(liar, "public.png", as: UIImage.self).error?.code == -1200)
        #expect(await load("no address" as NSString, "public.text", as: URL.self).error?.code == -1200)
        #expect(await load(NSNumber(value: 1), "com.apple.property-list", as: UIImage.self).error?.code == -1200)
        let invalid = NSData(data: Data([0xFF, 0xFE, 0xFD]))
        #expect(await load(invalid, "public.utf8-plain-text", as: String.self).error?.code == -1200)
        let gone = NSURL(fileURLWithPath: "/nonexistent/file.txt")
        #expect(await load(gone, "public.plain-text", as: Data.self).error?.code == -1200)
    }

    /// Reading a device never ends, and reading a pipe never begins. The process that names one must not block the
    /// reader.
    @Test func specialFilesBlockNoReader() async throws {
        let pipe = NSTemporaryDirectory() + "/" + UUID().uuidString
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        for path in ["/dev/zero", pipe] {
            let url = NSURL(fileURLWithPath: path)
            for type in ["public.png", "public.plain-text", "public.file-url"] {
                #expect(await load(url, type, as: Data.self).error?.code == -1200, "\(path) \(type)")
                #expect(await load(url, type, as: UIImage.self).error?.code == -1200, "\(path) \(type)")
            }
            let provider = NSItemProvider(item: url, typeIdentifier: "public.png")
            await #expect(throws: (any Error).self) { try await provider.loadDataRepresentation(for: .png) }
            await #expect(throws: (any Error).self) { try await provider.loadFileRepresentation(for: .png) { _, _ in } }
            let contents = try #require(NSItemProvider(contentsOf: url as URL))
            let type = try #require(contents.registeredTypeIdentifiers.first)
            await #expect(throws: (any Error).self) {
                try await contents.loadDataRepresentation(forTypeIdentifier: type)
            }
        }
    }

    @Test func anObjectOfTheClientsOwnIsArchivedAndReadBack() async throws {
        let provider = NSItemProvider(item: Token("word"), typeIdentifier: "com.example.token")
        let archive = try #require(await provider.data("com.example.token").data)
        let other = NSItemProvider(item: archive as NSData, typeIdentifier: "com.example.token")
        let word = await withCheckedContinuation { continuation in
            other.loadItem(forTypeIdentifier: "com.example.token", as: Token.self) { token, _ in
                continuation.resume(returning: token?.word)
            }
        }
        #expect(word == "word")
    }

    @Test func theArchiveOfPlainValuesIsReadByFoundation() async throws {
        let uuid = try #require(NSUUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
        let long = String(repeating: "long ", count: 100)
        let values: NSDictionary = [
            "null": NSNull(), "url": NSURL(fileURLWithPath: "/x y"), "uuid": uuid, "text": "t\u{E9}xt \u{1F600}",
            "list": [1, "two", NSNull(), true, 2.5, -7, Data([1, 2]), UInt64.max] as NSArray, "long": long,
            "date": NSDate(timeIntervalSinceReferenceDate: 0.25), "set": NSSet(array: ["a", 1]),
            "many": (0..<300).map { "\($0)" }, "empty": [String: Any](),
            "deep": ["a": ["b": ["c": Data(count: 70_000)]]],
        ]
        let provider = NSItemProvider(item: values, typeIdentifier: "com.example.values")
        let archive = try await provider.loadDataRepresentation(forTypeIdentifier: "com.example.values")
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
        unarchiver.requiresSecureCoding = false
        let read = try #require(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSDictionary)
        #expect(read == values)
        let list = try #require(read["list"] as? [Any])
        #expect("\(list[0]) \(list[3])" == "1 true", "a truth value is not the number before it")
        #expect(KeyedArchive.unarchive(archive, as: NSDictionary.self) as? NSDictionary == values)
    }

    @Test func anArchiveOfAClassThatIsNotAllowedIsAnError() async throws {
        let hostile = [
            try NSKeyedArchiver.archivedData(withRootObject: Intruder(), requiringSecureCoding: true),
            try NSKeyedArchiver.archivedData(
                withRootObject: [Token("a"), Intruder()] as NSArray, requiringSecureCoding: true),
            try NSKeyedArchiver.archivedData(withRootObject: "text" as NSString, requiringSecureCoding: true),
            Data("bplist00garbage that is no archive at all, but long enough to have a trailer".utf8),
        ]
        for archive in hostile {
            let provider = NSItemProvider(item: archive as NSData, typeIdentifier: "com.example.token")
            let code = await withCheckedContinuation { continuation in
                provider.loadItem(forTypeIdentifier: "com.example.token", as: Token.self) { _, error in
                    continuation.resume(returning: (error as NSError?)?.code)
                }
            }
            #expect(code == -1200)
        }
    }

    /// Each archive is really decoded. Foundation crashes the process on a missing class or part, on dictionaries
    /// with more keys than values, and on an object that contains itself.
    @Test(arguments: DamagedArchive.all) fileprivate func noDamageToAnArchiveDoesMoreThanFail(_ archive: DamagedArchive)
        async throws
    {
        var state: UInt64 = 3
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        #expect(KeyedArchive.unarchive(archive.data, as: archive.wanted) != nil)
        var read = 0
        for _ in 0..<5_000 {
            var bad = archive.data
            for _ in 0...next(3) { bad[next(bad.count)] = UInt8(next(256)) }
            if KeyedArchive.unarchive(bad, as: archive.wanted) != nil { read += 1 }
        }
        #expect(read > 0)
        #expect(KeyedArchive.classNames(in: Data("bplist00".utf8) + Data(count: 40)) == nil)
    }

    @Test func otherClassesOfFoundationAreNotReadFromArchives() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSIndexSet(index: 1), requiringSecureCoding: true)
        #expect(KeyedArchive.unarchive(archive, as: NSIndexSet.self) == nil)
    }

    @Test func theBytesOfAURLDoNoHarm() async {
        // A property list whose root is a set, which makes Foundation crash the process.
        let head = Array("bplist00".utf8) + [0xC1, 0x01, 0x51, 0x61, 0x08, 0x0A] + [UInt8](repeating: 0, count: 6)
        let numbers = [2, 0, 12].flatMap { [UInt8](repeating: 0, count: 7) + [UInt8($0)] }
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .url) { completion in
            completion(Data(head + [1, 1] + numbers), nil)
            return nil
        }
        await #expect(throws: (any Error).self) { try await provider.loadObject(ofClass: URL.self) }
    }
}

/// An archive to be damaged, and the class that is decoded from it.
private struct DamagedArchive: @unchecked Sendable, CustomTestStringConvertible {
    let data: Data
    let wanted: AnyClass
    var testDescription: String { "\(wanted)" }

    static let all: [DamagedArchive] = [
        DamagedArchive(Token("a word")), DamagedArchive(Chest()),
        DamagedArchive(["k": [1, "x"], "l": Data([3]), "u": NSUUID()] as NSDictionary, as: NSDictionary.self),
        DamagedArchive([NSDate(), ["b"], NSNull()] as NSArray, as: NSArray.self),
        DamagedArchive(NSSet(array: [1, "a"]), as: NSSet.self),
        DamagedArchive(NSURL(fileURLWithPath: "/a/b"), as: NSURL.self),
    ].compactMap { $0 }

    init?(_ object: any NSObject & NSSecureCoding, as wanted: AnyClass? = nil) {
        let archive = try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        guard let archive else { return nil }
        data = archive
        self.wanted = wanted ?? type(of: object)
    }
}

/// Encodes a value of every basic class, and decodes some as another class.
final class Chest: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() {}

    func encode(with coder: NSCoder) {
        coder.encode("text" as NSString, forKey: "text")
        coder.encode(7, forKey: "integer")
        coder.encode(1.5, forKey: "real")
        coder.encode(["x", "y"] as NSArray, forKey: "array")
        coder.encode(["k": 1, "l": ["m": "n"]] as NSDictionary, forKey: "dictionary")
        coder.encode(Data([1, 2]) as NSData, forKey: "data")
        coder.encode(NSURL(string: "https://example.org/a"), forKey: "url")
        coder.encode(NSUUID(), forKey: "uuid")
        coder.encode(NSDate(), forKey: "date")
    }

    init?(coder: NSCoder) {
        guard coder.decodeObject(of: NSString.self, forKey: "text") != nil else { return nil }
        _ = coder.decodeInteger(forKey: "integer")
        _ = coder.decodeDouble(forKey: "real")
        _ = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "array") as? [String]
        _ = coder.decodeObject(of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: "dictionary")
        _ = coder.decodeObject(of: NSData.self, forKey: "data")
        _ = coder.decodeObject(of: NSURL.self, forKey: "url")
        _ = coder.decodeObject(of: NSUUID.self, forKey: "uuid")
        _ = coder.decodeObject(of: NSNumber.self, forKey: "date")
        _ = coder.decodeObject(of: NSURL.self, forKey: "array")
    }
}
