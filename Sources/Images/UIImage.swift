import Foundation
import UniformTypeIdentifiers

/// A picture.
///
/// This is the class of Apple's platforms for pictures. It stores the encoded bytes that it was created from, and
/// decodes them only when another format or size is requested. So a picture that passes through a program as data is
/// not changed. Objects are immutable and may be used from any thread.
///
/// It reads PNG, JPEG, WebP, HEIF, TIFF and GIF, and determines the format from the bytes. Source: UIKit,
/// `UIImage.h`, the part that is about data.
public final class UIImage: NSObject, NSSecureCoding, Sendable {
    /// The encoded picture, unchanged.
    package let encoded: Data
    package let header: ImageCodec.Header
    /// The number of pixels per point.
    public let scale: CGFloat

    /// Creates a picture from its encoded bytes, or `nil` if they are not a picture. Reads only the header and decodes
    /// no pixels.
    public convenience init?(data: Data) {
        self.init(data: data, scale: 1)
    }

    /// Creates a picture from its encoded bytes, with a number of pixels per point.
    public convenience init?(data: Data, scale: CGFloat) {
        try? self.init(encoded: data, scale: scale)
    }

    /// Creates a picture from a file, which is read whole; `nil` if it cannot be read or is not a picture.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// Creates a picture from its encoded bytes, or throws the reason why that fails.
    package init(encoded: Data, scale: CGFloat = 1) throws(ImageError) {
        header = try ImageCodec.header(of: encoded)
        self.encoded = encoded
        self.scale = scale > 0 ? scale : 1
        super.init()
    }

    // MARK: - Size

    /// The size as shown, in points.
    public var size: CGSize {
        CGSize(width: CGFloat(header.width) / scale, height: CGFloat(header.height) / scale)
    }

    // MARK: - Encoding

    /// Returns the picture as PNG, or `nil` if its bytes are damaged or it is too large to decode.
    public func pngData() -> Data? { try? data(as: .png) }

    /// Returns the picture as JPEG.
    ///
    /// - Parameter compressionQuality: from 0, smallest, to 1, best.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        try? ImageCodec.convert(encoded, to: .jpeg, quality: Double(compressionQuality))
    }

    /// Returns the picture as HEIC.
    public func heicData() -> Data? { try? data(as: .heif) }

    /// Returns the picture in the given format. If the picture's original bytes have this format and are stored
    /// upright, returns these bytes.
    package func data(as format: ImageFormat) throws(ImageError) -> Data {
        if format == header.format, header.isUpright { return encoded }
        return try ImageCodec.convert(encoded, to: format)
    }

    // MARK: - Thumbnails

    /// Returns the picture scaled down to fit into a size in pixels, with its proportions; `nil` if its bytes are
    /// damaged.
    ///
    /// Blocks the calling thread until the thumbnail is made.
    public func preparingThumbnail(of size: CGSize) -> UIImage? {
        try? thumbnail(fitting: size)
    }

    /// Returns the picture scaled down to fit into a size in pixels, without blocking the calling task.
    public func byPreparingThumbnail(ofSize size: CGSize) async -> UIImage? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.preparingThumbnail(of: size)) }
        }
    }

    package func thumbnail(fitting size: CGSize, as format: ImageFormat = .png) throws(ImageError) -> UIImage {
        // Rounds and clamps the length, because a caller may pass a value that `Int` cannot represent.
        func pixels(_ length: CGFloat) -> Int {
            length.isFinite ? Int(min(max(length.rounded(), 1), 1_048_576)) : 1_048_576
        }
        let data = try ImageCodec.thumbnail(
            encoded, width: pixels(size.width), height: pixels(size.height), as: format)
        return try UIImage(encoded: data)
    }

    // MARK: - Comparing

    /// Whether another picture shows the same pixels.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UIImage else { return false }
        if self === other || encoded == other.encoded { return true }
        guard header.width == other.header.width, header.height == other.header.height,
            let mine = try? ImageCodec.decode(encoded), let theirs = try? ImageCodec.decode(other.encoded)
        else { return false }
        return mine.pixels == theirs.pixels
    }

    /// A hash of the size, since equal pictures may have different bytes.
    public override var hash: Int { header.width &* 31 &+ header.height }

    /// The format and the size, for logs.
    public override var description: String {
        "<UIImage: \(header.format), \(header.width) by \(header.height) pixels>"
    }

    // MARK: - Coding

    /// Whether the class supports secure coding: `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the encoded picture and its scale.
    public func encode(with coder: NSCoder) {
        coder.encode(encoded as NSData, forKey: "data")
        coder.encode(Double(scale), forKey: "scale")
    }

    /// Creates a picture from the coder's data, or `nil` if the coder contains no picture.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "data") else { return nil }
        self.init(data: Data(referencing: data), scale: CGFloat(coder.decodeDouble(forKey: "scale")))
    }
}
