import Conduit
import FileProvider
import FileProviderWire
import ItemValues
import Testing

@Suite struct MessageTests {
    /// An item with every field set.
    private var item: ProviderItem {
        var item = ProviderItem(identifier: "i", parent: "p", filename: "n\u{0}/\u{301}", kind: .symbolicLink)
        item.contentType = "public.data"
        item.capabilities = .max
        item.size = .max
        item.childCount = 3
        item.created = -1.5
        item.modified = 1e12
        item.lastUsed = 0
        item.contentVersion = [0, 255]
        item.metadataVersion = [UInt8](repeating: 7, count: ProviderItem.longestVersion)
        item.favoriteRank = .max
        item.tagData = []
        item.flags = [.shared, .trashed]
        item.fileSystemFlags = 0
        item.extendedAttributes = ["a": [1], "b": []]
        item.linkTarget = "../x"
        item.uploadingError = ProviderError(
            .filenameCollision, message: "m", domain: "d", code: -1001, collidingItem: "other")
        return item
    }

    private func bytes(_ message: some Message) -> [UInt8] {
        var encoder = MessageEncoder()
        message.write(to: &encoder)
        return encoder.bytes
    }

    private func decode<Value: Message>(_: Value.Type = Value.self, _ bytes: [UInt8]) throws(MessageError) -> Value {
        let result = bytes.withUnsafeBytes { bytes -> Result<Value, MessageError> in
            var decoder = MessageDecoder(bytes)
            do throws(MessageError) { return .success(try Value.read(from: &decoder)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    @Test func anItemArrivesAsItWasSent() throws {
        #expect(try decode(ProviderItem.self, bytes(item)) == item)
        let plain = ProviderItem(identifier: "i", parent: "p", filename: "n", kind: .file)
        #expect(try decode(ProviderItem.self, bytes(plain)) == plain)
    }

    @Test func anItemBeyondTheBoundsIsNotUnderstood() {
        let long = String(repeating: "x", count: ProviderItem.longestText + 1)
        let changes: [(inout ProviderItem) -> Void] = [
            { $0.identifier = "" }, { $0.identifier = long }, { $0.parent = long }, { $0.filename = long },
            { $0.contentType = long }, { $0.linkTarget = long },
            { $0.contentVersion = [UInt8](repeating: 0, count: ProviderItem.longestVersion + 1) },
            { $0.tagData = [UInt8](repeating: 0, count: ProviderItem.mostBytes + 1) },
            { $0.extendedAttributes = ["a": [UInt8](repeating: 0, count: ProviderItem.mostBytes)] },
        ]
        for change in changes {
            var item = item
            change(&item)
            #expect(throws: MessageError.self) { try decode(ProviderItem.self, bytes(item)) }
        }
    }

    @Test func aDateThatIsNoneIsLeftOut() throws {
        for date in [Double.nan, .infinity, -.infinity, 1e300] {
            var item = item
            item.modified = date
            #expect(try decode(ProviderItem.self, bytes(item)).modified == nil)
        }
    }

    @Test func bytesThatAreNoMessageAreNotUnderstoodAndDoNoHarm() {
        var random = SystemRandomNumberGenerator()
        let reply = ProviderReply<ProviderPage>.done(ProviderPage(items: [item, item], next: [1, 2, 3]))
        let whole = bytes(reply)
        for count in 0..<whole.count {
            #expect(throws: MessageError.self) { try decode(ProviderReply<ProviderPage>.self, Array(whole[..<count])) }
        }
        for _ in 0..<20_000 {
            var changed = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Decoding either succeeds or throws.
            _ = try? decode(ProviderReply<ProviderPage>.self, changed)
        }
    }

    @Test func aFailureArrivesAndItsWordsAreShortened() throws {
        let failure = ProviderError(
            .insufficientQuota, message: String(repeating: "é", count: 10_000), domain: "d", code: -1003)
        let reply = try decode(ProviderReply<Empty>.self, bytes(ProviderReply<Empty>.failed(failure)))
        guard case .failed(let arrived) = reply else {
            Issue.record("the failure has become something else")
            return
        }
        #expect(arrived.kind == .insufficientQuota && arrived.code == -1003 && arrived.domain == "d")
        #expect(arrived.message.utf8.count <= 4096 && arrived.message.hasPrefix("éé"))
    }
}
