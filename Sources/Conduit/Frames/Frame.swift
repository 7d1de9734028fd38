import LinuxSystem

/// The start of every packet: a CBOR array of the kind, the call's number, how many descriptors came along, and what
/// the kind needs.
///
///     request   [0, call, descriptors, method, body]
///     reply     [1, call, descriptors, body]
///     failure   [2, call, 0, domain, code, message, underlying or null]
///     progress  [3, call, 0, completed, total]
///     cancel    [4, call, 0]
///     notice    [5, 0, descriptors, method, body]
///
/// A body is a map. A body that does not fit into a packet is its number of bytes instead, and the last descriptor is
/// a sealed memory file that holds it. Elements that a reader does not know, at the end, and kinds that it does not
/// know are ignored.
struct Frame {
    enum Kind: UInt64 {
        case request, reply, failure, progress, cancel, notice
    }

    /// The most bytes a packet has. A local socket takes about 200 KiB, and one copy in the kernel of this much
    /// costs what a memory file costs.
    static let packetLimit = 64 * 1024

    let kind: Kind?
    let call: UInt64
    let descriptorCount: Int

    /// Where the declared number of descriptors stands, filled in once the body is written.
    private static func descriptorCountOffset(of call: UInt64) -> Int {
        // The array's head and the kind take a byte each.
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

    /// Writes the part that all kinds have. The number of descriptors takes two bytes whatever it is.
    static func begin(_ kind: Kind, call: UInt64, elements: UInt64, in writer: inout CBORWriter) {
        writer.writeHead(.array, elements)
        writer.write(unsigned: kind.rawValue)
        writer.write(unsigned: call)
        writer.store(0x18, UInt8(0))
    }

    static func setDescriptorCount(_ count: Int, call: UInt64, in writer: inout CBORWriter) {
        writer.replace(at: descriptorCountOffset(of: call), with: UInt8(clamping: count))
    }

    /// Reads the part that all kinds have, leaving the reader at what the kind needs.
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
