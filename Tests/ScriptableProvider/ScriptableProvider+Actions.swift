import FileProvider
import Foundation
import ScriptableService

/// Actions, which the service performs, except for some that end the process or never complete.
extension ScriptableProvider: NSFileProviderCustomAction {
    func performAction(
        identifier action: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers items: [NSFileProviderItemIdentifier],
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 10)
        switch action.rawValue {
        case "org.example.crash": abort()
        case "org.example.cancel":
            // The action runs until it is cancelled, and reports both to the service.
            progress.completedUnitCount = 5
            Thread.detachNewThread { [client] in
                _ = try? client.ask(.act("begun", on: []))
                while !progress.isCancelled { usleep(10_000) }
                _ = try? client.ask(.act("cancelled", on: []))
            }
        default:
            let handler = ActionHandler(call: completionHandler)
            Thread.detachNewThread { [client] in
                do {
                    _ = try client.ask(.act(action.rawValue, on: items.map { ServiceItem.known($0) }))
                    handler.call(nil)
                } catch {
                    handler.call(ServiceClient.error(error))
                }
                // Only the first call of the handler counts.
                handler.call(CocoaError(.fileReadUnknown))
            }
        }
        return progress
    }
}

/// Sendable: the handler may be called on any thread.
private struct ActionHandler: @unchecked Sendable {
    let call: ((any Error)?) -> Void
}
