import AppExtension
import FileProvider
import FileProviderUI
import FileProviderWire
import Foundation
import LinuxSystem
import Testing

/// A user interface and its host in one process.
@Suite(.serialized) struct InterfaceTests {
    /// A controller that asks for two values and records the answers.
    final class Asking: FPUIActionExtensionViewController {
        @MainActor static var told: [String] = []
        private var prompt = FileProviderPrompt(title: "")

        override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
            title = actionIdentifier
            Self.told.append(
                "\(title ?? "") \(itemIdentifiers.map(\.rawValue)) \(extensionContext.domainIdentifier?.rawValue ?? "")"
            )
            prompt = FileProviderPrompt(
                title: actionIdentifier, message: "m", fields: [.init("a", text: "1"), .init("b", isSecret: true)])
            if actionIdentifier == "large" { prompt.title = String(repeating: "x", count: 10_000) }
        }

        override func prepare(forError error: any Error) {
            extensionContext.cancelRequest(withError: error)
            // A call after the end is ignored.
            extensionContext.completeRequest()
        }

        override func viewDidLoad() { Self.told.append("loaded") }
        override func viewWillAppear(_ animated: Bool) { Self.told.append("appears") }
        override func viewWillDisappear(_ animated: Bool) { Self.told.append("disappears") }
        override func viewDidDisappear(_ animated: Bool) { Self.told.append("is gone") }

        override func viewDidAppear(_ animated: Bool) {
            guard !prompt.fields.isEmpty else { return }
            extensionContext.ask(prompt) { [extensionContext] result in
                switch result {
                case .success(let answers) where answers == ["x", "y"]: extensionContext.completeRequest()
                case .success(let answers): extensionContext.cancelRequest(withError: Mismatch(answers: answers))
                case .failure(let error): extensionContext.cancelRequest(withError: error)
                }
            }
        }
    }

    struct Mismatch: Error, CustomStringConvertible {
        let answers: [String]
        var description: String { "answered \(answers)" }
    }

    /// A controller that shows a window for longer than it may be silent.
    final class Showing: FPUIActionExtensionViewController {
        override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
            extensionContext.windowDidAppear()
        }

        override func viewDidAppear(_ animated: Bool) {
            let context = extensionContext
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 12)
                context.windowDidDisappear()
                context.completeRequest()
            }
        }
    }

    /// A controller that overrides nothing.
    final class Idle: FPUIActionExtensionViewController {}

    private static let place = BeginProviderCall(
        version: 1, domain: "domain", displayName: "Domain", storage: "/dev/null/none", domainFolder: "domain",
        temporary: "/dev/null/none", path: nil, answerTime: 30, transferTime: 30, bundleIdentifier: "org.example")

    private func end(
        of type: FPUIActionExtensionViewController.Type, _ purpose: InterfacePurpose,
        timeLimit: Int = 300, _ answer: @escaping InterfaceConnection.Asking = { _ in .refused }
    ) async throws -> InterfaceConnection.Ending {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        try type.serve(theirs.descriptor, ownsProcess: false) {}
        let connection = try InterfaceConnection(ours.descriptor, timeLimit: timeLimit, ask: answer)
        defer { connection.close() }
        return await connection.begin(purpose, at: Self.place)
    }

    @Test @MainActor func theUsersAnswersReachTheExtensionInTheOrderOfALifetime() async throws {
        Asking.told = []
        let seen = Lock<[FileProviderPrompt]>([])
        let ending = try await end(of: Asking.self, .action("act", items: ["i", "j"])) { prompt in
            seen.withLock { $0.append(prompt) }
            return .given(["x", "y"])
        }
        #expect("\(ending)" == "completed")
        #expect(
            Asking.told == ["act [\"i\", \"j\"] domain", "loaded", "appears", "disappears", "is gone"])
        let fields = [
            FileProviderPrompt.Field("a", text: "1"), FileProviderPrompt.Field("b", text: "", isSecret: true),
        ]
        #expect(seen.withLock { $0 } == [FileProviderPrompt(title: "act", message: "m", fields: fields)])
    }

    @Test @MainActor func errorsAreReported() async throws {
        let act = InterfacePurpose.action("act", items: [])
        #expect("\(try await end(of: Asking.self, act))" == "cancelled")
        #expect("\(try await end(of: Asking.self, act) { _ in .notShown("No one.") })" == "failed(\"No one.\")")
        #expect("\(try await end(of: Asking.self, act) { _ in .given(["z", ""]) })".contains("answered [\\\"z\\\""))
        // The number of answers must equal the number of fields.
        #expect("\(try await end(of: Asking.self, act) { _ in .given(["x"]) })" == "cancelled")
        #expect(
            "\(try await end(of: Asking.self, .action("large", items: [])) { _ in .given(["x", "y"]) })".hasPrefix(
                "failed("))
        let failure = ProviderError(.notAuthenticated, message: "Nobody is signed in.")
        #expect("\(try await end(of: Asking.self, .failure(failure)))" == "failed(\"Nobody is signed in.\")")
        #expect("\(try await end(of: Idle.self, act))" == "unsupported")
        #expect("\(try await end(of: Idle.self, .failure(failure)))" == "unsupported")
    }

    @Test @MainActor func theUsersTimeDoesNotCountTowardsTheLimit() async throws {
        let act = InterfacePurpose.action("act", items: [])
        async let shown = end(of: Showing.self, act, timeLimit: 10)
        let ending = try await end(of: Asking.self, act, timeLimit: 10) { _ in
            Thread.sleep(forTimeInterval: 12)
            return .given(["x", "y"])
        }
        #expect("\(ending)" == "completed")
        #expect("\(try await shown)" == "completed")
    }

    @Test @MainActor func aContextWithoutAHostSendsNoRequest() async throws {
        let context = FPUIActionExtensionContext()
        #expect(context.domainIdentifier == nil && !context.hasDisplay)
        context.windowDidAppear()
        context.windowDidDisappear()
        let error = await #expect(throws: NSError.self) { _ = try await context.ask(FileProviderPrompt(title: "?")) }
        #expect(error?.domain == FPUIErrorDomain)
        #expect(error?.code == Int(FPUIExtensionErrorCode.failed.rawValue))
        context.completeRequest()
        context.cancelRequest(withError: Mismatch(answers: []))
        context.completeRequest(returningItems: [1]) { expired in #expect(expired) }
        #expect(FPUIActionIdentifier("a") == FPUIActionIdentifier(rawValue: "a"))
        #expect(Set([FPUIActionIdentifier("a"), FPUIActionIdentifier("b")]).count == 2)
        #expect(FPUIExtensionErrorCode(rawValue: 0) == .userCancelled)
        #expect(Idle().extensionContext.inputItems.isEmpty)
    }
}
