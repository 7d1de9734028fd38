import LinuxSystem

/// The start of every packet: a CBOR array of the kind, the call's number, the number of attached descriptors, and
/// the fields of the kind.
///
///     request   [0, call, descriptors, method, body]
///     reply     [1, call, descriptors, body]
///     failure   [2, call, 0, domain, code, message, underlying or null]
///     progress  [3, call, 0, completed, total]
///     cancel    [4, call, 0]
///     notice    [5, 0, descriptors, method, body]
///
/// A body is a map. A body that does not fit into a packet is sent in a sealed memory file, as the last descriptor. The
/// packet then has the size of the body in bytes instead. A reader ignores unknown kinds, and unknown elements at the
/// end.
struct Frame {
    enum Kind: UInt64 {
        case request, reply, failure, progress, cancel, notice
    }

    /// The maximum size of a packet in bytes. A local socket accepts packets of about 200 KiB. However, at 64 KiB a
    /// copy in the kernel already costs as much as a memory file.
    static let packetLimit = 64 * 1024

    let kind: Kind?
    let call: UInt64
    let descriptorCount: Int

    /// Returns the position of the number of descriptors. The number is filled in after the body is written.
    private static func descriptorCountOffset(of call: UInt64) -> Int {
        // The array's head and the kind take one byte each.
        2 + encodedSize(of: call) + 1
    }

    private static func encodedSize(of value: UInt64) -> Int {
        switch value {
        case ..<24: 1
        case ...0xFF: 2
        case ...0xFFFF: 3
        case ...0xFFFF_FFFF: 5
        default: 9
        }
    }

    /// Writes the fields that all kinds have. The number of descriptors always takes two bytes.
    static func begin(_ kind: Kind, call: UInt64, elements: UInt64, in writer: inout CBORWriter) {
        writer.writeHead(.array, elements)
        writer.write(unsigned: kind.rawValue)
        writer.write(unsigned: call)
        writer.store(0x18, UInt8(0))
    }

    static func setDescriptorCount(_ count: Int, call: UInt64, in writer: inout CBORWriter) {
        writer.replace(at: descriptorCountOffset(of: call), with: UInt8(clamping: count))
    }

    /// Reads the fields that all kinds have, and leaves the reader at the fields of the kind.
    init(from reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        guard let elements = try reader.readArrayHead(), elements >= 3 else {
            throw CBORError(.unexpectedType, at: start)
        }
        kind = Kind(rawValue: try reader.readUnsigned())
        call = try reader.readUnsigned()
        descriptorCount = try reader.readInteger()
    }
}
