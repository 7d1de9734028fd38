import CImages
import Foundation

/// Decodes, scales and encodes pictures with libvips. Every call blocks the calling thread; any thread may call.
///
/// A picture is not trusted: the format is determined from its bytes, and the size in its header is checked before
/// anything is decoded.
package enum ImageCodec {
    /// The maximum number of decoded pixels, including all frames of an animation. It is needed because a file of a few
    /// bytes can claim to contain terabytes. The pages of a document (TIFF, HEIF) are separate pictures, of which only
    /// the first is decoded.
    package static let largestPixelCount = 1 << 28

    /// The maximum number of bytes of decoded pixels in memory at once, for pictures that cannot be decoded in
    /// pieces.
    package static let largestByteCount = 1 << 29

    /// The contents of a picture's header.
    package struct Header: Sendable, Equatable {
        package let format: ImageFormat
        /// The width and height as shown, after rotation.
        package let width: Int
        package let height: Int
        /// The number of frames of an animation, or pages of a document.
        package let pages: Int
        /// Whether the pixels are stored in the orientation in which they are shown.
        package let isUpright: Bool
        /// The size of one decoded pixel in bytes.
        let pixelSize: Int
        /// Whether the file is interlaced: no row of pixels is complete before the whole file is read.
        let isInterlaced: Bool

        /// The size in bytes of the decoded picture if it must be decoded into memory as a whole; 0 if it can be
        /// decoded in pieces.
        package var wholeSize: Int {
            let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
            let (bytes, overflowsToo) = pixels.multipliedReportingOverflow(by: isDecodedWhole ? pixelSize : 0)
            return overflows || overflowsToo ? .max : bytes
        }

        /// Whether the whole picture must be decoded into memory. This applies to interlaced files, to WebP, HEIF and
        /// GIF, which are decoded frame by frame, and to pictures that must be rotated.
        var isDecodedWhole: Bool {
            switch format {
            case .webp, .heif, .gif: true
            case .png, .jpeg, .tiff: isInterlaced || !isUpright
            }
        }
    }

    /// The reason why libvips cannot be used, or `nil` if it can.
    private static let startFault: String? = cimages_start() == 0 ? nil : lastError()

    /// Reads a picture's header.
    package static func header(of data: Data) throws(ImageError) -> Header {
        guard let format = ImageFormat(sniffing: data) else { throw .unknownFormat }
        var raw = cimages_header()
        try call({ .undecoded(format, $0) }) {
            data.withUnsafeBytes { cimages_inspect($0.baseAddress, $0.count, &raw) }
        }
        let isOnItsSide = (5...8).contains(raw.orientation)
        return Header(
            format: format, width: Int(isOnItsSide ? raw.height : raw.width),
            height: Int(isOnItsSide ? raw.width : raw.height), pages: max(1, Int(raw.pages)),
            isUpright: raw.orientation <= 1, pixelSize: Int(raw.pixel_size), isInterlaced: raw.interlaced != 0)
    }

    /// Reads a picture's header. Throws if the picture is too large to decode.
    ///
    /// - Parameter resultPixelSize: the bytes per pixel of the caller's result, if it has as many pixels as the picture
    ///   and is held in memory; otherwise 0.
    static func checkedHeader(of data: Data, resultPixelSize: Int = 0) throws(ImageError) -> Header {
        let header = try header(of: data)
        let isAnimation = header.format == .gif || header.format == .webp
        // The product saturates, since a header may claim any numbers.
        func product(_ a: Int, _ b: Int) -> Int {
            let (result, overflows) = a.multipliedReportingOverflow(by: b)
            return overflows ? .max : result
        }
        let frame = product(header.width, header.height)
        let pixels = product(frame, isAnimation ? header.pages : 1)
        guard pixels <= largestPixelCount, pixels > 0 else {
            throw .tooLarge(pixels: pixels, limit: largestPixelCount)
        }
        let bytes = max(product(frame, header.isDecodedWhole ? header.pixelSize : 0), product(frame, resultPixelSize))
        guard bytes <= largestByteCount else { throw .tooLargeInMemory(bytes: bytes, limit: largestByteCount) }
        return header
    }

    /// Converts a picture to another format. Converts only the first frame of an animation.
    package static func convert(
        _ data: Data, to format: ImageFormat, quality: Double = 0.85
    ) throws(ImageError) -> Data {
        let header = try checkedHeader(of: data)
        return try buffer({ .undecoded(header.format, $0) }) { result in
            data.withUnsafeBytes {
                cimages_convert($0.baseAddress, $0.count, format.encoder(quality: quality), result)
            }
        }
    }

    /// Returns the picture scaled down to fit into a rectangle, with its proportions. A picture that fits keeps its
    /// size.
    ///
    /// A JPEG is decoded at a fraction of its size, and so is a TIFF or HEIF with previews in it.
    package static func thumbnail(
        _ data: Data, width: Int, height: Int, as format: ImageFormat = .png, quality: Double = 0.85
    ) throws(ImageError) -> Data {
        let header = try checkedHeader(of: data)
        let limit = 1 << 20
        return try buffer({ .undecoded(header.format, $0) }) { result in
            data.withUnsafeBytes {
                cimages_thumbnail(
                    $0.baseAddress, $0.count, Int32(min(max(width, 1), limit)), Int32(min(max(height, 1), limit)),
                    format.encoder(quality: quality), result)
            }
        }
    }

    /// Encodes pixels: rows of red, green, blue and alpha, 8 bits each.
    package static func encode(
        _ pixels: Data, width: Int, height: Int, as format: ImageFormat, quality: Double = 0.85
    ) throws(ImageError) -> Data {
        guard width > 0, height > 0, width <= largestPixelCount / height, pixels.count == width * height * 4 else {
            throw .notEncoded(
                format: "\(format)", reason: "\(pixels.count) bytes are not \(width) by \(height) pixels")
        }
        return try buffer({ .notEncoded(format: "\(format)", reason: $0) }) { result in
            pixels.withUnsafeBytes {
                cimages_encode($0.baseAddress, Int32(width), Int32(height), format.encoder(quality: quality), result)
            }
        }
    }

    /// Returns a picture's pixels: rows of red, green, blue and alpha, 8 bits each.
    package static func decode(_ data: Data) throws(ImageError) -> (pixels: Data, width: Int, height: Int) {
        let header = try checkedHeader(of: data, resultPixelSize: 4)
        var width: Int32 = 0
        var height: Int32 = 0
        let pixels = try buffer({ .undecoded(header.format, $0) }) { result in
            data.withUnsafeBytes { cimages_decode($0.baseAddress, $0.count, result, &width, &height) }
        }
        return (pixels, Int(width), Int(height))
    }

    static func buffer(
        _ failure: (String) -> ImageError, _ body: (UnsafeMutablePointer<cimages_buffer>) -> CInt
    ) throws(ImageError) -> Data {
        var result = cimages_buffer()
        try call(failure) { body(&result) }
        guard let bytes = result.bytes else { throw failure("nothing came of it") }
        let (address, count) = (UInt(bitPattern: bytes), result.count)
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { _, _ in
                var result = cimages_buffer(bytes: UnsafeMutableRawPointer(bitPattern: address), count: count)
                cimages_free(&result)
            })
    }

    private static func call(_ failure: (String) -> ImageError, _ body: () -> CInt) throws(ImageError) {
        if let startFault { throw .unavailable(reason: startFault) }
        guard body() != 0 else { return }
        throw failure(lastError())
    }

    /// Returns the first line of the calling thread's last libvips error.
    private static func lastError() -> String {
        var text = [CChar](repeating: 0, count: 1024)
        cimages_error(&text, text.count)
        let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        return lines.first.map(String.init) ?? "libvips gives no reason"
    }
}

