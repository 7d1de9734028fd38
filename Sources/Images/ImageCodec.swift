import CImages
import Foundation

/// Decoding, scaling and encoding of pictures, by libvips. Blocks the calling thread; any thread may call.
///
/// Nothing is believed of what a picture is said to be: its format is told from its bytes, and its size from its header
/// before anything is decoded.
package enum ImageCodec {
    /// More pixels than this, all frames of an animation together, are not decoded: a file of a few bytes can claim to hold
    /// terabytes. The pages of a document (TIFF, HEIF) are pictures of their own, of which the first is the only one decoded.
    package static let largestPixelCount = 1 << 28

    /// More bytes of decoded pixels than this are not held in memory at once, where a picture cannot be decoded piece by
    /// piece.
    package static let largestByteCount = 1 << 29

    /// What the header of a picture says.
    package struct Header: Sendable, Equatable {
        package let format: ImageFormat
        /// As shown, that is after it was turned upright.
        package let width: Int
        package let height: Int
        /// Frames of an animation, pages of a document.
        package let pages: Int
        /// Whether the pixels are stored the way they are shown.
        package let isUpright: Bool
        /// Bytes of one decoded pixel.
        let pixelSize: Int
        /// Whether no row is known before all of the file is read.
        let isInterlaced: Bool

        /// The most bytes that have to be held at once to decode it.
        package var wholeSize: Int {
            let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
            let (bytes, overflowsToo) = pixels.multipliedReportingOverflow(by: isDecodedWhole ? pixelSize : 0)
            return overflows || overflowsToo ? .max : bytes
        }

        /// Whether nothing of the picture can be had without all of it in memory. Interlaced files are; WebP, HEIF and GIF are
        /// decoded frame by frame; and what lies on its side is turned as a whole.
        var isDecodedWhole: Bool {
            switch format {
            case .webp, .heif, .gif: true
            case .png, .jpeg, .tiff: isInterlaced || !isUpright
            }
        }
    }

    /// Why there is no libvips; `nil` where there is.
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

    /// Reads a picture's header and refuses one that is too large to decode.
    ///
    /// - Parameter resultPixelSize: bytes for every pixel of a result that is as large as the picture and held whole.
    static func checkedHeader(of data: Data, resultPixelSize: Int = 0) throws(ImageError) -> Header {
        let header = try header(of: data)
        let isAnimation = header.format == .gif || header.format == .webp
        // Saturating: a header may claim anything.
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

    /// The picture in another format. The first frame of an animation.
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

    /// The picture scaled down to fit into a rectangle, its proportions kept. A picture that fits stays as large as it is.
    ///
    /// A JPEG is decoded at a fraction of its size, as are a TIFF or HEIF with previews in them.
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

    /// A picture's pixels: rows of red, green, blue and alpha, 8 bits each.
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

    /// The calling thread's.
    private static func lastError() -> String {
        var text = [CChar](repeating: 0, count: 1024)
        cimages_error(&text, text.count)
        let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        return lines.first.map(String.init) ?? "libvips does not say why"
    }
}

extension ImageError {
    /// What libvips' words say of a picture that it did not decode.
    static func undecoded(_ format: ImageFormat, _ reason: String) -> ImageError {
        reason.contains("out of memory")
            ? .outOfMemory(format: "\(format)") : .damaged(format: "\(format)", reason: reason)
    }
}
