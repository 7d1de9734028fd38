import Foundation
import Images

/// Pictures that are generated for the tests.
enum Pictures {
    /// Returns a picture with a colour gradient and without alpha, which every format can represent.
    static func gradient(width: Int, height: Int, as format: ImageFormat, quality: Double = 0.9) throws -> Data {
        var pixels = Data(capacity: width * height * 4)
        for row in 0..<height {
            for column in 0..<width {
                pixels.append(contentsOf: [
                    UInt8(column * 255 / max(width - 1, 1)), UInt8(row * 255 / max(height - 1, 1)), 128, 255,
                ])
            }
        }
        return try ImageCodec.encode(pixels, width: width, height: height, as: format, quality: quality)
    }

    /// Returns a PNG whose header claims a larger size than its data has.
    static func png(claiming width: UInt32, by height: UInt32, interlaced: Bool = false) throws -> Data {
        var data = try gradient(width: 2, height: 2, as: .png)
        let header = data.startIndex + 16
        func bigEndian(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
        data.replaceSubrange(header..<header + 8, with: bigEndian(width) + bigEndian(height))
        if interlaced { data[header + 12] = 1 }
        // The chunk's checksum covers its name and its contents.
        let checksum = crc32(data[(header - 4)..<(header + 13)])
        data.replaceSubrange(header + 13..<header + 17, with: bigEndian(checksum))
        return data
    }

    /// Returns an animation whose frames draw one pixel each onto a canvas.
    static func gif(width: UInt16, height: UInt16, frames: Int) -> Data {
        func littleEndian(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        // A table of two colours.
        let head =
            Array("GIF89a".utf8) + littleEndian(width) + littleEndian(height) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
        let pixel: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        return Data(head + (0..<frames).flatMap { _ in control + pixel } + [0x3B])
    }

    private static func crc32(_ bytes: Data) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }

    /// Returns a JPEG with an EXIF header that gives its orientation.
    static func jpeg(width: Int, height: Int, orientation: UInt8) throws -> Data {
        let plain = try gradient(width: width, height: height, as: .jpeg)
        let exif: [UInt8] =
            Array("Exif\0\0".utf8) + [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0]
            + [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
        let length = exif.count + 2
        return plain.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + exif + plain.dropFirst(2)
    }
}
