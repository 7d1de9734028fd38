import Foundation
import PropertyLists
import TestThreads
import Testing

@Suite(.ownThreads) struct BrokenPropertyListTests {
    private let list: [String: Any] = [
        "array": [1, "two", Data([3]), ["deep": true]] as [Any], "date": Date(timeIntervalSince1970: 7), "real": 1.5,
        "text": "gr\u{FC}n", "long": String(repeating: "long ", count: 100),
    ]

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func everyValueIsRead(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        let read = try #require((try? ForeignPropertyList.read(data)) as? [String: Any])
        #expect(read as NSDictionary == list as NSDictionary)
    }

    @Test func textIsReadInItsOldestForm() {
        #expect(
            (try? ForeignPropertyList.read(Data("{ a = (b, c); }".utf8))) as? [String: [String]] == ["a": ["b", "c"]])
        #expect((try? ForeignPropertyList.read(Data("<plist><dict><key>".utf8))) == nil)
    }

    /// Foundation crashes the process on a set, on a key that is not text, and on a list that contains itself.
    @Test(arguments: [
        [0xC1, 0x01], [0xD1, 0x01, 0x01], [0xA1, 0x00], [0xB1, 0x01], [0x00, 0x09], [0x7F, 0x10], [0x15, 0x00],
    ])
    func valuesOfOtherTypesAreRefused(_ root: [UInt8]) {
        // The root, and a number for it to refer to, followed by the offset table of both and the trailer.
        let number: [UInt8] = [0x10, 0x07]
        let table = 8 + root.count + number.count
        let bytes =
            Array("bplist00".utf8) + root + number + [8, UInt8(8 + root.count)] + [UInt8](repeating: 0, count: 6)
            + [1, 1] + [UInt8](repeating: 0, count: 7) + [2] + [UInt8](repeating: 0, count: 8)
            + [UInt8](repeating: 0, count: 7) + [UInt8(table)]
        #expect((try? ForeignPropertyList.read(Data(bytes))) == nil)
    }

    @Test func noDamageDoesMoreThanFail() throws {
        let good = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        var state: UInt64 = 5
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        var read = 0
        for _ in 0..<20_000 {
            var bad = good
            for _ in 0...next(4) { bad[next(bad.count)] = UInt8(next(256)) }
            if let value = (try? ForeignPropertyList.read(bad)) { read += "\(value)".isEmpty ? 0 : 1 }
        }
        #expect(read > 0)
    }
}
