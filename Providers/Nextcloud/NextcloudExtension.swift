import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// The provider for a user's files of a Nextcloud server.
///
/// Sendable: it adds no state to its superclass.
final class NextcloudExtension: DAVExtension, @unchecked Sendable {
    override class var service: any DAVServiceKind { NextcloudService() }

    /// Returns the domain's service.
    private static func service(of account: DAVAccount) throws -> NextcloudService {
        guard let service = account.service as? NextcloudService else { throw CocoaError(.featureUnsupported) }
        return service
    }

    override func setUpDomain(_ setup: FileProviderSetup) async throws { try await setUpNextcloud(setup) }

    // MARK: Trash

    override func enumerator(
        for container: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator {
        guard container == .trashContainer else { return try super.enumerator(for: container, request: request) }
        let account = try account
        let service = try Self.service(of: account)
        guard service.hasTrash else { throw CocoaError(.featureUnsupported) }
        return TrashEnumerator(account, service)
    }

    override func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        guard ServerTrashItem.name(in: identifier) != nil else {
            return super.item(for: identifier, request: request, completionHandler: completionHandler)
        }
        return perform { account, _ in
            guard let item = try await Self.service(of: account).trashed(identifier, account) else {
                throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
            }
            return ServerTrashItem(item)
        } finish: { (item: ServerTrashItem?, error) in
            completionHandler(item, error)
        }
    }

    override func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        guard ServerTrashItem.name(in: identifier) != nil else {
            return super.deleteItem(
                identifier: identifier, baseVersion: version, options: options, request: request,
                completionHandler: completionHandler)
        }
        return perform { account, _ in
            let service = try Self.service(of: account)
            guard let item = try await service.trashed(identifier, account) else { return }
            try await account.ask { client throws(DAVError) in try await service.nextcloud(client).remove(item) }
        } finish: { (_: Void?, error) in
            completionHandler(error)
        }
    }
}

/// Thumbnails, which the server makes, so that no contents are fetched for them.
extension NextcloudExtension: NSFileProviderThumbnailing {
    func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let (width, height) = (Self.pixels(size.width), Self.pixels(size.height))
        // The handlers may be called on any thread. They are called by one task after the other.
        let each = ThumbnailHandler(handle: perThumbnailCompletionHandler)
        return perform { account, _ in
            let service = try Self.service(of: account)
            for identifier in itemIdentifiers {
                try Task.checkCancellation()
                do {
                    let known = try await account.known(identifier)
                    guard let number = known.traits.identity.flatMap({ Int64($0) }),
                        known.traits.details["hasPreview"] != nil
                    else {
                        each.handle(identifier, nil, nil)
                        continue
                    }
                    let tag = known.version.tag.flatMap { DAVEntityTag(opaque: $0) }
                    let preview = try await account.ask(.background) { client throws(DAVError) in
                        try await service.nextcloud(client).preview(
                            of: number, width: width, height: height, tag: tag)
                    }
                    each.handle(identifier, preview.map { Data($0.bytes) }, nil)
                } catch {
                    each.handle(identifier, nil, SystemErrors.error(error))
                }
            }
        } finish: { (_: Void?, error) in
            completionHandler(error)
        }
    }

    private static func pixels(_ length: CGFloat) -> Int { length.isFinite ? Int(min(max(length, 1), 2_048)) : 256 }
}

/// The handler of single thumbnails.
///
/// Sendable: the handler belongs to the system, which permits calls from any thread. One task calls it.
private struct ThumbnailHandler: @unchecked Sendable {
    let handle: (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void
}
