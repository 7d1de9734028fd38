import FileCoordination
import Foundation
import Images
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// An object that programs of their own code.
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

/// Another one, that nobody asks for.
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

    private func picture(_ format: ImageFormat = .png) throws -> Data {
        try ImageCodec.encode(Data(repeating: 200, count: 40 * 30 * 4), width: 40, height: 30, as: format)
    }

    @Test func aFilesURLBecomesWhatTheFileHolds() async throws {
        let text = try scratch.file("a.txt", "alpha") as NSURL
        #expect(await load(text, "public.plain-text", as: Data.self).value == Data("alpha".utf8))
        #expect(await load(text, "public.plain-text", as: String.self).value == "alpha")
        #expect(await load(text, "public.plain-text", as: URL.self).value == text as URL)
        // A URL type means the URL itself; its data is still the file's.
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

    @Test func whatCannotBecomeTheAskedClassIsAnError() async throws {
        let liar = NSData(data: Data("not a picture".utf8))
        #expect(await load(liar, "public.png", as: UIImage.self).error?.code == -1200)
        #expect(await load("no address" as NSString, "public.text", as: URL.self).error?.code == -1200)
        #expect(await load(NSNumber(value: 1), "com.apple.property-list", as: UIImage.self).error?.code == -1200)
        let invalid = NSData(data: Data([0xFF, 0xFE, 0xFD]))
        #expect(await load(invalid, "public.utf8-plain-text", as: String.self).error?.code == -1200)
        let gone = NSURL(fileURLWithPath: "/nonexistent/file.txt")
        #expect(await load(gone, "public.plain-text", as: Data.self).error?.code == -1200)
    }

    /// A device never ends and a pipe never begins: the process that names one must not hold up the one that reads.
    @Test func whatIsNoFileHoldsNobodyUp() async throws {
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

    /// Each is decoded for real: Foundation ends the process over a class or a part that is missing, over dictionaries with more
    /// keys than values, and over an object within itself.
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
        // A property list whose root is a set, over which Foundation ends the process.
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

/// An archive that is going to be damaged, and the class that is read from it.
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

/// Holds a value of every plain class, and asks for some as another than they are.
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
