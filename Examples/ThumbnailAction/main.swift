// An action extension that turns any image into a PNG thumbnail and returns it.
import Foundation
import Purvey

final class ThumbnailRequestHandler: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let items = context.inputItems as? [NSExtensionItem] ?? []
        let attachments = items.flatMap { $0.attachments ?? [] }
        guard let image = attachments.first(where: { $0.hasItemConformingToTypeIdentifier(UTType.image.identifier) })
        else {
            context.cancelRequest(withError: CocoaError(.fileReadUnsupportedScheme))
            return
        }
        let options = [NSItemProviderPreferredImageSizeKey: CGSize(width: 256, height: 256)]
        let name = self.name(for: image)
        image.loadPreviewImage(options: options) { preview, error in
            guard let preview = preview as? UIImage else {
                context.cancelRequest(withError: error ?? CocoaError(.fileReadCorruptFile))
                return
            }
            let thumbnail = NSItemProvider(object: preview)
            thumbnail.suggestedName = name
            let answer = NSExtensionItem()
            answer.attributedContentText = NSAttributedString(
                string: "A thumbnail of \(Int(preview.size.width)) by \(Int(preview.size.height)) pixels")
            answer.attachments = [thumbnail]
            context.completeRequest(returningItems: [answer])
        }
    }

    private func name(for image: NSItemProvider) -> String {
        let name = image.suggestedName ?? "Image"
        return (name as NSString).deletingPathExtension + " thumbnail"
    }
}

NSExtensionMain()
