/// The major types of RFC 8949 §3.1, by their number.
package enum CBORMajorType: UInt8, Sendable {
    case unsigned, negative, bytes, text, array, map, tag, simple
}

/// The start of a data item: its major type and argument (RFC 8949 §3).
package struct CBORHead: Hashable, Sendable {
    package let type: CBORMajorType
    /// The low five bits of the first byte.
    package let information: UInt8
    /// The value, length, count, tag number or bits of the float; 0 when `information` is `indefinite`.
    package let argument: UInt64

    /// The additional information of an indefinite length, and in major type 7 of a break.
    package static let indefinite: UInt8 = 31

    package var isIndefinite: Bool { information == Self.indefinite }
    package var isBreak: Bool { type == .simple && isIndefinite }
}
