import DomainMessages
import ExtensionHost
import FileProviderUI
import LinuxSystem

/// Runs a provider's user interface. The daemon starts the process of the user interface, which shows its own windows,
/// or asks the user through this process.
enum InterfaceWork {
    /// Runs a user interface until it ends. Returns `false` if the user interface does not support the purpose.
    ///
    /// - Parameter ask: asks the user, and returns the answers; `nil` if the user refuses.
    static func run(
        _ interface: InterfaceDescription, daemon: any DaemonCalling,
        _ ask: @escaping @MainActor @Sendable (FileProviderPrompt) async -> [String]?
    ) async throws(BrowserError) -> Bool {
        let connection: InterfaceConnection
        let process: Task<ExtensionEnding, any Error>
        do throws(Errno) {
            (connection, process) = try start(interface, daemon, ask)
        } catch {
            throw BrowserError("The extension cannot be started: \(error)")
        }
        defer { connection.close() }
        // If the daemon, which started the extension, ends first, nothing supervises the extension. Therefore the
        // connection is closed.
        let watch = Task { if case .failure = await process.result { connection.close() } }
        defer { watch.cancel() }
        let ending = await withTaskCancellationHandler {
            await connection.begin(interface.purpose, at: interface.place)
        } onCancel: {
            connection.close()
        }
        switch ending {
        case .completed: return true
        case .unsupported: return false
        case .cancelled: throw BrowserError("It was cancelled", kind: .cancelled)
        case .failed(let reason): throw BrowserError(reason, kind: .failedInExtension)
        case .silent(let seconds):
            throw BrowserError("The extension neither asked nor answered for \(seconds) s, and was ended")
        case .lost:
            switch await process.result {
            case .success(let ending): throw BrowserError(ending.sentence)
            case .failure(let error): throw BrowserError("The extension cannot be run: \(error)")
            }
        }
    }

    /// Makes the daemon start the extension. Only the returned task holds the extension's end of the socket, and the
    /// connection to the display, open. Both are closed when their last copies are closed. If this process had other
    /// copies, it would not notice that the extension has exited.
    private static func start(
        _ interface: InterfaceDescription, _ daemon: any DaemonCalling,
        _ ask: @escaping @MainActor @Sendable (FileProviderPrompt) async -> [String]?
    ) throws(Errno) -> (InterfaceConnection, Task<ExtensionEnding, any Error>) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let connection = try InterfaceConnection(ours.descriptor, timeLimit: interface.timeLimit) { prompt in
            let answers = Lock<[String]??>(nil)
            let isAnswered = Latch()
            Task { @MainActor in
                let given = await ask(prompt)
                answers.withLock { $0 = .some(given) }
                isAnswered.open()
            }
            // This thread serves only the prompt, and may block.
            isAnswered.wait()
            guard let given = answers.withLock({ $0 }) ?? nil else { return .refused }
            return .given(given)
        }
        let socket = theirs.descriptor
        let process = Task {
            try await daemon.call(
                RunInterfaceCall(
                    domain: interface.domain, identifier: interface.identifier, socket: socket,
                    display: interface.showsWindows ? DisplayConnection.ofThisUser() : nil))
        }
        return (connection, process)
    }
}
