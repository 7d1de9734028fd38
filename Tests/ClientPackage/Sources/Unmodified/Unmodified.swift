// Source as written for Apple's platforms. Compiler flags import the modules that come with Foundation and UIKit
// there.
import Foundation
import os.log

final class Loader: NSObject, NSExtensionRequestHandling {
    private let log = OSLog(subsystem: "com.example.client", category: "loader")

    func beginRequest(with context: NSExtensionContext) {
        os_log("%{public}d items", log: log, type: .debug, context.inputItems.count)
        let items = context.inputItems as? [NSExtensionItem] ?? []
        for attachment in items.flatMap({ $0.attachments ?? [] })
        where attachment.hasItemConformingToTypeIdentifier(UTType.url.identifier) {
            attachment.loadItem(forTypeIdentifier: UTType.url.identifier, options: nil) { item, _ in
                os_log("%{public}@", type: .debug, String(describing: item))
            }
        }
        context.completeRequest(returningItems: items, completionHandler: nil)
    }
}

@main
struct Unmodified {
    @MainActor static func main() {
        Loader().beginRequest(with: NSExtensionContext())
        let item = UIDragItem(itemProvider: NSItemProvider(object: "text" as NSString))
        print(item.itemProvider.registeredTypeIdentifiers, kUTTypePNG as String, UIPasteboard.Name.general.rawValue)
    }
}
