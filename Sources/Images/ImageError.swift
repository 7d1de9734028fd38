import Foundation

/// Why a picture could not be read or made.
public enum ImageError: Error, Sendable, Equatable {
    /// The bytes are not a picture in a format that is known: PNG, JPEG, WebP, HEIF, TIFF or GIF.
    case unknownFormat
    /// The bytes begin like a picture of this format, and then go wrong; the text says how.
    case damaged(format: String, reason: String)
    /// The picture says that it has more pixels than this machine is made to decode.
    case tooLarge(pixels: Int, limit: Int)
    /// The picture can only be decoded whole, and would take more memory than pictures are given.
    case tooLargeInMemory(bytes: Int, limit: Int)
    /// There was no memory for the picture, whatever it is: the process has less than the picture takes.
    case outOfMemory(format: String)
    /// The picture could not be encoded; the text says why.
    case notEncoded(format: String, reason: String)
    /// The library that decodes and encodes pictures cannot be loaded, whatever the picture is; the text says why.
    case unavailable(reason: String)
}

extension ImageError: LocalizedError, CustomStringConvertible {
    /// One line that says what is wrong with the picture.
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

    /// The same line, for code that reads `localizedDescription`.
    public var errorDescription: String? { description }
}
