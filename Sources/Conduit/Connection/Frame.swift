import LinuxSystem

/// The start of every packet: a CBOR array. Its elements are the frame's kind, the call's number, the number of
/// attached descriptors, and the fields that belong to the kind.
///
///     request   [0, call, descriptors, method, body]
///     reply     [1, call, descriptors, body]
///     failure   [2, call, 0, domain, code, message, underlying or null]
///     progress  [3, call, 0, completed, total]
///     cancel    [4, call, 0]
///     notice    [5, 0, descriptors, method, body]
///
/// A body is a map. A body that does not fit into a packet is sent in a sealed memory file, as the last descriptor. In
/// this case, the packet contains the size of the body in bytes instead of the body. A reader ignores unknown kinds,
/// and unknown elements at the end.
struct Frame {
    enum Kind: UInt64 {
        case request, reply, failure, progress, cancel, notice
    }

    /// The maximum size of a packet in bytes. A local socket accepts packets of about 200 KiB. However, from 64 KiB on,
    /// a memory file costs no more than copying the packet in the kernel.
    static let packetLimit = 64 * 1024

    let kind: Kind?
    let call: UInt64
    let descriptorCount: Int

    /// Returns the offset, in bytes, of the number of descriptors. This number is written after the body.
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

    /// Writes the fields that frames of all kinds have. The number of descriptors always takes two bytes.
    static func begin(_ kind: Kind, call: UInt64, elements: UInt64, in writer: inout CBORWriter) {
        writer.writeHead(.array, elements)
        writer.write(unsigned: kind.rawValue)
        writer.write(unsigned: call)
        writer.store(0x18, UInt8(0))
    }

    static func setDescriptorCount(_ count: Int, call: UInt64, in writer: inout CBORWriter) {
        writer.replace(at: descriptorCountOffset(of: call), with: UInt8(clamping: count))
    }

    /// Reads the fields that frames of all kinds have. The reader is then at the first field that belongs to the kind.
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
