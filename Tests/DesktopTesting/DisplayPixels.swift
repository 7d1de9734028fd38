import Foundation

/// The pixels of an X display of Xvfb with the option `-fbdir`, which stores them in a file in the format of `xwd`.
package struct DisplayPixels: Sendable {
    private let path: String

    package struct Malformed: Error {}

    /// - Parameter folder: The directory of the option `-fbdir`.
    package init(folder: String) { path = folder + "/Xvfb_screen0" }

    /// Returns the number of pixels whose color is nearly the given one, which has the form `0xRRGGBB`.
    package func count(_ color: UInt32) throws -> Int {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        return try bytes.withUnsafeBytes { bytes in
            // The header consists of big-endian numbers. The first is the size of the header. The twentieth is the
            // number of entries for colors, of 12 bytes each, that follow the header.
            func number(_ index: Int) throws -> Int {
                guard bytes.count >= 4 * (index + 1) else { throw Malformed() }
                return Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
            }
            let start = try number(0) + 12 * number(19)
            guard try number(11) == 32, start < bytes.count else { throw Malformed() }
            return stride(from: start, through: bytes.count - 4, by: 4).count { offset in
                let pixel = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                return Self.isNear(pixel, color)
            }
        }
    }

    /// Whether each component of two colors differs by at most a sixteenth. Scaling causes such differences.
    private static func isNear(_ one: UInt32, _ other: UInt32) -> Bool {
        [0, 8, 16].allSatisfy { shift in
            abs(Int(one >> shift & 0xFF) - Int(other >> shift & 0xFF)) <= 16
        }
    }
}
