import Foundation
import Images
import ItemProvider
import Testing
import UniformTypeIdentifiers

@Suite struct PreviewTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func picture(width: Int = 600, height: Int = 300) throws -> Data {
        try ImageCodec.encode(Data(repeating: 90, count: width * height * 4), width: width, height: height, as: .jpeg)
    }

    @Test func aPreviewIsMadeOfAPictureAtTheAskedSize() async throws {
        let file = try scratch.file("a.jpg", try picture())
        let provider = try #require(NSItemProvider(contentsOf: file))
        let options = [NSItemProviderPreferredImageSizeKey: CGSize(width: 100, height: 100)]
        let preview = try await provider.loadPreviewImage(options: options) as? UIImage
        #expect(preview?.size == CGSize(width: 100, height: 50))
        let boxed = [NSItemProviderPreferredImageSizeKey: NSValue(size: CGSize(width: 60, height: 60))]
        #expect((try await provider.loadPreviewImage(options: boxed) as? UIImage)?.size.width == 60)
        #expect((try await provider.loadPreviewImage() as? UIImage)?.size.width == 256)
    }

    @Test func theClientsOwnPreviewComesFirst() async throws {
        let provider = try #require(NSItemProvider(contentsOf: try scratch.file("a.jpg", try picture())))
        let own = try picture(width: 10, height: 10)
        let handler: NSItemProvider.LoadHandler = { completion, wanted, options in
            #expect(wanted == UIImage.self)
            #expect(options?["hint"] as? String == "small")
            completion?(own as NSData, nil)
        }
        provider.previewImageHandler = handler
        let preview = await withCheckedContinuation { continuation in
            provider.loadPreviewImage(options: ["hint": "small"]) { preview, _ in
                continuation.resume(returning: (preview as? NSData).map { Data(referencing: $0) })
            }
        }
        #expect(preview == own)
        #expect(provider.previewImageHandler != nil)
    }

    @Test func otherFilesThanPicturesHaveNoPreview() async throws {
        func code(_ provider: NSItemProvider) async -> Int? {
            do {
                _ = try await provider.loadPreviewImage()
                return nil
            } catch {
                return (error as NSError).code
            }
        }
        #expect(await code(NSItemProvider(object: "text" as NSString)) == -1000)
        #expect(await code(NSItemProvider(item: Data("liar".utf8) as NSData, typeIdentifier: "public.png")) == -1200)
        let odd = NSItemProvider()
        odd.previewImageHandler = { completion, _, _ in completion?("no picture" as NSString, nil) }
        #expect(await code(odd) == -1100)
        let failing = NSItemProvider()
        failing.previewImageHandler = { completion, _, _ in completion?(nil, nil) }
        #expect(await code(failing) == -1)
    }

    @Test func picturesAreItemsOfTheirOwnAndOtherFormats() async throws {
        let image = try #require(UIImage(data: try picture()))
        let provider = NSItemProvider(object: image)
        #expect(provider.registeredTypeIdentifiers == ["public.jpeg", "public.png"])
        #expect(await provider.data("public.jpeg").data == image.encoded)
        #expect(await provider.data("public.png").data.flatMap { ImageFormat(sniffing: $0) } == .png)
        #expect(provider.canLoadObject(ofClass: UIImage.self))
        #expect(try await provider.loadObject(ofClass: UIImage.self).size == image.size)
        let liar = NSItemProvider(item: Data("no".utf8) as NSData, typeIdentifier: "public.png")
        await #expect(throws: NSError.self) { _ = try await liar.loadObject(ofClass: UIImage.self) }
    }
}
