import AppExtension
import Conduit
import Dispatch
import FileProvider
import FileProviderWire
import Foundation
import FoundationAdditions
import ItemProvider
import LinuxSystem

/// A server that runs in the process of a user interface and serves the host's request. It creates one object of the
/// principal class.
final class InterfaceRuntime: Sendable {
    private let makeController: @MainActor @Sendable () -> FPUIActionExtensionViewController
    /// The controller, until the request ends. It is used on the main thread only.
    private let shown = Lock<Shown?>(nil)

    /// A controller in use. Sendable because only `shown` refers to it, and it is used on the main thread only.
    private struct Shown: @unchecked Sendable {
        let controller: FPUIActionExtensionViewController
    }

    private let ownsProcess: Bool
    private let hasDisplay: Bool

    /// Creates a runtime.
    ///
    /// - Parameters:
    ///   - ownsProcess: whether the process runs only this extension. If so, every `NSFileProviderManager` of the
    ///     process uses the connection to the host.
    ///   - hasDisplay: whether the host passed a display to the extension.
    init(
        ownsProcess: Bool, hasDisplay: Bool,
        _ makeController: @escaping @MainActor @Sendable () -> FPUIActionExtensionViewController
    ) {
        self.ownsProcess = ownsProcess
        self.hasDisplay = hasDisplay
        self.makeController = makeController
    }

    /// Serves until the host closes the socket.
    func serve(_ socket: FileDescriptor, ended: @escaping @Sendable () -> Void) throws(Errno) {
        var service = Service()
        service.on(BeginInterfaceCall.self) { request, call in
            DispatchQueue.main.async { MainActor.assumeIsolated { self.begin(request, call) } }
        }
        let connection = try Connection(try SequencedPacketSocket(checking: socket), service: service)
        connection.onClose { _ in ended() }
    }

    @MainActor private func begin(_ request: BeginInterfaceCall, _ call: ServedCall<BeginInterfaceCall>) {
        let domain = request.place.managedDomain
        if ownsProcess { request.place.install(on: call.connection) }
        let host = NSExtensionContext.Host(
            complete: { _, completion in
                let expired = call.isCancelled
                self.end(call, nil)
                completion(expired)
            },
            cancel: { self.end(call, FailureMessage($0)) },
            open: { _, completion in completion(false) })
        let controller = makeController()
        controller.take(
            FPUIActionExtensionContext(
                domain: domain?.identifier, host: host,
                asking: HostAsking(connection: call.connection, hasDisplay: hasDisplay)))
        shown.withLock { $0 = Shown(controller: controller) }
        switch request.purpose {
        case .action(let action, let items):
            controller.prepare(forAction: action, itemIdentifiers: items.map { NSFileProviderItemIdentifier($0) })
        case .failure(let failure): controller.prepare(forError: failure.error)
        }
        controller.viewDidLoad()
        controller.viewWillAppear(false)
        controller.viewDidAppear(false)
    }

    /// Ends the request. The extension may call this on any thread.
    private func end(_ call: ServedCall<BeginInterfaceCall>, _ failure: FailureMessage?) {
        DispatchQueue.main.async {
            let shown = self.shown.withLock { $0.take() }
            MainActor.assumeIsolated {
                shown?.controller.viewWillDisappear(false)
                shown?.controller.viewDidDisappear(false)
            }
            // The host ends the process after this reply.
            call.reply(.init(failure: failure))
        }
    }
}

/// A channel that asks the host to show prompts.
private struct HostAsking: PromptAsking {
    let connection: Connection
    let hasDisplay: Bool

    func windowIsShown(_ isShown: Bool) {
        // If this fails, the host has ended, and needs no notice.
        try? connection.notify(WindowNotice(isShown: isShown))
    }

    func ask(_ prompt: FileProviderPrompt, _ completion: @escaping @Sendable (Result<[String], any Error>) -> Void) {
        connection.call(PromptCall(prompt: prompt)) { result in
            HandlerThreads.shared.run { completion(Self.answers(result, prompt)) }
        }
    }

    private static func answers(
        _ result: Result<PromptCall.Reply, ConduitError>, _ prompt: FileProviderPrompt
    ) -> Result<[String], any Error> {
        switch result {
        case .success(let reply):
            guard let answers = reply.answers, answers.count == prompt.fields.count else {
                return .failure(NSError.interface(.userCancelled, "It was cancelled."))
            }
            return .success(answers)
        case .failure(.remote(let failure)): return .failure(NSError.interface(.failed, failure.message))
        case .failure(let error): return .failure(NSError.interface(.failed, "The user could not be asked: \(error)"))
        }
    }
}

extension FPUIActionExtensionViewController: ServingPrincipal {
    package nonisolated static func serve(
        _ socket: FileDescriptor, for bundle: ExtensionBundle, ended: @escaping @Sendable () -> Void
    ) throws {
        try serve(socket, ownsProcess: true, ended: ended)
    }

    /// Serves a host with an ``InterfaceRuntime``.
    package nonisolated static func serve(
        _ socket: FileDescriptor, ownsProcess: Bool, ended: @escaping @Sendable () -> Void
    ) throws {
        let principal = SendableType(self)
        // Call `PassedDisplay.serve()` before any code of the extension runs, because this code may connect to the
        // display.
        let hasDisplay = try ownsProcess && PassedDisplay.serve()
        // The connection retains the runtime while it is open.
        try InterfaceRuntime(ownsProcess: ownsProcess, hasDisplay: hasDisplay) {
            PrincipalClass.object(of: principal.type)
        }
        .serve(socket, ended: ended)
    }
}
