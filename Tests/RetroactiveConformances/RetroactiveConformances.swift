// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

// A conformance that some programs declare, so that handlers may capture a provider.
extension NSItemProvider: @retroactive @unchecked Sendable {}

extension UUID: @retroactive Transferable {
    public static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: \.uuidString) { text in
            guard let uuid = UUID(uuidString: text) else { throw CocoaError(.coderInvalidValue) }
            return uuid
        }
    }
}

enum SentProviders {
    /// Opens in place if that is allowed, and otherwise as a copy.
    static func open(_ provider: NSItemProvider, completion: @escaping @Sendable (URL?, Bool) -> Void) {
        provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.data") { url, isInPlace, error in
            if error != nil {
                provider.loadFileRepresentation(forTypeIdentifier: "public.data") { url, error in completion(url, false) }
                return
            }
            completion(url, isInPlace)
        }
    }

    /// Loads several texts at once, and returns them in order.
    static func texts(_ providers: [NSItemProvider]) async -> [String?] {
        await withTaskGroup(of: (Int, String?).self) { group in
            for (index, provider) in providers.enumerated() {
                group.addTask {
                    let item = try? await provider.loadItem(forTypeIdentifier: UTType.text.identifier, options: nil)
                    return (index, item as? String)
                }
            }
            var texts = [String?](repeating: nil, count: providers.count)
            for await (index, text) in group { texts[index] = text }
            return texts
        }
    }

    static func name(_ provider: NSItemProvider) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                provider.loadFileRepresentation(forTypeIdentifier: UTType.item.identifier) { url, error in
                    continuation.resume(returning: url?.lastPathComponent)
                }
            }
        }
    }
}
