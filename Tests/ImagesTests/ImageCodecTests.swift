import Foundation
import Images
import Testing
import UniformTypeIdentifiers

@Suite struct ImageCodecTests {
    @Test(arguments: ImageFormat.allCases)
    func everyFormatIsWrittenAndReadBack(_ format: ImageFormat) throws {
        let data = try Pictures.gradient(width: 64, height: 48, as: format)
        let header = try ImageCodec.header(of: data)
        #expect(header.format == format)
        #expect((header.width, header.height) == (64, 48))
        #expect(header.pages == 1)
        let (pixels, width, height) = try ImageCodec.decode(data)
        #expect((width, height) == (64, 48))
        // The far corner is yellowish in every format. Lossy formats deviate less than this.
        let corner = [UInt8](pixels.suffix(4))
        #expect(corner[0] > 220 && corner[1] > 220 && corner[3] == 255)
    }

    @Test(arguments: ImageFormat.allCases, ImageFormat.allCases)
    func everyFormatIsConvertedToEveryOther(_ from: ImageFormat, _ to: ImageFormat) throws {
        let data = try Pictures.gradient(width: 40, height: 30, as: from)
        let header = try ImageCodec.header(of: try ImageCodec.convert(data, to: to))
        #expect(header.format == to)
        #expect((header.width, header.height) == (40, 30))
    }

    @Test(arguments: ImageFormat.allCases)
    func aThumbnailFitsIntoTheAskedSizeAndKeepsItsProportions(_ format: ImageFormat) throws {
        let data = try Pictures.gradient(width: 400, height: 200, as: format)
        let header = try ImageCodec.header(of: try ImageCodec.thumbnail(data, width: 100, height: 100))
        #expect((header.width, header.height) == (100, 50))
        #expect(header.format == .png)
    }

    @Test func aPictureThatFitsIsNotMadeLarger() throws {
        let data = try Pictures.gradient(width: 20, height: 10, as: .png)
        let header = try ImageCodec.header(of: try ImageCodec.thumbnail(data, width: 500, height: 500))
        #expect((header.width, header.height) == (20, 10))
    }

    @Test func aPictureThatLiesOnItsSideIsTurnedUpright() throws {
        let data = try Pictures.jpeg(width: 60, height: 20, orientation: 6)
        let header = try ImageCodec.header(of: data)
        #expect((header.width, header.height) == (20, 60))
        #expect(!header.isUpright)
        let turned = try ImageCodec.header(of: try ImageCodec.convert(data, to: .png))
        #expect((turned.width, turned.height) == (20, 60))
        #expect(turned.isUpright)
        let small = try ImageCodec.header(of: try ImageCodec.thumbnail(data, width: 30, height: 30))
        #expect((small.width, small.height) == (10, 30))
    }

    @Test(arguments: [UInt32(100_000), 2_000_000_000])
    func aPictureThatClaimsToBeEnormousIsRefusedBeforeItIsDecoded(_ side: UInt32) throws {
        let bomb = try Pictures.png(claiming: side, by: side)
        #expect(throws: ImageError.self) { try ImageCodec.convert(bomb, to: .jpeg) }
        #expect(throws: ImageError.self) { try ImageCodec.thumbnail(bomb, width: 10, height: 10) }
        #expect(throws: ImageError.self) { try ImageCodec.quickThumbnails(bomb, sides: [10]) }
        #expect(throws: ImageError.self) { try ImageCodec.decode(bomb) }
    }

    @Test func theErrorNamesTheLimit() throws {
        let bomb = try Pictures.png(claiming: 100_000, by: 100_000)
        #expect(throws: ImageError.tooLarge(pixels: 10_000_000_000, limit: ImageCodec.largestPixelCount)) {
            try ImageCodec.decode(bomb)
        }
    }

    @Test func aPictureThatIsDecodedWholeIsBoundedInBytes() throws {
        // With 4 bytes a pixel, the picture has fewer pixels than the limit, but more bytes.
        let bomb = try Pictures.png(claiming: 16_000, by: 16_000, interlaced: true)
        let error = ImageError.tooLargeInMemory(bytes: 1_024_000_000, limit: ImageCodec.largestByteCount)
        #expect(throws: error) { try ImageCodec.convert(bomb, to: .jpeg) }
        #expect(throws: error) { try ImageCodec.thumbnail(bomb, width: 10, height: 10) }
        // A picture that is decoded row by row takes little memory, unless all of its pixels are requested.
        let long = try Pictures.png(claiming: 16_000, by: 16_000)
        #expect(throws: error) { try ImageCodec.decode(long) }
        do { _ = try ImageCodec.thumbnail(long, width: 10, height: 10) } catch let other { #expect(other != error) }
    }

    @Test func theFramesOfAnAnimationCountTogether() throws {
        let claimed = Pictures.gif(width: 1000, height: 1000, frames: 300)
        #expect(throws: ImageError.tooLarge(pixels: 300_000_000, limit: ImageCodec.largestPixelCount)) {
            try ImageCodec.thumbnail(claimed, width: 10, height: 10)
        }
        let few = Pictures.gif(width: 1000, height: 1000, frames: 3)
        #expect(try ImageCodec.header(of: few).pages == 3)
        let small = try ImageCodec.header(of: try ImageCodec.thumbnail(few, width: 10, height: 10))
        #expect((small.width, small.height) == (10, 10))
    }

    @Test(arguments: ImageFormat.allCases)
    func aTruncatedPictureIsAnError(_ format: ImageFormat) throws {
        let data = try Pictures.gradient(width: 200, height: 200, as: format)
        for count in [data.count / 2, 40, 17, 4, 1] {
            #expect(throws: ImageError.self) { try ImageCodec.decode(data.prefix(count)) }
        }
    }

    @Test func otherDataThanPicturesIsAnError() {
        for data in [Data(), Data([0]), Data("no picture at all".utf8), Data("%PDF-1.7".utf8), Data("<svg/>".utf8)] {
            #expect(throws: ImageError.unknownFormat) { try ImageCodec.header(of: data) }
        }
    }

    @Test func noisyBytesNeverDoMoreThanFail() throws {
        var state: UInt64 = 42
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        for format in ImageFormat.allCases {
            let good = try Pictures.gradient(width: 30, height: 30, as: format)
            for _ in 0..<60 {
                var bad = good
                for _ in 0..<4 { bad[Int(random()) % bad.count] = UInt8(truncatingIfNeeded: random()) }
                _ = try? ImageCodec.thumbnail(bad, width: 10, height: 10)
            }
        }
    }

    @Test func pixelsThatDoNotMakeAPictureAreRefused() {
        #expect(throws: ImageError.self) { try ImageCodec.encode(Data(count: 10), width: 2, height: 2, as: .png) }
        #expect(throws: ImageError.self) { try ImageCodec.encode(Data(), width: 0, height: 0, as: .png) }
        #expect(throws: ImageError.self) { try ImageCodec.encode(Data(), width: .max, height: .max, as: .png) }
    }

    @Test func aTypeStandsForAFormat() {
        #expect(ImageFormat(.png) == .png)
        #expect(ImageFormat(.heic) == .heif)
        #expect(ImageFormat(.heif) == .heif)
        #expect(ImageFormat(.image) == nil)
        #expect(ImageFormat(.pdf) == nil)
    }
}
