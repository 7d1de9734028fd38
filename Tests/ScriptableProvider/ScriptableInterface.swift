import FileProvider
import FileProviderUI
import Foundation
import ScriptableService

/// The provider's user interface. Its requests to the user depend on the action. It reports the user's replies to the
/// service.
final class ScriptableInterface: FPUIActionExtensionViewController {
    private var action = ""
    private var items: [String] = []
    private var failure: (any Error)?

    override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
        action = actionIdentifier
        items = itemIdentifiers.map { ServiceItem.known($0) }
    }

    override func prepare(forError error: any Error) { failure = error }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        Task {
            do {
                let client = try await client()
                if let failure { try await signIn(after: failure, client) } else { try await ask(client) }
                extensionContext.completeRequest()
            } catch {
                extensionContext.cancelRequest(withError: error)
            }
        }
    }

    private func ask(_ client: ServiceClient) async throws {
        switch action {
        case "org.example.ui.crash": abort()
        case "org.example.ui.hang": try await Task.sleep(for: .seconds(1_000_000))
        case "org.example.ui.agree":
            _ = try await extensionContext.ask(
                FileProviderPrompt(title: "Publish\u{1B}[2J?", message: "Everybody will see it.\nFor ever."))
            _ = try client.ask(.act("agreed", on: items))
        case "org.example.ui.never":
            // Asks the user once, and does not end afterwards.
            _ = try? await extensionContext.ask(FileProviderPrompt(title: "Anything?"))
            try await Task.sleep(for: .seconds(1_000_000))
        case "org.example.ui.reach": _ = try client.ask(.act(ReachedServers.all, on: items))
        case "org.example.ui.refuse":
            throw NSError(
                domain: FPUIErrorDomain, code: Int(FPUIExtensionErrorCode.failed.rawValue),
                userInfo: [NSLocalizedDescriptionKey: "Not today."])
        default:
            let answers = try await extensionContext.ask(
                FileProviderPrompt(
                    title: "Share it",
                    fields: [.init("With", text: "everybody"), .init("Password", isSecret: true)]))
            let domain = extensionContext.domainIdentifier?.rawValue ?? ""
            _ = try client.ask(
                .act(
                    "shared with \(answers.joined(separator: " by ")), domain \(domain.isEmpty ? "none" : "known")",
                    on: items))
        }
    }

    private func signIn(after failure: any Error, _ client: ServiceClient) async throws {
        let isKnown = (failure as? NSFileProviderError)?.code == .notAuthenticated
        let answers = try await extensionContext.ask(
            FileProviderPrompt(
                title: isKnown ? "Sign in" : "Something went wrong", message: failure.localizedDescription,
                fields: [.init("Password", isSecret: true)]))
        do {
            try client.signIn(answers[0])
        } catch {
            throw ServiceClient.error(error)
        }
    }

    /// Returns a client like the provider's own. Both use the given directory and the document storage.
    private func client() async throws -> ServiceClient {
        let domain = try await NSFileProviderManager.domains().first {
            $0.identifier == extensionContext.domainIdentifier
        }
        let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
        let storage = manager.documentStorageURL.appendingPathComponent(
            domain?.pathRelativeToDocumentStorage ?? "", isDirectory: true)
        return ServiceClient(
            folder: domain?.userInfo?["path"] as? String ?? NSHomeDirectory(),
            tokenFile: storage.appendingPathComponent("token"))
    }
}
