import FileProvider
import Foundation
import ScriptableService

/// The completion handlers of a thumbnail request.
///
/// Sendable: the handlers may be called on any thread, and are called from one.
struct ThumbnailHandlers: @unchecked Sendable {
    let each: (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void
    let all: ((any Error)?) -> Void
}

/// Thumbnails. Each is fetched to a file and mapped, so that even large ones need no memory.
extension ServiceClient {
    func fetchThumbnails(
        _ identifiers: [NSFileProviderItemIdentifier], _ progress: Progress, _ handlers: ThumbnailHandlers
    ) {
        let folder = FileManager.default.temporaryDirectory
        // The service is notified, so that a test knows when the cancellation has arrived.
        progress.cancellationHandler = { [client = self] in _ = try? client.ask(.act("given up", on: [])) }
        Thread.detachNewThread { [client = self] in
            for identifier in identifiers {
                if progress.isCancelled { return handlers.all(CocoaError(.userCancelled)) }
                let url = folder.appendingPathComponent("thumbnail-" + UUID().uuidString)
                do {
                    try client.fetch(.thumbnail(of: ServiceItem.known(identifier)), to: url)
                    let data = try Data(contentsOf: url, options: .alwaysMapped)
                    handlers.each(identifier, data.isEmpty ? nil : data, nil)
                    // A second call for an item is ignored.
                    handlers.each(identifier, nil, CocoaError(.fileReadUnknown))
                } catch {
                    handlers.each(identifier, nil, ServiceClient.error(error))
                }
                try? FileManager.default.removeItem(at: url)
            }
            handlers.all(nil)
        }
    }
}
