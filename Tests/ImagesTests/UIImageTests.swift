import Foundation
import Images
import Testing

@Suite struct UIImageTests {
    @Test func aPictureKeepsTheBytesItWasMadeOf() throws {
        let data = try Pictures.gradient(width: 30, height: 20, as: .png)
        let image = try #require(UIImage(data: data))
        #expect(image.pngData() == data)
        #expect(image.size == CGSize(width: 30, height: 20))
        #expect(image.scale == 1)
        #expect("\(image)".contains("png, 30 by 20 pixels"))
    }

    @Test func theSizeIsInPoints() throws {
        let data = try Pictures.gradient(width: 30, height: 20, as: .png)
        #expect(UIImage(data: data, scale: 2)?.size == CGSize(width: 15, height: 10))
    }

    @Test func everyWayOfEncodingGivesThatFormat() throws {
        let image = try #require(UIImage(data: try Pictures.gradient(width: 30, height: 20, as: .webp)))
        #expect(try ImageCodec.header(of: #require(image.pngData())).format == .png)
        #expect(try ImageCodec.header(of: #require(image.heicData())).format == .heif)
        let small = try #require(image.jpegData(compressionQuality: 0))
        let large = try #require(image.jpegData(compressionQuality: 1))
        #expect(try ImageCodec.header(of: small).format == .jpeg)
        #expect(small.count < large.count)
        for odd in [CGFloat.nan, .infinity, -1] { #expect(image.jpegData(compressionQuality: odd) != nil) }
    }

    @Test func aPictureIsReadFromAFile() throws {
        let path = NSTemporaryDirectory() + "/" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let data = try Pictures.gradient(width: 8, height: 8, as: .gif)
        #expect(UIImage(contentsOfFile: path) == nil)
        try data.write(to: URL(fileURLWithPath: path))
        #expect(UIImage(contentsOfFile: path)?.encoded == data)
    }

    @Test func otherDataThanPicturesMakesNoImage() {
        #expect(UIImage(data: Data()) == nil)
        #expect(UIImage(data: Data("text".utf8)) == nil)
    }

    @Test func picturesAreEqualWhenTheirPixelsAre() throws {
        let png = try #require(UIImage(data: try Pictures.gradient(width: 30, height: 20, as: .png)))
        let tiff = try #require(UIImage(data: try Pictures.gradient(width: 30, height: 20, as: .tiff)))
        let other = try #require(UIImage(data: try Pictures.gradient(width: 20, height: 30, as: .png)))
        #expect(png == tiff)
        #expect(png.hash == tiff.hash)
        #expect(png != other)
    }

    @Test func aThumbnailIsAPictureOfItsOwn() async throws {
        let image = try #require(UIImage(data: try Pictures.gradient(width: 300, height: 100, as: .jpeg)))
        #expect(image.preparingThumbnail(of: CGSize(width: 60, height: 60))?.size == CGSize(width: 60, height: 20))
        #expect(await image.byPreparingThumbnail(ofSize: CGSize(width: 30, height: 90))?.size.height == 10)
        // Meaningless sizes yield a picture nevertheless.
        for odd in [CGFloat.nan, .infinity, -1, 0] {
            #expect(image.preparingThumbnail(of: CGSize(width: odd, height: odd)) != nil)
        }
    }

    @Test func aDamagedPictureHasAHeaderAndNothingElse() throws {
        let data = try Pictures.gradient(width: 300, height: 300, as: .png).prefix(400)
        let image = try #require(UIImage(data: data))
        #expect(image.size == CGSize(width: 300, height: 300))
        #expect(image.jpegData(compressionQuality: 1) == nil)
    }

    @Test func aPictureIsArchived() throws {
        let image = try #require(UIImage(data: try Pictures.gradient(width: 30, height: 20, as: .png), scale: 2))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)
        let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: UIImage.self, from: archive)
        #expect(back?.encoded == image.encoded)
        #expect(back?.scale == 2)
    }
}
