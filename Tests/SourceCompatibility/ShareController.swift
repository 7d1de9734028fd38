// swift-format-ignore-file

import Foundation
import MobileCoreServices
import UniformTypeIdentifiers

/// The work of a share extension's view controller, without its view. Most programs that use extension items are
/// share extensions.
@MainActor
class ShareController: NSObject {
    var extensionContext: NSExtensionContext?
    private(set) var urls: [URL] = []
    private(set) var texts: [String] = []
    private(set) var images: [Data] = []
    private(set) var message = ""

    /// Loads attachments in a group, and completes on the main queue.
    func loadAttachments(completion: @escaping @MainActor () -> Void) {
        guard let extensionItem = extensionContext?.inputItems.first as? NSExtensionItem,
            let attachments = extensionItem.attachments, !attachments.isEmpty
        else {
            return completion()
        }
        message = extensionItem.attributedContentText?.string ?? extensionItem.attributedTitle?.string ?? ""
        let group = DispatchGroup()
        for provider in attachments {
            if provider.hasItemConformingToTypeIdentifier(kUTTypeImage as String) {
                group.enter()
                provider.loadItem(forTypeIdentifier: kUTTypeImage as String, options: nil) { data, error in
                    var imageData: Data?
                    if let url = data as? URL { imageData = try? Data(contentsOf: url) }
                    else if let someData = data as? Data { imageData = someData }
                    else if let image = data as? UIImage { imageData = image.pngData() }
                    DispatchQueue.main.async { [weak self, imageData] in
                        if let imageData = imageData { self?.images.append(imageData) }
                        group.leave()
                    }
                }
            } else if provider.hasItemConformingToTypeIdentifier("public.url") {
                group.enter()
                provider.loadItem(forTypeIdentifier: "public.url", options: nil, completionHandler: { (item: NSSecureCoding?, error: Error!) in
                    let url = item as? NSURL
                    if url == nil { print("No URL: " + error.localizedDescription) }
                    DispatchQueue.main.async {
                        if let url = url { self.urls.append(url as URL) }
                        group.leave()
                    }
                })
            } else if provider.canLoadObject(ofClass: String.self) {
                group.enter()
                _ = provider.loadObject(ofClass: String.self) { text, error in
                    Task { @MainActor in
                        self.texts.append(text ?? error?.localizedDescription ?? "nothing")
                        group.leave()
                    }
                }
            }
        }
        group.notify(queue: .main) { completion() }
    }

    func didSelectPost() {
        // Inform the host that we're done, so it un-blocks its UI.
        self.extensionContext!.completeRequest(returningItems: [], completionHandler: nil)
    }

    func didSelectCancel() {
        let error = NSError(domain: "com.example.share", code: 0, userInfo: [NSLocalizedDescriptionKey: "cancelled"])
        extensionContext?.cancelRequest(withError: error)
    }

    func openHost(_ url: URL) {
        extensionContext?.open(url, completionHandler: { success in
            print("opened: \(success)")
        })
        extensionContext?.completeRequest(returningItems: nil) { expired in print(expired) }
    }
}

/// The same with `async`: the loads are started on the controller's actor.
@MainActor
final class AsyncShareController {
    private(set) var links: [URL] = []
    private(set) var failures: [String] = []

    func handle(_ context: NSExtensionContext) async {
        let items = context.inputItems as! [NSExtensionItem]
        for provider in items.flatMap({ $0.attachments ?? [] }) {
            do {
                if let url = try await provider.loadItem(forTypeIdentifier: UTType.url.identifier, options: nil) as? URL {
                    links.append(url)
                }
            } catch {
                failures.append(error.localizedDescription)
            }
        }
        context.completeRequest(returningItems: nil)
    }

    /// Returns the title of the page that a script of the extension has read.
    func page(_ provider: NSItemProvider) async -> String? {
        guard
            let dictionary = try? await provider.loadItem(forTypeIdentifier: kUTTypePropertyList as String) as? NSDictionary,
            let results = dictionary[NSExtensionJavaScriptPreprocessingResultsKey] as? NSDictionary
        else { return nil }
        return results["title"] as? String
    }
}

/// A bridge to older code: completion handlers instead of `async`, results instead of throws.
enum AttachmentLoader {
    static func load(_ provider: NSItemProvider, _ type: UTType) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            provider.loadDataRepresentation(forTypeIdentifier: type.identifier) { data, error in
                if let data {
                    continuation.resume(returning: data)
                } else {
                    continuation.resume(throwing: error ?? CocoaError(.fileReadUnknown))
                }
            }
        }
    }

    static func types(of provider: NSItemProvider) -> [UTType] {
        provider.registeredTypeIdentifiers.compactMap { UTType($0) }.filter { !$0.conforms(to: .livePhoto) }
    }
}
