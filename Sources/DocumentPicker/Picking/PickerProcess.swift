import Conduit
import Exchange
import Foundation
import LinuxSystem

/// A process of the picker program. The picker is itself a client of the daemon, so that this process can access only
/// the items that the user picks.
package final class PickerProcess: Sendable {
    /// A report of the picker. No event follows ``cancelled`` or ``failed(_:)``. Only a document browser reports events
    /// after ``picked(_:)``.
    package enum Event: Sendable {
        case picked([URL])
        case cancelled
        case failed(DocumentPickerError)
    }

    /// A function that creates a new document in a folder. It is called on a thread that may block, and calls `reply`
    /// once with the document's name, or with `nil` if it created no document.
    package typealias NewDocument = @Sendable (_ folder: URL, _ reply: @escaping @Sendable (String?) -> Void) -> Void

    private struct State {
        var connection: Connection?
        var hasEnded = false
    }

    private let browses: Bool
    private let report: @Sendable (Event) -> Void
    // Leaf lock: events are reported after it is released.
    private let state = Lock(State())

    /// The maximum number of seconds for which the picker's standard error is read. It is large because the user may
    /// leave the picker open for weeks.
    private static let longestRun = 2_000_000
    /// The number of seconds to wait for the last lines of standard error after the picker has ended.
    private static let patience = 2
    private static let limits = ConnectionLimits(callsInFlight: 16)

    private init(browses: Bool, report: @escaping @Sendable (Event) -> Void) {
        self.browses = browses
        self.report = report
    }

    /// Starts the picker. Never blocks. A failure to start is reported as an event, too.
    ///
    /// - Parameters:
    ///   - program: the path of the picker program; `nil` for `purvey-files` (see ``ProgramSearch``).
    ///   - newDocument: serves the requests for new documents that a browsing picker sends.
    ///   - review: decides about picks; `nil` to accept all.
    ///   - report: called on any thread.
    package static func start(
        _ request: PickerRequest, program: String? = nil, newDocument: NewDocument? = nil, review: PickReview? = nil,
        report: @escaping @Sendable (Event) -> Void
    ) -> PickerProcess {
        let browses = if case .browse = request.purpose { true } else { false }
        let process = PickerProcess(browses: browses, report: report)
        HandlerThreads.shared.run { process.run(request, program, process.service(newDocument, review)) }
        return process
    }

    /// Closes the picker. No further event is reported.
    package func close() {
        end(with: nil)
    }

    /// Shows an item in the picker.
    package func reveal(_ path: String) async throws(DocumentPickerError) {
        guard let connection = state.withLock({ $0.connection }) else {
            throw DocumentPickerError("The document browser is not shown")
        }
        do throws(ConduitError) {
            _ = try await connection.call(RevealCall(path: path))
        } catch {
            throw DocumentPickerError("The document browser cannot show the document: \(error)")
        }
    }

    private func run(_ request: PickerRequest, _ program: String?, _ service: Service) {
        do {
            let program = try program ?? ProgramSearch.find("purvey-files", variable: "PURVEY_FILES")
            let (ours, theirs) = try SequencedPacketSocket.pair()
            let (messages, messagesEnd) = try StartMessages.channel()
            var request = request
            request.isHandedOver = true
            let child = try ChildProgram.start(
                program, arguments: request.arguments, descriptors: [nil, nil, messagesEnd, theirs.descriptor])
            let connection = try Connection(ours, service: service, limits: Self.limits)
            let isWanted = state.withLock { state in
                if !state.hasEnded { state.connection = connection }
                return !state.hasEnded
            }
            if !isWanted { connection.close() }
            HandlerThreads.shared.run { [self] in watch(child, messages, connection) }
        } catch {
            end(with: .failed(DocumentPickerError("The document picker cannot be started: \(error)")))
        }
    }

    private func service(_ newDocument: NewDocument?, _ review: PickReview?) -> Service {
        var service = Service()
        service.on(PickCall.self) { [self] request, call in
            HandlerThreads.shared.run { [self] in
                do {
                    let urls = try request.items.map { try $0.resolve() }
                    guard let review else { return accept(urls, call) }
                    review.refusal(urls) { [self] reason in
                        if let reason { call.fail(.refused, reason) } else { accept(urls, call) }
                    }
                } catch {
                    call.fail(.unusable, "the item cannot be handed over: \(error)")
                }
            }
        }
        service.on(NewNameCall.self) { request, call in
            guard let review else { return call.reply(.init(name: request.name)) }
            review.acceptedName(request.name) { call.reply(.init(name: $0)) }
        }
        service.on(DismissCall.self) { [self] _, call in
            end(with: .cancelled) { call.reply() }
        }
        if let newDocument {
            service.on(NewDocumentCall.self) { request, call in
                HandlerThreads.shared.run {
                    do {
                        newDocument(try request.folder.resolve()) { call.reply(.init(name: $0)) }
                    } catch {
                        call.fail(.unusable, "the folder cannot be found: \(error)")
                    }
                }
            }
        }
        return service
    }

    /// Reports the picked items, and replies to the picker. Called only if the program does not refuse the items.
    private func accept(_ urls: [URL], _ call: ServedCall<PickCall>) {
        if browses {
            call.reply()
            report(.picked(urls))
        } else {
            end(with: .picked(urls)) { call.reply() }
        }
    }

    /// Waits until the picker has exited. If it exited without reporting a pick or a cancellation, reports a failure
    /// with the last line of its standard error.
    private func watch(_ child: ChildProgram, _ messages: FileDescriptor, _ connection: Connection) {
        let words = Lock("")
        let isRead = Semaphore()
        HandlerThreads.shared.run {
            let text = (try? StartMessages.collect(from: messages, seconds: Self.longestRun)) ?? ""
            words.withLock { $0 = text }
            isRead.signal()
        }
        let ending = try? child.wait()
        // The picker's last message may not have been served yet. The connection serves all messages before it reports
        // that it was closed.
        connection.onClose { [self] _ in
            HandlerThreads.shared.run { [self] in
                // The wait is limited because programs that the user opened from the picker may hold its standard error
                // open.
                isRead.wait(seconds: Self.patience)
                end(with: .failed(Self.failure(words.withLock { $0 }, ending)))
            }
        }
    }

    private static func failure(_ words: String, _ ending: ChildProgram.Ending?) -> DocumentPickerError {
        let last = words.split(separator: "\n").last.map(String.init)
        return switch ending {
        case .signalled(let signal): DocumentPickerError("The document picker crashed (signal \(signal))")
        default: DocumentPickerError(last ?? "The document picker ended unexpectedly")
        }
    }

    /// Reports the last event, unless it was reported before, and closes the connection.
    ///
    /// - Parameter reply: replies to the picker's last call. It is called after `hasEnded` is set, so that the picker's
    ///   exit after the reply does not count as a failure.
    private func end(with event: Event?, _ reply: () -> Void = {}) {
        let (isFirst, connection) = state.withLock { state in
            defer { state = State(connection: nil, hasEnded: true) }
            return (!state.hasEnded, state.connection)
        }
        reply()
        connection?.close()
        if isFirst, let event { report(event) }
    }
}
