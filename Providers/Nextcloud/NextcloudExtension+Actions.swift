import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// Performs custom actions of the user on items.
extension NextcloudExtension: FileProviderReplyingAction {
    /// The action that ends the sharing of an item with this user, or removes an external storage that the user may
    /// remove.
    package static let leave = "org.purvey.Nextcloud.leave"
    /// The action that restores the previous version of a file's contents.
    package static let restoreVersion = "org.purvey.Nextcloud.restoreVersion"
    /// The action that lists the versions of a file.
    package static let showVersions = "org.purvey.Nextcloud.showVersions"
    /// The action that replies with a link by which an item can be read without an account.
    package static let copyLink = "org.purvey.Nextcloud.copyLink"
    /// The action that shares an item with another user of the server.
    package static let shareWith = "org.purvey.Nextcloud.shareWith"
    /// The action that opens the server's web page for an item.
    package static let openInBrowser = "org.purvey.Nextcloud.openInBrowser"

    package func performAction(
        identifier action: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers items: [NSFileProviderItemIdentifier], input: String?,
        completionHandler: @escaping (FileProviderActionReply?, (any Error)?) -> Void
    ) -> Progress {
        perform { account, progress in
            progress.totalUnitCount = Int64(items.count)
            var reply = FileProviderActionReply()
            for identifier in items {
                try Task.checkCancellation()
                let known = try await account.known(identifier)
                let own = try await Self.perform(action.rawValue, on: known, input: input, account)
                // A reply contains only one link, so the links before the last one become lines of text.
                reply.lines += [reply.link?.absoluteString].compactMap { $0 } + own.lines
                reply.link = own.link
                reply.opensLink = own.opensLink
                progress.completedUnitCount += 1
            }
            return reply
        } finish: { [weak self] (reply: FileProviderActionReply?, error) in
            (try? self?.work)?.watch.wasAsked()
            completionHandler(reply, error)
        }
    }

    private static func perform(
        _ action: String, on known: DAVKnownItem, input: String?, _ account: DAVAccount
    ) async throws -> FileProviderActionReply {
        switch action {
        case leave: try await leave(known, account)
        case restoreVersion: try await restoreVersion(of: known, account)
        case showVersions: return try await versions(of: known, account)
        case copyLink: return try await link(to: known, account)
        case shareWith: return try await share(known, with: input ?? "", account)
        case openInBrowser: return try await page(of: known, account)
        default: throw CocoaError(.featureUnsupported)
        }
        return FileProviderActionReply()
    }

    private static func leave(_ known: DAVKnownItem, _ account: DAVAccount) async throws {
        guard known.traits.details["isMountRoot"] != nil else { throw CocoaError(.featureUnsupported) }
        try await account.ask { client throws(DAVError) in
            // By now, an item of the user's own may be at the address. It must not be removed.
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
            try require(present, is: number, known)
            // The server also lists the current contents among the versions. They are recognized by their date.
            let earlier = try await nextcloud.versions(of: number).filter { $0.modified != present.modified }
            guard let last = earlier.max(by: { ($0.modified?.seconds ?? 0) < ($1.modified?.seconds ?? 0) }) else {
                throw .notFound("\(known.name), earlier version")
            }
            try await nextcloud.restore(last)
        }
    }

    /// Checks that the file at an item's address has the item's number. A server that was restored from a backup
    /// assigns numbers again to other files.
    static func require(_ entry: DAVEntry, is number: Int64, _ known: DAVKnownItem) throws(DAVError) {
        guard NextcloudEntry(entry).fileID == number else { throw .changed(known.name) }
    }
}
