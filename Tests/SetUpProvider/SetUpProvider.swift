import FileProvider
import Foundation
import Security

/// A provider of an empty folder. The setting `does` controls its set-up:
///
/// - `succeeds`: reports a line, sets `greeting` and removes `temporary`;
/// - `fails`: stores a password, and then throws an error;
/// - `asks`: asks for a password, which has to be "open sesame", and stores it;
/// - `browses`: opens a link, and waits for a few seconds;
/// - `waits`: reports that it waits, and waits until it is cancelled;
/// - `ends`: ends the process.
///
/// Sendable: all properties are immutable.
final class SetUpProvider: NSObject, NSFileProviderReplicatedExtension, @unchecked Sendable {
    private let domain: NSFileProviderDomain
    private let passwords: StoredPasswords

    required init(domain: NSFileProviderDomain) {
        self.domain = domain
        passwords = StoredPasswords(domain: domain.identifier.rawValue)
        super.init()
    }

    func invalidate() {}

    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        if identifier == .rootContainer {
            completionHandler(RootItem(), nil)
        } else {
            completionHandler(nil, NSFileProviderError(.noSuchItem))
        }
        return Progress(totalUnitCount: 1)
    }

    func enumerator(
        for container: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator { EmptyEnumerator() }

    func fetchContents(
        for identifier: NSFileProviderItemIdentifier, version: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        completionHandler(nil, nil, NSFileProviderError(.noSuchItem))
        return Progress(totalUnitCount: 1)
    }

    func createItem(
        basedOn template: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        completionHandler(nil, [], false, NSFileProviderError(.serverUnreachable))
        return Progress(totalUnitCount: 1)
    }

    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        completionHandler(nil, [], false, NSFileProviderError(.serverUnreachable))
        return Progress(totalUnitCount: 1)
    }

    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        completionHandler(NSFileProviderError(.noSuchItem))
        return Progress(totalUnitCount: 1)
    }
}

extension SetUpProvider: FileProviderSettingUp {
    private struct Refusal: LocalizedError {
        let errorDescription: String?
    }

    func setUpDomain(_ setup: FileProviderSetup) async throws {
        switch setup.settings["does"] {
        case "succeeds":
            setup.report("looked at the service for \(setup.purpose)")
            setup.set("hello", forKey: "greeting")
            setup.set(nil, forKey: "temporary")
        case "fails":
            passwords.store("half stored", for: "ada")
            throw Refusal(errorDescription: "The service does not know the folder: check the address.")
        case "asks":
            let answer = try await setup.credentials(for: "cloud.example", user: setup.settings["user"])
            guard answer.password == "open sesame" else {
                throw Refusal(errorDescription: "The service refused the password of \(answer.user): try again.")
            }
            passwords.store(answer.password, for: answer.user)
            setup.set(answer.user, forKey: "user")
        case "browses":
            guard let link = URL(string: "https://cloud.example/login") else { return }
            await setup.open(link, message: "Sign in in the browser")
            try await Task.sleep(for: .seconds(4))
        case "waits":
            setup.report("waiting for the service")
            try await Task.sleep(for: .seconds(3_600))
        case "ends": exit(7)
        case let other: throw Refusal(errorDescription: "There is no set-up \(other ?? "without a name").")
        }
    }
}

extension SetUpProvider: FileProviderDescribing {
    /// The settings that the provider has received, and the passwords that it can read.
    var domainFindings: [String] {
        let settings = (domain.userInfo ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
        return ["settings \(settings.joined(separator: " "))", "passwords \(passwords.reached.joined(separator: " "))"]
    }
}

/// The folder of the domain.
private final class RootItem: NSObject, NSFileProviderItem {
    var itemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var parentItemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var filename: String { "root" }
    var capabilities: NSFileProviderItemCapabilities { .allowsAll }
}

/// A listing without items.
private final class EmptyEnumerator: NSObject, NSFileProviderEnumerator {
    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        observer.finishEnumerating(upTo: nil)
    }
}
