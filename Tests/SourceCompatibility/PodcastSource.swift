// swift-format-ignore-file

import Foundation

@MainActor final class PodcastSource: NSObject, UIDragInteractionDelegate, UIDropInteractionDelegate {
    var dropped: [String] = []

    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: UIDragSession) -> [UIDragItem] {
        let podcastItem = PodcastModelData(collectionName: "Show", feedURL: "feed", artworkURL100: "art")
        let itemProvider = NSItemProvider(object: podcastItem)
        let dragItem = UIDragItem(itemProvider: itemProvider)
        dragItem.localObject = podcastItem
        return [dragItem]
    }

    func dropInteraction(_ interaction: UIDropInteraction, canHandle session: UIDropSession) -> Bool {
        return session.canLoadObjects(ofClass: PodcastModelData.self)
    }

    func dropInteraction(_ interaction: UIDropInteraction, sessionDidUpdate session: UIDropSession) -> UIDropProposal {
        return UIDropProposal(operation: session.localDragSession == nil ? .copy : .move)
    }

    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: UIDropSession) {
        session.loadObjects(ofClass: PodcastModelData.self) { (items) in
            if let podcasts = items as? [PodcastModelData] {
                self.dropped = podcasts.compactMap { $0.collectionName }
            }
        }
    }
}
