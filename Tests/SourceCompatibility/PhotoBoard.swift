// swift-format-ignore-file

import Foundation
import MobileCoreServices
import UniformTypeIdentifiers

/// A board of pictures and texts that can be dragged within it and dropped into it from elsewhere.
@MainActor
final class PhotoBoard: NSObject {
    struct Photo: Equatable { let name: String }

    var photos: [Photo] = []
    var texts: [String] = []
    var sizes: [CGSize] = []
    var files: [String] = []

    private func index(of session: UIDropSession) -> Int? {
        guard let item = session.localDragSession?.items.first, let photo = item.localObject as? Photo else { return nil }
        return photos.firstIndex(of: photo)
    }
}

extension PhotoBoard: UIDragInteractionDelegate {
    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: UIDragSession) -> [UIDragItem] {
        session.localContext = self
        return photos.map { photo in
            let itemProvider = NSItemProvider(object: photo.name as NSString)
            itemProvider.suggestedName = photo.name
            let item = UIDragItem(itemProvider: itemProvider)
            item.localObject = photo
            return item
        }
    }

    func dragInteraction(_ interaction: UIDragInteraction, session: UIDragSession, didEndWith operation: UIDropOperation) {
        if operation == .move { photos.removeAll() }
    }
}

extension PhotoBoard: UIDropInteractionDelegate {
    func dropInteraction(_ interaction: UIDropInteraction, canHandle session: UIDropSession) -> Bool {
        return session.hasItemsConforming(toTypeIdentifiers: [kUTTypeImage as String, kUTTypeText as String, UTType.pdf.identifier])
            || session.canLoadObjects(ofClass: UIImage.self)
    }

    func dropInteraction(_ interaction: UIDropInteraction, sessionDidUpdate session: UIDropSession) -> UIDropProposal {
        if index(of: session) != nil { return UIDropProposal(operation: .move) }
        let dropProposal = UIDropProposal(operation: session.items.isEmpty ? .forbidden : .copy)
        dropProposal.isPrecise = true
        return dropProposal
    }

    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: UIDropSession) {
        session.progressIndicatorStyle = .none
        session.loadObjects(ofClass: UIImage.self) { imageItems in
            let images = imageItems as! [UIImage]
            self.sizes = images.map { $0.size }
        }
        _ = session.loadObjects(ofClass: String.self) { [weak self] strings in
            self?.texts.append(contentsOf: strings)
        }
        for item in session.items where item.itemProvider.hasItemConformingToTypeIdentifier(UTType.pdf.identifier) {
            item.itemProvider.loadFileRepresentation(forTypeIdentifier: UTType.pdf.identifier) { url, error in
                guard let name = url?.lastPathComponent else { return }
                DispatchQueue.main.async { self.files.append(name) }
            }
        }
    }
}
