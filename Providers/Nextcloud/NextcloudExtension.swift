import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// The provider for a user's files of a Nextcloud server.
///
/// Sendable: it adds no state to its superclass.
package final class NextcloudExtension: DAVExtension, @unchecked Sendable {
    package override class var service: any DAVServiceKind { NextcloudService() }

    /// Returns the domain's service.
    static func service(of account: DAVAccount) throws -> NextcloudService {
        guard let service = account.service as? NextcloudService else { throw CocoaError(.featureUnsupported) }
        return service
    }

    package override func setUpDomain(_ setup: FileProviderSetup) async throws { try await setUpNextcloud(setup) }

    // MARK: Trash

    package override func enumerator(
        for container: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator {
        let names = container == .trashContainer ? [] : ServerTrashItem.names(in: container)
        guard let names else { return try super.enumerator(for: container, request: request) }
        let account = try account
        let service = try Self.service(of: account)
        guard service.hasTrash else { throw CocoaError(.featureUnsupported) }
        return TrashEnumerator(account, service, in: names)
    }

    package override func fetchContents(
        for identifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        guard let names = ServerTrashItem.names(in: identifier) else {
            return super.fetchContents(
                for: identifier, version: requestedVersion, request: request, completionHandler: completionHandler)
        }
        return fetchContents(completionHandler: completionHandler) { account in
            let service = try Self.service(of: account)
            let item = try await service.trashedAtAnyDepth(identifier, account)
            let address = try await account.ask { client throws(DAVError) in
                try service.nextcloud(client).trashAddress(names)
            }
            return (address, item)
        }
    }

    package override func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        guard ServerTrashItem.name(in: identifier) != nil else {
            return super.item(for: identifier, request: request, completionHandler: completionHandler)
        }
        return perform { account, _ in
            try await Self.service(of: account).trashedAtAnyDepth(identifier, account)
        } finish: { (item: ServerTrashItem?, error) in
            completionHandler(item, error)
        }
    }

    package override func deleteItem(
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

/// Provides thumbnails. The server generates them, so that no contents are fetched.
extension NextcloudExtension: NSFileProviderThumbnailing {
    package func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let (width, height) = (Self.pixels(size.width), Self.pixels(size.height))
        let each = ThumbnailHandler(handle: perThumbnailCompletionHandler)
        return perform { account, _ in
            let service = try Self.service(of: account)
            // Only a few requests run concurrently, because the server takes long to generate a thumbnail.
            try await withThrowingTaskGroup(of: Thumbnail.self) { group in
                for (index, identifier) in itemIdentifiers.enumerated() {
                    if index >= Self.mostThumbnails, let made = try await group.next() { each.take(made) }
                    group.addTask {
                        try Task.checkCancellation()
                        return await Self.thumbnail(identifier, width, height, account, service)
                    }
                }
                while let made = try await group.next() { each.take(made) }
            }
        } finish: { (_: Void?, error) in
            completionHandler(error)
        }
    }

    /// A thumbnail. Its data is `nil` if the server has none for the item.
    fileprivate struct Thumbnail: Sendable {
        let identifier: NSFileProviderItemIdentifier
        let result: Result<Data?, any Error>
    }

    /// The maximum number of thumbnails that are requested at the same time.
    private static let mostThumbnails = 4

    private static func thumbnail(
        _ identifier: NSFileProviderItemIdentifier, _ width: Int, _ height: Int, _ account: DAVAccount,
        _ service: NextcloudService
    ) async -> Thumbnail {
        do {
            let known = try await account.known(identifier)
            guard known.traits.details["hasPreview"] != nil,
                let number = try await account.identity(of: known, .background).flatMap({ Int64($0) })
            else { return Thumbnail(identifier: identifier, result: .success(nil)) }
            let tag = known.version.tag.flatMap { DAVEntityTag(opaque: $0) }
            let preview = try await account.ask(.background) { client throws(DAVError) in
                try await service.nextcloud(client).preview(of: number, width: width, height: height, tag: tag)
            }
            return Thumbnail(identifier: identifier, result: .success(preview.map { Data($0.bytes) }))
        } catch {
            return Thumbnail(identifier: identifier, result: .failure(error))
        }
    }

    private static func pixels(_ length: CGFloat) -> Int { length.isFinite ? Int(min(max(length, 1), 2_048)) : 256 }
}

/// The system's handler for each thumbnail.
///
/// Sendable: the handler belongs to the system, which permits calls from any thread. One task calls it.
private struct ThumbnailHandler: @unchecked Sendable {
    let handle: (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void

    func take(_ thumbnail: NextcloudExtension.Thumbnail) {
        switch thumbnail.result {
        case .success(let data): handle(thumbnail.identifier, data, nil)
        case .failure(let error): handle(thumbnail.identifier, nil, SystemErrors.error(error))
        }
    }
}
