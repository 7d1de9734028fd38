// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// Files that are promised, and files that are received from a promise.
enum FilePromises {
    /// Returns a promise without progress, as in most samples.
    static func promise(_ file: URL, as type: UTType) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.suggestedName = file.deletingPathExtension().lastPathComponent
        provider.registerFileRepresentation(forTypeIdentifier: type.identifier, fileOptions: [.openInPlace], visibility: .all) { completion in
            completion(file, true, nil)
            return nil
        }
        provider.registerDataRepresentation(forTypeIdentifier: UTType.json.identifier, visibility: .ownProcess) { completion in
            let progress = Progress(totalUnitCount: 100)
            DispatchQueue.global(qos: .userInitiated).async {
                completion(Data("[]".utf8), nil)
            }
            return progress
        }
        provider.registerFileRepresentation(for: .plainText, visibility: .all, openInPlace: false) { completion in
            completion(nil, false, CocoaError(.featureUnsupported))
            return Progress()
        }
        return provider
    }

    /// Copies the file, which must be done before the handler returns.
    static func copy(_ provider: NSItemProvider, into folder: URL, completion: @escaping @Sendable (Result<URL, Error>) -> Void) -> Progress {
        return provider.loadFileRepresentation(forTypeIdentifier: UTType.data.identifier) { url, error in
            guard let url = url else {
                completion(.failure(error!))
                return
            }
            let target = folder.appendingPathComponent(url.lastPathComponent)
            completion(Result {
                try? FileManager.default.removeItem(at: target)
                try FileManager.default.copyItem(at: url, to: target)
                return target
            })
        }
    }

    static func move(_ provider: NSItemProvider, into folder: URL, completion: @escaping @Sendable (URL?) -> Void) {
        provider.loadFileRepresentation(forTypeIdentifier: provider.registeredTypeIdentifiers.first ?? "public.data") { (url, error) in
            guard let url else { return completion(nil) }
            let target = folder.appendingPathComponent(UUID().uuidString).appendingPathExtension(url.pathExtension)
            completion((try? FileManager.default.moveItem(at: url, to: target)).map { target })
        }
    }

    static func link(_ provider: NSItemProvider, to target: URL, completion: @escaping @Sendable (Bool) -> Void) {
        provider.loadFileRepresentation(forTypeIdentifier: "public.item") { url, _ in
            completion(url != nil && (try? FileManager.default.linkItem(at: url!, to: target)) != nil)
        }
    }

    /// Opens the file in place if possible, and otherwise as a copy.
    static func open(_ provider: NSItemProvider, completion: @escaping @Sendable (URL?, Bool) -> Void) {
        provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.data") { url, isInPlace, error in
            if let error = error { print("Not in place: \(error.localizedDescription)") }
            completion(url, isInPlace)
        }
    }

    /// Loads several items as children of one progress.
    static func loadAll(_ providers: [NSItemProvider], completion: @escaping @Sendable (Int) -> Void) -> Progress {
        let total = Progress(totalUnitCount: Int64(providers.count))
        let group = DispatchGroup()
        for provider in providers {
            group.enter()
            let progress = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in group.leave() }
            total.addChild(progress, withPendingUnitCount: 1)
        }
        group.notify(queue: .global()) { completion(providers.count) }
        return total
    }

    /// Returns a provider for a file of any kind, or for a web page, by its URL alone.
    static func provider(of url: URL) -> NSItemProvider {
        return NSItemProvider(contentsOf: url)!
    }

    static func inbox(_ group: String) -> URL? {
        let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        return container?.appendingPathComponent("Inbox", isDirectory: true)
    }
}
