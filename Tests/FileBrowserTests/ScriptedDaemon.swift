import BrowserTesting
import Conduit
import DomainMessages
import FileBrowser

/// A daemon with one domain and one upload. A test changes the upload, and decides in which order the replies arrive.
@MainActor final class ScriptedDaemon: DaemonCalling {
    /// The state of the upload.
    enum Upload: Sendable, Equatable {
        case waiting, cancelled, running
        /// The service has the change.
        case ended
    }

    private(set) var upload: Upload
    /// Whether calls fail as if the connection was lost.
    var isUnreachable = false
    /// Whether replies arrive at once.
    var isPrompt = true {
        didSet { if isPrompt { deliverAll() } }
    }
    /// The number of requests for the state of the domains.
    private(set) var statusCount = 0
    /// The present position in the sequence of changes. Every process has positions of its own.
    private var position: UInt64 = 1_000
    /// The process that runs now. Replies of an earlier process are lost.
    private var process = 1
    private var replies: [CheckedContinuation<Void, Never>] = []
    private var followers: [CheckedContinuation<Void, Never>] = []

    init(_ upload: Upload) { self.upload = upload }

    /// The upload as the window shows it; `nil` if it is not shown.
    var transfer: TransferActivity? {
        let state: TransferActivity.State
        switch upload {
        case .waiting: state = .waiting
        case .cancelled: state = .cancelled
        case .running: state = .running
        case .ended: return nil
        }
        return TransferActivity(
            name: "Plan.txt", isUpload: true, file: 7, state: state, canBeCancelled: state == .waiting)
    }

    // MARK: Events

    /// Changes the upload. Clients that follow the daemon are notified unless `isNoted` is `false`.
    func change(to upload: Upload, isNoted: Bool = true) {
        self.upload = upload
        guard isNoted else { return }
        position += 1
        notify()
    }

    /// Starts the daemon again. Clients lose their connection and all replies that have not arrived.
    func restart() {
        process += 1
        position = UInt64(process) * 1_000
        deliverAll()
        notify()
    }

    private func notify() {
        let waiting = followers
        followers = []
        for follower in waiting { follower.resume() }
    }

    // MARK: Replies

    /// The number of replies that have not arrived.
    var heldCount: Int { replies.count }

    /// Lets the reply with the given index arrive. Later requests have greater indexes.
    func deliver(_ index: Int) { replies.remove(at: index).resume() }

    private func deliverAll() {
        let held = replies
        replies = []
        for reply in held { reply.resume() }
    }

    nonisolated func call<C: Call>(
        _ request: C, progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws(BrowserError) -> C.Reply {
        guard let reply = try await answer(request) as? C.Reply else { throw BrowserError("\(C.self) is not expected") }
        return reply
    }

    nonisolated func waitForDaemon() async { try? await Task.sleep(for: .milliseconds(1)) }

    private func answer(_ request: any Call) async throws(BrowserError) -> any Message {
        let process = process
        let reply = await reply(to: request)
        if !isPrompt, process == self.process { await withCheckedContinuation { replies.append($0) } }
        guard process == self.process, !isUnreachable else { throw BrowserError("It is gone", kind: .disconnected) }
        guard let reply else { throw BrowserError("\(request) is not expected") }
        return reply
    }

    /// Returns the reply to a request, in the state that the daemon has when the request arrives.
    private func reply(to request: any Call) async -> (any Message)? {
        switch request {
        case let request as FollowStatesCall:
            if request.position == position { await withCheckedContinuation { followers.append($0) } }
            return FollowStatesCall.Reply(position: position, areDomainsDifferent: true)
        case is DomainsStatusCall:
            statusCount += 1
            return DomainsStatusCall.Reply(processID: Int32(process), domains: [activity])
        case is CancelTransferCall:
            guard upload == .waiting else { return CancelTransferCall.Reply(outcome: .isOver) }
            change(to: .cancelled)
            return CancelTransferCall.Reply(outcome: .cancelled)
        case is RetryDomainCall:
            if upload == .cancelled { change(to: .waiting) }
            return activity.domain
        default: return nil
        }
    }

    private var activity: DomainActivity {
        let domain = DomainDescription(
            name: "Cloud", identifier: "cloud", provider: "org.example.provider", settings: [], cacheLimit: 0,
            state: .running, mount: nil, fault: nil)
        var activity = DomainActivity(
            domain: domain, uploadsWaiting: upload == .waiting ? 1 : 0, uploadsInFlight: upload == .running ? 1 : 0)
        activity.transfers = [transfer].compactMap(\.self)
        return activity
    }
}