extension ImageError {
    /// Returns the error for a picture that libvips did not decode.
    ///
    /// - Parameter reason: libvips' message.
    static func undecoded(_ format: ImageFormat, _ reason: String) -> ImageError {
        reason.contains("out of memory")
            ? .outOfMemory(format: "\(format)") : .damaged(format: "\(format)", reason: reason)
    }
}

/// The reason why a picture could not be read or written.
public enum ImageError: Error, Sendable, Equatable {
    /// The bytes are not a picture in a supported format: PNG, JPEG, WebP, HEIF, TIFF or GIF.
    case unknownFormat
    /// The bytes start as this format, but are invalid. `reason` is libvips' message.
    case damaged(format: String, reason: String)
    /// The picture claims more pixels than the decoder's limit.
    case tooLarge(pixels: Int, limit: Int)
    /// The picture can only be decoded whole, and would exceed the memory limit for pictures.
    case tooLargeInMemory(bytes: Int, limit: Int)
    /// The process does not have enough memory for the picture.
    case outOfMemory(format: String)
    /// The picture could not be encoded, for the given reason.
    case notEncoded(format: String, reason: String)
    /// The library that decodes and encodes pictures cannot be loaded, for the given reason.
    case unavailable(reason: String)
}

extension ImageError: LocalizedError, CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .unknownFormat: "the data is not a picture (PNG, JPEG, WebP, HEIF, TIFF or GIF)"
        case .damaged(let format, let reason): "the \(format) picture is damaged: \(reason)"
        case .tooLarge(let pixels, let limit): "the picture has \(pixels) pixels; at most \(limit) are decoded"
        case .tooLargeInMemory(let bytes, let limit):
            "the picture takes \(bytes) bytes of memory; at most \(limit) are given to one"
        case .outOfMemory(let format): "there is not enough memory for the \(format) picture"
        case .notEncoded(let format, let reason): "the picture cannot be written as \(format): \(reason)"
        case .unavailable(let reason): "pictures cannot be read on this machine: \(reason)"
        }
    }

    /// The same line as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}
