import Foundation

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
        case .unavailable(let reason): "no picture can be read here: \(reason)"
        }
    }

    /// The same line as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}
