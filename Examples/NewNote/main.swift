import FileProviderGTK
import Foundation
import Purvey

/// An action that asks the user for a name and a text, and writes a note into the folder of a domain of "On This
/// Machine".
final class NewNoteController: FPUIActionExtensionViewController {
    override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
        title = "New note"
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        Task {
            do {
                let answers = try await extensionContext.askInWindow(
                    FileProviderPrompt(title: "New note", fields: [.init("Name", text: "Note"), .init("Text")]))
                try await write(answers[1], named: answers[0])
                extensionContext.completeRequest()
            } catch {
                extensionContext.cancelRequest(withError: error)
            }
        }
    }

    private func write(_ text: String, named name: String) async throws {
        // The folder that the user chose for the domain.
        let domain = try await NSFileProviderManager.domains().first {
            $0.identifier == extensionContext.domainIdentifier
        }
        guard let folder = domain?.userInfo?["path"] as? String, !name.contains("/"), !name.isEmpty,
            !name.hasPrefix(".")
        else { throw CocoaError(.fileWriteInvalidFileName) }
        let note = URL(fileURLWithPath: folder).appendingPathComponent(name + ".txt")
        try Data((text + "\n").utf8).write(to: note, options: .withoutOverwriting)
    }
}

NSExtensionMain()
