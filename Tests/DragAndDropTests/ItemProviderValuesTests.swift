import DragAndDrop
import Foundation
import Images
import ItemProvider
import Testing

@Suite struct ItemProviderValuesTests {
    @Test @MainActor func picturesAndColorsTravelInAProvider() async throws {
        let picture = try ImageCodec.encode(Data(repeating: 5, count: 96), width: 6, height: 4, as: .png)
        let image = try #require(UIImage(data: picture))
        #expect(image.preferredPresentationSizeForItemProvider == CGSize(width: 6, height: 4))
        let sized: any UIItemProviderPresentationSizeProviding = image
        #expect(sized.preferredPresentationSizeForItemProvider == image.size)
        let provider = NSItemProvider(object: image)
        #expect(provider.registeredTypeIdentifiers.contains("public.png"))
        #expect(try await provider.loadObject(ofClass: UIImage.self).pngData() == picture)

        let color = UIColor(red: 1, green: 0, blue: 0.5, alpha: 0.25)
        #expect(try await NSItemProvider(object: color).loadObject(ofClass: UIColor.self) == color)
    }
}
