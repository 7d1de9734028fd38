import FileProvider
import Foundation
import FoundationAdditions
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// A file provider for servers that speak WebDAV. A subclass states the kind of its service.
///
///     final class WebDAVExtension: DAVExtension {
///         override class var service: any DAVServiceKind { PlainDAVService() }
///     }
///
/// Sendable: all properties are immutable.
open class DAVExtension: NSObject, NSFileProviderReplicatedExtension, FileProviderSettingUp,
    FileProviderReadingContents, @unchecked Sendable
{
    /// The kind of the service.
    open class var service: any DAVServiceKind { PlainDAVService() }

    package let domain: NSFileProviderDomain
    /// The object that performs requests for the domain, or the error that prevents requests, such as a wrong setting.
    private let opened: Result<DAVWork, any Error>
    package let passwords: any DAVPasswordStore
    private let folder: URL?

    /// Creates the provider of a domain.
    public required init(domain: NSFileProviderDomain) {
        let manager = NSFileProviderManager(for: domain)
        let folder = try? manager?.stateDirectoryURL()
        (self.domain, self.folder, passwords) = (domain, folder, KeychainPasswords())
        opened = Self.open(
            domain, Self.service, folder: folder, temporary: try? manager?.temporaryDirectoryURL(), passwords,
            handsOverMemory: true)
        super.init()
        (try? opened.get())?.watch.start()
        // The system only reports changes of the set of materialized items, so the initial set is read once.
        Task { [weak self] in await self?.materializedItemsDidChange() }
    }

    /// Creates the provider of a domain with directories of its own, for tests. The provider searches for changes only
    /// on request.
    ///
    /// - Parameters:
    ///   - folder: the directory of the catalogue.
    ///   - temporary: the directory for files that are handed to the system.
    ///   - sendAgain: asks the system to send the local contents of a file again.
    package init(
        domain: NSFileProviderDomain, service: any DAVServiceKind, folder: URL, temporary: URL,
        passwords: any DAVPasswordStore,
        sendAgain: (@Sendable (NSFileProviderItemIdentifier) async -> Void)? = nil
    ) {
        (self.domain, self.folder, self.passwords) = (domain, folder, passwords)
        opened = Self.open(domain, service, folder: folder, temporary: temporary, passwords, sendAgain)
        super.init()
    }

    private static func open(
        _ domain: NSFileProviderDomain, _ service: any DAVServiceKind, folder: URL?, temporary: URL?,
        _ passwords: any DAVPasswordStore,
        _ sendAgain: (@Sendable (NSFileProviderItemIdentifier) async -> Void)? = nil, handsOverMemory: Bool = false
    ) -> Result<DAVWork, any Error> {
        Result {
            guard let folder, let temporary else { throw NSFileProviderError(.providerDomainNotFound) }
            let account = try DAVAccount(
                try DAVSettings(userInfo: domain.userInfo), service, domain: domain, folder: folder,
                passwords: passwords, sendAgain: sendAgain)
            let manager = NSFileProviderManager(for: domain)
            return DAVWork(account, temporary: temporary, handsOverMemory: handsOverMemory) {
                manager?.signalEnumerator(for: .workingSet) { _ in }
            }
        }
    }

    /// The domain's account, with the connection to the server, the catalogue and the server's behaviour.
    ///
    /// - Throws: the reason why the account could not be opened, such as a wrong setting.
    public final var account: DAVAccount { get throws { try work.account } }

    package final var work: DAVWork { get throws { try opened.get() } }

    /// The directory in which the provider stores its state.
    package final var stateFolder: URL? { folder }

    /// Stops the search for changes and closes the connections.
    open func invalidate() {
        guard let work = try? opened.get() else { return }
        work.watch.stop()
        work.account.http.close()
    }

    // MARK: Items

    /// Returns an enumerator of a folder or the working set.
    open func enumerator(
        for container: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator {
        if container == .trashContainer { throw CocoaError(.featureUnsupported) }
        return DAVEnumerator(try SystemErrors.converting { try work }, container == .workingSet ? nil : container)
    }

    /// Requests an item from the server and returns its current state.
    open func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        run { work, _ in
            try await work.current(identifier)
        } finish: { (item: DAVItem?, error) in
            completionHandler(item, error)
        }
    }

    // MARK: Contents

    /// Fetches the contents of a file.
    open func fetchContents(
        for identifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        run { work, progress in
            try await work.fetch(identifier, progress)
        } finish: {
            completionHandler($0?.url, $0?.item, $1)
        }
    }

    /// Fetches the contents of a file that is not in the catalogue, such as a file in a trash.
    ///
    /// - Parameter find: returns the address of the file, and the item that the system receives.
    public final func fetchContents<Item: NSFileProviderItem & Sendable>(
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void,
        _ find: @escaping @Sendable (DAVAccount) async throws -> (HTTPAddress, Item)
    ) -> Progress {
        run { work, progress in
            let (address, item) = try await find(work.account)
            return Found(url: try await work.fetch(at: address, progress), item: item)
        } finish: { (found: Found<Item>?, error) in
            completionHandler(found?.url, found?.item, error)
        }
    }

    private struct Found<Item: Sendable>: Sendable {
        let url: URL
        let item: Item
    }

    // MARK: Changes

    /// Creates an item at the server.
    open func createItem(
        basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        let template = DAVWork.Template(itemTemplate, contents: url)
        return run { work, progress in
            try await work.create(template, progress)
        } finish: {
            completionHandler($0?.item, $0?.pending ?? [], false, $1)
        }
    }

    /// Changes an item at the server.
    open func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?, options: NSFileProviderModifyItemOptions,
        request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        let change = DAVWork.Modification(item, version, changedFields, contents: newContents)
        return run { work, progress in
            try await work.modify(change, progress)
        } finish: {
            completionHandler($0?.item, $0?.pending ?? [], false, $1)
        }
    }

    /// Removes an item at the server, if the item's version at the server is the version that the user has seen.
    open func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let base = String(decoding: version.contentVersion, as: UTF8.self)
        let isRecursive = options.contains(.recursive)
        return run { work, _ in
            try await work.remove(identifier, base: base, isRecursive: isRecursive)
        } finish: { (_: Void?, error) in
            completionHandler(error)
        }
    }

    // MARK: Sets

    /// Records which folders contain local items. The search for changes checks these folders more often.
    open func materializedItemsDidChange() async {
        guard let manager = NSFileProviderManager(for: domain), let work = try? work else { return }
        let items = await MaterializedItems.all(manager.enumeratorForMaterializedItems())
        try? await work.watch.noteInUse(items)
    }

    /// Does nothing.
    open func pendingItemsDidChange(completionHandler: @escaping @Sendable () -> Void) { completionHandler() }

    /// Does nothing.
    open func importDidFinish(completionHandler: @escaping @Sendable () -> Void) { completionHandler() }

    // MARK: Set-up

    /// Checks the address and the sign-in, and probes the server's behaviour.
    open func setUpDomain(_ setup: FileProviderSetup) async throws {
        try await finish(setup, try DAVSettings(setup.settings))
    }

    // MARK: Running

    /// Runs a function for a request of the system, and passes its result to `finish` on a thread that may block.
    ///
    /// - Returns: a progress whose cancellation cancels the function.
    public final func perform<Reply: Sendable>(
        _ body: @escaping @Sendable (DAVAccount, Progress) async throws -> Reply,
        finish: @escaping (Reply?, (any Error)?) -> Void
    ) -> Progress {
        run({ work, progress in try await body(work.account, progress) }, finish: finish)
    }

    final func run<Reply: Sendable>(
        _ body: @escaping @Sendable (DAVWork, Progress) async throws -> Reply,
        finish: @escaping (Reply?, (any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        // `finish` is called once, on an arbitrary thread, as completion handlers are.
        let finish = Disconnected(finish)
        let opened = opened
        let task = Task {
            let result: Result<Reply, any Error>
            do {
                result = .success(try await body(try opened.get(), progress))
            } catch {
                result = .failure(SystemErrors.error(error))
            }
            HandlerThreads.shared.run {
                switch result {
                case .success(let reply): finish.value(reply, nil)
                case .failure(let error): finish.value(nil, error)
                }
            }
        }
        progress.cancellationHandler = { task.cancel() }
        return progress
    }
}
