import DAVFileProvider
import FileProvider
import Foundation
import FoundationAdditions
import LinuxSystem
import NextcloudClient
import WebDAVClient

/// The enumerator of the trash, or of a directory in it. Each listing has a single page, because the server sends the
/// listing as a whole.
final class TrashEnumerator: NSObject, NSFileProviderEnumerator, Sendable {
    private let account: DAVAccount
    private let service: NextcloudService
    private let folder: [String]

    /// - Parameter folder: the names from the trash to the directory.
    init(_ account: DAVAccount, _ service: NextcloudService, in folder: [String] = []) {
        self.account = account
        self.service = service
        self.folder = folder
    }

    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let (account, service, folder, observer) = (account, service, folder, Disconnected(observer))
        Task {
            let result: Result<[NextcloudTrashItem], any Error>
            do {
                result = .success(
                    try await account.ask { client throws(DAVError) in
                        try await service.nextcloud(client).trashItems(in: folder)
                    })
            } catch {
                result = .failure(error)
            }
            HandlerThreads.shared.run {
                switch result {
                case .success(let items):
                    observer.value.didEnumerate(items.map { ServerTrashItem($0, in: folder) })
                    observer.value.finishEnumerating(upTo: nil)
                case .failure(let error): observer.value.finishEnumeratingWithError(SystemErrors.error(error))
                }
            }
        }
    }
}
