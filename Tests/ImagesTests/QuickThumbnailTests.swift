import Foundation
import Images
import Testing

/// The fast generation of several thumbnails of one picture.
@Suite struct QuickThumbnailTests {
    /// Returns the mean difference of two pictures' components.
    private func difference(_ one: Data, _ other: Data) -> Double {
        let sum = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(one.count, 1))
    }

    @Test(arguments: ImageFormat.allCases)
    func theyShowTheSameAsOthers(_ format: ImageFormat) throws {
        for (width, height) in [(400, 200), (300, 401), (640, 427), (90, 700)] {
            let data = try Pictures.gradient(width: width, height: height, as: format)
            let sides = [3, 64, 128, 256]
            let pictures = try ImageCodec.quickThumbnails(data, sides: sides)
            try #require(pictures.count == sides.count)
            for (side, picture) in zip(sides, pictures) {
                #expect(try ImageCodec.header(of: Data(picture)).format == .png)
                let quick = try ImageCodec.decode(Data(picture))
                let usual = try ImageCodec.decode(try ImageCodec.thumbnail(data, width: side, height: side))
                let scale = Double(side) / Double(max(width, height))
                #expect(quick.width == max(1, Int((Double(width) * scale).rounded())))
                #expect(quick.height == max(1, Int((Double(height) * scale).rounded())))
                // For a JPEG that is decoded at a fraction of its size, libvips rounds the fraction as well.
                guard (quick.width, quick.height) == (usual.width, usual.height) else {
                    #expect(format == .jpeg && side != 256)
                    continue
                }
                // The largest thumbnail is made in the same way. The others are shrunk by another algorithm.
                let difference = difference(quick.pixels, usual.pixels)
                #expect(difference <= (side == 256 ? 0 : 6), "\(width) by \(height) in \(side): \(difference)")
            }
        }
    }

    @Test func thereIsOneForEachSideUpToTheFirstThatItFitsInto() throws {
        let data = try Pictures.gradient(width: 200, height: 100, as: .png)
        func sizes(_ sides: [Int]) throws -> [Int] {
            try ImageCodec.quickThumbnails(data, sides: sides).map { try ImageCodec.header(of: Data($0)).width }
        }
        #expect(try sizes([50, 100, 400, 800]) == [50, 100, 200])
        #expect(try sizes([50, 200, 400]) == [50, 200])
        #expect(try sizes([1, 150]) == [1, 150])
        #expect(try sizes([500]) == [200])
        #expect(try sizes([]) == [])
    }

    @Test func aPictureOnItsSideIsUprightInAllSizes() throws {
        let data = try Pictures.jpeg(width: 60, height: 20, orientation: 6)
        let headers = try ImageCodec.quickThumbnails(data, sides: [15, 30]).map { try ImageCodec.header(of: Data($0)) }
        #expect(headers.map(\.width) == [5, 10])
        #expect(headers.map(\.height) == [15, 30])
    }

    @Test func transparencyIsPreserved() throws {
        var pixels = Data()
        for index in 0..<64 * 32 {
            let alpha = UInt8(index / 32 * 4)
            pixels += [UInt8(truncatingIfNeeded: index), 10, 20, alpha] as [UInt8]
        }
        let picture = try ImageCodec.encode(pixels, width: 64, height: 32, as: .png)
        let pictures = try ImageCodec.quickThumbnails(picture, sides: [16, 64])
        #expect(try ImageCodec.decode(Data(pictures[1])).pixels == pixels)
        // Colours are weighted by their alpha.
        let usual = try ImageCodec.decode(try ImageCodec.thumbnail(picture, width: 16, height: 16))
        #expect(try ImageCodec.decode(Data(pictures[0])).pixels == usual.pixels)
    }

    @Test(arguments: [(1000, 1), (1, 1000), (1000, 3), (2, 2), (1, 1)])
    func thinPicturesStayPictures(_ width: Int, _ height: Int) throws {
        let pixels = Data((0..<width * height).flatMap { _ in [200, 200, 200, 255] as [UInt8] })
        let picture = try ImageCodec.encode(pixels, width: width, height: height, as: .jpeg)
        for small in try ImageCodec.quickThumbnails(picture, sides: [1, 7, 128, 512]) {
            let (pixels, width, height) = try ImageCodec.decode(Data(small))
            #expect(pixels.count == width * height * 4)
            #expect(pixels.enumerated().allSatisfy { abs(Int($1) - ($0 % 4 == 3 ? 255 : 200)) <= 2 })
        }
    }

    /// The kinds of content, which determine each byte of a picture from its number.
    enum Content: CaseIterable {
        case flat, drawing, gradient, grain, noise, rareAndRarer
    }

    @Test(arguments: Content.allCases)
    func everyKindOfContentIsKeptToTheLastBit(_ content: Content) throws {
        let (width, height) = (256, 300)
        var random = SystemRandomNumberGenerator()
        // Each value is about 0.6 times as frequent as the one before, so the rarest get long codes.
        let rarities = (0..<20).flatMap { (step: Int) -> [UInt8] in
            let count: Int = 10_000 >> (step * 7 / 10)
            return [UInt8](repeating: UInt8(step * 7), count: max(1, count))
        }
        let isDrawn = content == .flat || content == .drawing
        var value: UInt8 = 0
        var pixels = Data()
        for y in 0..<height {
            for x in 0..<width {
                let grain = isDrawn ? 0 : UInt8.random(in: 0..<24, using: &random)
                switch content {
                case .flat: value = 77
                case .drawing: value = x / 32 % 2 == y / 32 % 2 ? 255 : 10
                case .gradient: value = UInt8((x + y) / 3)
                case .grain: value = UInt8(x / 2) + grain
                case .noise: value = .random(in: 0...255, using: &random)
                case .rareAndRarer: value &+= rarities.randomElement(using: &random) ?? 0
                }
                pixels += [value, value &+ grain / 8, value ^ grain, 255]
            }
        }
        let picture = try ImageCodec.encode(pixels, width: width, height: height, as: .png)
        let quick = try ImageCodec.quickThumbnails(picture, sides: [512])
        #expect(quick.count == 1)
        #expect(try ImageCodec.decode(Data(quick[0])).pixels == pixels)
        // Incompressible content grows only a little, and a drawing is compressed well.
        #expect(quick[0].count < pixels.count + pixels.count / 1000 + 200)
        if isDrawn { #expect(quick[0].count < pixels.count / 4) }
    }
}
