import DAVFileProvider
import FileProvider
import Foundation
import FoundationAdditions
import LinuxSystem
import NextcloudClient
import WebDAVClient

/// The enumerator of the trash, which the server lists as a whole.
final class TrashEnumerator: NSObject, NSFileProviderEnumerator, Sendable {
    private let account: DAVAccount
    private let service: NextcloudService

    init(_ account: DAVAccount, _ service: NextcloudService) {
        self.account = account
        self.service = service
    }

    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let (account, service, observer) = (account, service, Disconnected(observer))
        Task {
            let result: Result<[NextcloudTrashItem], any Error>
            do {
                result = .success(
                    try await account.ask { client throws(DAVError) in
                        try await service.nextcloud(client).trashItems()
                    })
            } catch {
                result = .failure(error)
            }
            HandlerThreads.shared.run {
                switch result {
                case .success(let items):
                    observer.value.didEnumerate(items.map { ServerTrashItem($0) })
                    observer.value.finishEnumerating(upTo: nil)
                case .failure(let error): observer.value.finishEnumeratingWithError(SystemErrors.error(error))
                }
            }
        }
    }
}
