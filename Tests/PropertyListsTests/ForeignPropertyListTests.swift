import Foundation
import PropertyLists
import TestThreads
import Testing

@Suite(.ownThreads) struct ForeignPropertyListTests {
    /// Returns a binary list of containers, each of which refers to the next one `width` times. The last one is
    /// empty.
    static func chain(depth: Int, width: Int, leaf: [UInt8] = [0xA0]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for level in 0..<depth {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += [0xA0 | UInt8(width)] + Array(repeating: UInt8(level + 1), count: width)
        }
        offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        bytes += leaf
        let table = UInt8(bytes.count)
        bytes += offsets
        func number(_ value: UInt8) -> [UInt8] { Array(repeating: 0, count: 7) + [value] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 1] + number(UInt8(depth + 1)) + number(0) + number(table)
        return Data(bytes)
    }

    @Test func aListThatUnfoldsExponentiallyIsRefused() {
        let list = Self.chain(depth: 40, width: 2)
        #expect(list.count < 300)
        #expect(throws: ForeignPropertyList.Refused.self) { try ForeignPropertyList.read(list) }
        #expect(ForeignPropertyList.dictionary(list) == nil)
    }

    @Test func partsThatAreSharedWithinReasonAreRead() throws {
        let list = try #require(try ForeignPropertyList.read(Self.chain(depth: 4, width: 2)) as? [Any])
        #expect(list.count == 2)
    }

    @Test func aListThatContainsItselfIsRefused() {
        var list = Self.chain(depth: 2, width: 2)
        list[9] = 0
        #expect(throws: ForeignPropertyList.Refused.self) { try ForeignPropertyList.read(list) }
    }

    @Test func aLongTextThatIsReferredToVeryOftenIsRefused() {
        let text = Array(repeating: UInt8(ascii: "x"), count: 100)
        let list = Self.chain(depth: 5, width: 14, leaf: [0x5F, 0x10, UInt8(text.count)] + text)
        // 537,824 references are not too many objects, but they are of too many bytes if the text is longer.
        #expect((try? BinaryPropertyList(list)) != nil)
        let longer = Self.chain(depth: 5, width: 14, leaf: [0x5F, 0x10, 150] + Array(repeating: 0x78, count: 150))
        #expect((try? BinaryPropertyList(longer)) == nil)
    }

    @Test(arguments: ["<array>", "("]) func aTextualListIsNotReadHoweverDeepItIs(_ opening: String) {
        let list = "<plist version=\"1.0\">" + String(repeating: opening, count: 50_000)
        #expect((try? ForeignPropertyList.read(Data(list.utf8))) == nil)
        #expect((try? ForeignPropertyList.read(Data(String(repeating: opening, count: 50_000).utf8))) == nil)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func listsOfFoundationsOwnAreRead(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let names = (0..<20_000).map { "name \($0 % 100)" }
        let list: [String: Any] = [
            "names": names, "number": 1, "date": Date(timeIntervalSince1970: 0), "data": Data([1]),
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        let read = try #require(ForeignPropertyList.dictionary(data))
        #expect(read["names"] as? [String] == names)
        #expect(read.count == 4)
    }

    @Test func truncatedPropertyListsAreRefused() throws {
        let whole = try PropertyListSerialization.data(
            fromPropertyList: ["a": [1, 2, "three"]], format: .binary, options: 0)
        for count in 8..<whole.count {
            #expect((try? ForeignPropertyList.read(whole.prefix(count))) == nil)
        }
    }
}
