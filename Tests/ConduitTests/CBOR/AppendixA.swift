import Conduit

/// The examples of RFC 8949, appendix A.
struct Example: Sendable, CustomStringConvertible {
    let hex: String
    let value: CBORValue
    /// Whether the bytes are the preferred serialization, so that encoding the value yields them.
    let isPreferred: Bool

    init(_ hex: String, _ value: CBORValue, isPreferred: Bool = true) {
        (self.hex, self.value, self.isPreferred) = (hex, value, isPreferred)
    }

    var description: String { hex }

    var bytes: [UInt8] {
        var rest = Substring(hex)
        var bytes: [UInt8] = []
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

private let oneToTwentyFive: CBORValue = .array((1...25).map { .unsigned($0) })
private let nested: CBORValue = .array([
    .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
])
private let big: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0]

enum AppendixA {
    static let integers: [Example] = [
        Example("00", .unsigned(0)),
        Example("01", .unsigned(1)),
        Example("0a", .unsigned(10)),
        Example("17", .unsigned(23)),
        Example("1818", .unsigned(24)),
        Example("1819", .unsigned(25)),
        Example("1864", .unsigned(100)),
        Example("1903e8", .unsigned(1000)),
        Example("1a000f4240", .unsigned(1_000_000)),
        Example("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        Example("1bffffffffffffffff", .unsigned(18_446_744_073_709_551_615)),
        Example("c249010000000000000000", .tagged(2, .bytes(big))),
        Example("3bffffffffffffffff", .negative(18_446_744_073_709_551_615)),
        Example("c349010000000000000000", .tagged(3, .bytes(big))),
        Example("20", .negative(0)),
        Example("29", .negative(9)),
        Example("3863", .negative(99)),
        Example("3903e7", .negative(999)),
    ]

    static let floats: [Example] = [
        Example("f90000", .float(0.0)),
        Example("f98000", .float(-0.0)),
        Example("f93c00", .float(1.0)),
        Example("fb3ff199999999999a", .float(1.1)),
        Example("f93e00", .float(1.5)),
        Example("f97bff", .float(65504.0)),
        Example("fa47c35000", .float(100000.0)),
        Example("fa7f7fffff", .float(3.4028234663852886e+38)),
        Example("fb7e37e43c8800759c", .float(1.0e+300)),
        Example("f90001", .float(5.960464477539063e-8)),
        Example("f90400", .float(0.00006103515625)),
        Example("f9c400", .float(-4.0)),
        Example("fbc010666666666666", .float(-4.1)),
        Example("f97c00", .float(.infinity)),
        Example("f97e00", .float(.nan)),
        Example("f9fc00", .float(-.infinity)),
        Example("fa7f800000", .float(.infinity), isPreferred: false),
        Example("fa7fc00000", .float(.nan), isPreferred: false),
        Example("faff800000", .float(-.infinity), isPreferred: false),
        Example("fb7ff0000000000000", .float(.infinity), isPreferred: false),
        Example("fb7ff8000000000000", .float(.nan), isPreferred: false),
        Example("fbfff0000000000000", .float(-.infinity), isPreferred: false),
    ]

    static let simpleAndTagged: [Example] = [
        Example("f4", .bool(false)),
        Example("f5", .bool(true)),
        Example("f6", .null),
        Example("f7", .undefined),
        Example("f0", .simple(16)),
        Example("f8ff", .simple(255)),
        Example("c074323031332d30332d32315432303a30343a30305a", .tagged(0, .text("2013-03-21T20:04:00Z"))),
        Example("c11a514b67b0", .tagged(1, .unsigned(1_363_896_240))),
        Example("c1fb41d452d9ec200000", .tagged(1, .float(1363896240.5))),
        Example("d74401020304", .tagged(23, .bytes([1, 2, 3, 4]))),
        Example("d818456449455446", .tagged(24, .bytes([0x64, 0x49, 0x45, 0x54, 0x46]))),
        Example("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .tagged(32, .text("http://www.example.com"))),
    ]

    static let strings: [Example] = [
        Example("40", .bytes([])),
        Example("4401020304", .bytes([1, 2, 3, 4])),
        Example("60", .text("")),
        Example("6161", .text("a")),
        Example("6449455446", .text("IETF")),
        Example("62225c", .text("\"\\")),
        Example("62c3bc", .text("\u{00fc}")),
        Example("63e6b0b4", .text("\u{6c34}")),
        Example("64f0908591", .text("\u{10151}")),
        Example("5f42010243030405ff", .bytes([1, 2, 3, 4, 5]), isPreferred: false),
        Example("7f657374726561646d696e67ff", .text("streaming"), isPreferred: false),
    ]

    static let containers: [Example] = [
        Example("80", .array([])),
        Example("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        Example("8301820203820405", nested),
        Example("98190102030405060708090a0b0c0d0e0f101112131415161718181819", oneToTwentyFive),
        Example("a0", .map([])),
        Example("a201020304", .map([(.unsigned(1), .unsigned(2)), (.unsigned(3), .unsigned(4))])),
        Example(
            "a26161016162820203",
            .map([(.text("a"), .unsigned(1)), (.text("b"), .array([.unsigned(2), .unsigned(3)]))])),
        Example("826161a161626163", .array([.text("a"), .map([(.text("b"), .text("c"))])])),
        Example(
            "a56161614161626142616361436164614461656145",
            .map(["a", "b", "c", "d", "e"].map { (.text($0), .text($0.uppercased())) })),
    ]

    static let indefiniteContainers: [Example] = [
        Example("9fff", .array([]), isPreferred: false),
        Example("9f018202039f0405ffff", nested, isPreferred: false),
        Example("9f01820203820405ff", nested, isPreferred: false),
        Example("83018202039f0405ff", nested, isPreferred: false),
        Example("83019f0203ff820405", nested, isPreferred: false),
        Example("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", oneToTwentyFive, isPreferred: false),
        Example(
            "bf61610161629f0203ffff",
            .map([(.text("a"), .unsigned(1)), (.text("b"), .array([.unsigned(2), .unsigned(3)]))]),
            isPreferred: false),
        Example(
            "826161bf61626163ff", .array([.text("a"), .map([(.text("b"), .text("c"))])]), isPreferred: false),
        Example(
            "bf6346756ef563416d7421ff", .map([(.text("Fun"), .bool(true)), (.text("Amt"), .negative(1))]),
            isPreferred: false),
    ]

    static let all = integers + floats + simpleAndTagged + strings + containers + indefiniteContainers
}
