import CImages
import Foundation

extension ImageCodec {
    /// Returns thumbnails of one picture, as PNG files. The files are slightly larger than those of
    /// ``thumbnail(_:width:height:as:quality:)``, but take a fraction of the time.
    ///
    /// An opaque picture is decoded once, for the largest thumbnail, and the others are created from that thumbnail. A
    /// transparent picture is decoded for each thumbnail.
    ///
    /// - Parameter sides: the maximum width and height of each thumbnail in pixels, in ascending order.
    /// - Returns: one thumbnail for each side, up to the first side into which the original picture fits. The last
    ///   thumbnail is used for all larger sides.
    package static func quickThumbnails(_ data: Data, sides: [Int]) throws(ImageError) -> [[UInt8]] {
        let header = try checkedHeader(of: data)
        let longest = max(header.width, header.height)
        let used = sides.prefix((sides.firstIndex { $0 >= longest } ?? sides.count - 1) + 1)
        var pictures: [[UInt8]] = []
        var larger: Pixels?
        for side in used.reversed() {
            let pixels: Pixels
            if let larger, larger.isOpaque {
                pixels = larger.reduced(to: header.size(fitting: side))
            } else {
                pixels = try shrunk(data, header, side: side)
            }
            let file = pixels.bytes.withUnsafeBytes {
                QuickPNG.file(of: $0, width: pixels.size.width, height: pixels.size.height, pixelSize: pixels.pixelSize)
            }
            guard let file else { throw .notEncoded(format: "png", reason: "there is no memory for it") }
            pictures.append(file)
            larger = pixels
        }
        return pictures.reversed()
    }

    /// Decoded pixels with 8 bits per channel.
    private struct Pixels {
        let bytes: Data
        let size: (width: Int, height: Int)
        let pixelSize: Int
        /// Whether no pixel is transparent.
        let isOpaque: Bool

        init(_ bytes: Data, _ size: (width: Int, height: Int), pixelSize: Int) {
            (self.bytes, self.size, self.pixelSize) = (bytes, size, pixelSize)
            isOpaque =
                pixelSize % 2 == 1
                || bytes.withUnsafeBytes { bytes in
                    stride(from: pixelSize - 1, to: bytes.count, by: pixelSize).allSatisfy { bytes[$0] == 255 }
                }
        }

        func reduced(to target: (width: Int, height: Int)) -> Pixels {
            // Each size is rounded separately, so `target` may exceed the size of these pixels.
            let target = (width: min(target.width, size.width), height: min(target.height, size.height))
            let result = bytes.withUnsafeBytes {
                Reduction.reduced($0, size, pixelSize: pixelSize, to: target)
            }
            return Pixels(Data(result), target, pixelSize: pixelSize)
        }
    }

    private static func shrunk(_ data: Data, _ header: Header, side: Int) throws(ImageError) -> Pixels {
        var (width, height, pixelSize): (Int32, Int32, Int32) = (0, 0, 0)
        let bytes = try buffer({ .undecoded(header.format, $0) }) { result in
            data.withUnsafeBytes {
                cimages_shrink(
                    $0.baseAddress, $0.count, Int32(min(max(side, 1), 1 << 20)), result, &width, &height, &pixelSize)
            }
        }
        return Pixels(bytes, (Int(width), Int(height)), pixelSize: Int(pixelSize))
    }
}

extension ImageCodec.Header {
    /// Returns the size of the picture scaled down to fit into a square, with its proportions.
    fileprivate func size(fitting side: Int) -> (width: Int, height: Int) {
        let scale = min(1, Double(max(side, 1)) / Double(max(width, height)))
        return (max(1, Int((Double(width) * scale).rounded())), max(1, Int((Double(height) * scale).rounded())))
    }
}
