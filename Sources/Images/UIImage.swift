import Foundation
import UniformTypeIdentifiers

/// A picture.
///
/// The value class under which programs for Apple's platforms know pictures. It keeps the encoded bytes that it was made of and
/// decodes them only when another format or size is asked for, so a picture that passes through a program as data stays
/// the same to the last byte. Its values do not change and may be used from any thread.
///
/// Read: PNG, JPEG, WebP, HEIF, TIFF and GIF, told from the bytes. Source: UIKit, `UIImage.h`, the part that is about data.
public final class UIImage: NSObject, NSSecureCoding, Sendable {
    /// The encoded picture, as it came.
    package let encoded: Data
    package let header: ImageCodec.Header
    /// Pixels to a point.
    public let scale: CGFloat

    /// A picture from its encoded bytes; `nil` for what is not a picture. The header is read, nothing is decoded.
    public convenience init?(data: Data) {
        self.init(data: data, scale: 1)
    }

    /// A picture from its encoded bytes, with so many pixels to a point.
    public convenience init?(data: Data, scale: CGFloat) {
        try? self.init(encoded: data, scale: scale)
    }

    /// A picture from a file, which is read whole; `nil` for what cannot be read or is not a picture.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// A picture from its encoded bytes; the error says what is wrong with them.
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

    /// The picture as PNG; `nil` when its bytes turn out to be damaged, or it is too large to decode.
    public func pngData() -> Data? { try? data(as: .png) }

    /// The picture as JPEG.
    ///
    /// - Parameter compressionQuality: from 0, smallest, to 1, best.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        try? ImageCodec.convert(encoded, to: .jpeg, quality: Double(compressionQuality))
    }

    /// The picture as HEIC.
    public func heicData() -> Data? { try? data(as: .heif) }

    /// The picture in a format: the bytes it was made of when that is their format.
    package func data(as format: ImageFormat) throws(ImageError) -> Data {
        if format == header.format, header.isUpright { return encoded }
        return try ImageCodec.convert(encoded, to: format)
    }

    // MARK: - Thumbnails

    /// The picture scaled down to fit into a size in pixels, its proportions kept; `nil` when its bytes are damaged.
    ///
    /// Blocks for as long as it takes.
    public func preparingThumbnail(of size: CGSize) -> UIImage? {
        try? thumbnail(fitting: size)
    }

    /// The picture scaled down to fit into a size in pixels, for `async` code.
    public func byPreparingThumbnail(ofSize size: CGSize) async -> UIImage? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.preparingThumbnail(of: size)) }
        }
    }

    package func thumbnail(fitting size: CGSize, as format: ImageFormat = .png) throws(ImageError) -> UIImage {
        // Nothing a caller may pass is outside of what an Int holds after this.
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

    /// Equal pictures have equal sizes; their bytes may differ.
    public override var hash: Int { header.width &* 31 &+ header.height }

    /// The format and the size, for logs.
    public override var description: String {
        "<UIImage: \(header.format), \(header.width) by \(header.height) pixels>"
    }

    // MARK: - Coding

    /// `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the encoded picture.
    public func encode(with coder: NSCoder) {
        coder.encode(encoded as NSData, forKey: "data")
        coder.encode(Double(scale), forKey: "scale")
    }

    /// Reads an encoded picture; `nil` for what is not one.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "data") else { return nil }
        self.init(data: Data(referencing: data), scale: CGFloat(coder.decodeDouble(forKey: "scale")))
    }
}
