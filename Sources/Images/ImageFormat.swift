import Foundation
import UniformTypeIdentifiers

/// The formats that pictures can be decoded from and encoded to.
package enum ImageFormat: CaseIterable, Sendable {
    case png
    case jpeg
    case webp
    case heif
    case tiff
    case gif

    /// The type of a file of this format.
    package var type: UTType {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .webp: .webP
        case .heif: .heic
        case .tiff: .tiff
        case .gif: .gif
        }
    }

    /// Creates the format of files of the given type; `nil` if the type is not a supported format, or stands for
    /// several, as `public.image` does.
    package init?(_ type: UTType) {
        let exact = Self.allCases.first { type == $0.type || type.conforms(to: $0.type) }
        guard let format = exact ?? (type.conforms(to: .heif) ? .heif : nil) else { return nil }
        self = format
    }

    /// Determines the format from the first bytes of a picture, regardless of its declared type; `nil` if the bytes fit
    /// none of these formats.
    package init?(sniffing data: Data) {
        let head = [UInt8](data.prefix(16))
        func begins(_ bytes: [UInt8], at position: Int = 0) -> Bool { head.dropFirst(position).starts(with: bytes) }
        if begins([0x89] + Array("PNG\r\n".utf8)) {
            self = .png
        } else if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if begins(Array("ftyp".utf8), at: 4),
            Self.heifBrands.contains(String(decoding: head[8...], as: UTF8.self).prefix(4))
        {
            self = .heif
        } else if begins([0x49, 0x49, 0x2A, 0x00]) || begins([0x4D, 0x4D, 0x00, 0x2A]) {
            self = .tiff
        } else if begins(Array("GIF8".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }

    /// The brands in the headers of HEIF files that libheif reads, AVIF included.
    private static let heifBrands: Set<Substring> = [
        "heic", "heix", "hevc", "heim", "heis", "hevm", "hevs", "mif1", "msf1", "avif", "avis",
    ]

    /// Returns the name of libvips' encoder, with its options.
    ///
    /// - Parameter quality: from 0 (smallest file) to 1 (best picture). Ignored for PNG, TIFF and GIF.
    func encoder(quality: Double) -> String {
        let percent = quality.isNaN ? 100 : Int((min(max(quality, 0), 1) * 99).rounded()) + 1
        switch self {
        case .png: return ".png[strip=true,compression=6]"
        case .jpeg: return ".jpg[Q=\(percent),strip=true,background=255]"
        case .webp: return ".webp[Q=\(percent),strip=true]"
        case .heif: return ".heic[Q=\(percent),strip=true]"
        case .tiff: return ".tif[compression=deflate,strip=true]"
        case .gif: return ".gif[strip=true]"
        }
    }
}
