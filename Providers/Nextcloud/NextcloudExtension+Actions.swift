import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// Custom actions that a user can perform on items.
extension NextcloudExtension: NSFileProviderCustomAction {
    /// The action that ends a share with this user, or an external storage that the user may end.
    package static let leave = "org.purvey.Nextcloud.leave"
    /// The action that restores the previous version of a file's contents.
    package static let restoreVersion = "org.purvey.Nextcloud.restoreVersion"

    package func performAction(
        identifier action: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers items: [NSFileProviderItemIdentifier],
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        perform { account, progress in
            progress.totalUnitCount = Int64(items.count)
            for identifier in items {
                try Task.checkCancellation()
                let known = try await account.known(identifier)
                switch action.rawValue {
                case Self.leave: try await Self.leave(known, account)
                case Self.restoreVersion: try await Self.restoreVersion(of: known, account)
                default: throw CocoaError(.featureUnsupported)
                }
                progress.completedUnitCount += 1
            }
        } finish: { [weak self] (_: Void?, error) in
            (try? self?.work)?.watch.wasAsked()
            completionHandler(error)
        }
    }

    private static func leave(_ known: DAVKnownItem, _ account: DAVAccount) async throws {
        guard known.traits.details["isMountRoot"] != nil else { throw CocoaError(.featureUnsupported) }
        try await account.ask { client throws(DAVError) in
            // The address may meanwhile have an item of the user's own, which must not be removed.
            guard NextcloudEntry(try await client.entry(at: known.address)).isMountRoot else {
                throw .requirementFailed(known.name)
            }
            try await client.delete(known.address)
        }
    }

    private static func restoreVersion(of known: DAVKnownItem, _ account: DAVAccount) async throws {
        guard let service = account.service as? NextcloudService,
            let number = known.traits.identity.flatMap({ Int64($0) })
        else { throw CocoaError(.featureUnsupported) }
        try await account.ask { client throws(DAVError) in
            let nextcloud = try service.nextcloud(client)
            let present = try await client.entry(at: known.address)
            // The server lists the present contents among the versions. Their date tells them apart.
            let earlier = try await nextcloud.versions(of: number).filter { $0.modified != present.modified }
            guard let last = earlier.max(by: { ($0.modified?.seconds ?? 0) < ($1.modified?.seconds ?? 0) }) else {
                throw .notFound("\(known.name), earlier version")
            }
            try await nextcloud.restore(last)
        }
    }
}
