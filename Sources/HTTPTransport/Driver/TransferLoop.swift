import CCurl
import Glibc
import LinuxSystem

/// The transfers of a client, on the client's thread. Only that thread uses the state and libcurl's handles.
final class TransferLoop {
    private let mailbox: TransferMailbox
    private let settings: TransferSettings
    private let multi: UnsafeMutableRawPointer
    private let share: UnsafeMutableRawPointer?
    private var transfers: [TransferID: Transfer] = [:]
    private var hosts: [HTTPOrigin: HostQueue] = [:]
    /// The servers of the waiting transfers, by transfer identifier.
    private var waiting: [TransferID: HTTPOrigin] = [:]
    /// The trust rules for each server. Connections refer to these rules, which must therefore exist as long as
    /// ``multi``.
    private var trust: [HTTPOrigin: TrustRules] = [:]
    private let limits: BandwidthLimits
    private var lastLook = ContinuousClock.now

    /// The time in milliseconds between two checks of the progress of transfers.
    private static let pause: CInt = 250

    /// Creates the loop; returns `nil` if no memory is available.
    init?(_ mailbox: TransferMailbox, _ settings: TransferSettings, download: Int?, upload: Int?) {
        guard HTTPLibrary.isReady, let multi = curl_multi_init() else { return nil }
        self.mailbox = mailbox
        self.settings = settings
        self.multi = multi
        share = curl_share_init()
        limits = BandwidthLimits(download: download, upload: upload)
        ccurl_set_multi_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        ccurl_set_multi_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
        ccurl_set_multi_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.streamsPerHost)
        if let share {
            _ = ccurl_share_sessions(share)
            if settings.keepsCookies { _ = ccurl_share_cookies(share) }
        }
    }

    // `run` has removed all transfers from the multi handle. The trust rules are released after this cleanup, because
    // connections refer to them.
    deinit {
        transfers = [:]
        curl_multi_cleanup(multi)
        if let share { curl_share_cleanup(share) }
    }

    /// Runs transfers until the mailbox is closed. Blocks.
    func run() {
        var isClosed = false
        while !isClosed {
            let (commands, isLast) = mailbox.take()
            for command in commands { carryOut(command) }
            isClosed = isLast
            if isClosed { break }
            var running: CInt = 0
            curl_multi_perform(multi, &running)
            endCompleted()
            lookAtProgress()
            wait(releaseHeld())
        }
        for id in Array(waiting.keys) { cancel(id, .closed) }
        for id in Array(transfers.keys) { cancel(id, .closed) }
    }

    /// Continues the transfers that the bandwidth limits have paused, if the limits permit this now.
    ///
    /// - Returns: the time until the limits permit more: zero if a transfer was continued; `nil` if no transfer is
    ///   paused by the limits.
    private func releaseHeld() -> Duration? {
        let now = ContinuousClock.now
        let (mayReceive, maySend) = (limits.download.permits(at: now), limits.upload.permits(at: now))
        var wait: Duration?
        // The transfers continue in the dictionary's order, which is arbitrary, so that no transfer is preferred for
        // long.
        for transfer in transfers.values where transfer.isHeld {
            if transfer.isHeldDown, !mayReceive { wait = min(wait ?? .seconds(60), limits.download.wait) }
            if transfer.isHeldUp, !maySend { wait = min(wait ?? .seconds(60), limits.upload.wait) }
            if (transfer.isHeldDown && mayReceive) || (transfer.isHeldUp && maySend) {
                transfer.goOn()
                wait = .zero
            }
        }
        return wait
    }

    /// Waits until a socket is ready, a command has arrived, the next progress check is due, or a duration has passed.
    private func wait(_ time: Duration?) {
        var extra = curl_waitfd(fd: mailbox.counter.descriptor.rawValue, events: CShort(CURL_WAIT_POLLIN), revents: 0)
        var count: CInt = 0
        let longest = transfers.isEmpty ? 60_000 : Self.pause
        let timeout = time.map { $0 == .zero ? 0 : min(longest, CInt(clamping: $0.wholeMilliseconds)) } ?? longest
        let code = curl_multi_poll(multi, &extra, 1, timeout, &count)
        // The poll fails at once if memory is short. Without a pause, the loop would then use a whole processor.
        if code != CURLM_OK { usleep(10_000) }
    }

    // MARK: Commands

    private func carryOut(_ command: TransferMailbox.Command) {
        switch command {
        case .start(let id, let plan, let isCancelled, let complete):
            guard !isCancelled.isSet else { return complete(.failure(.cancelled)) }
            let origin = plan.request.address.origin
            waiting[id] = origin
            hosts[origin, default: HostQueue()].append(.init(id: id, plan: plan, complete: complete))
            startNext(origin)
        case .cancel(let id): cancel(id, .cancelled)
        case .resume(let id):
            guard let transfer = transfers[id], transfer.isPaused else { return }
            transfer.goOn()
        case .limit(let download, let upload):
            limits.download = BandwidthLimit(download)
            limits.upload = BandwidthLimit(upload)
        }
    }

    private func startNext(_ origin: HTTPOrigin) {
        while let next = hosts[origin]?.next(settings) {
            waiting[next.id] = nil
            do {
                try start(next, origin)
                hosts[origin]?.running += 1
            } catch {
                next.complete(.failure(error))
                if case .stream(let buffer) = next.plan.destination { buffer.finish(.failure(error)) }
            }
        }
        if hosts[origin]?.isUnused == true, hosts.count > 64 { hosts[origin] = nil }
    }

    private func start(_ next: HostQueue.Waiting, _ origin: HTTPOrigin) throws(HTTPError) {
        guard let rules = trust[origin] ?? TrustRules(settings.trust, for: origin) else {
            throw .secureConnection(origin, "the given authorities have no valid certificate")
        }
        trust[origin] = rules
        let isMultiplexed = hosts[origin]?.isMultiplexed ?? false
        let transfer = Transfer(
            next.id, next.plan, settings, limits, rules,
            isMultiplexedServer: isMultiplexed && !next.plan.request.avoidsMultiplexing, next.complete)
        guard let transfer else { throw .outOfMemory }
        try transfer.prepare(share: share)
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { throw .outOfMemory }
        transfers[next.id] = transfer
    }

    /// Ends a transfer before it is complete.
    private func cancel(_ id: TransferID, _ error: HTTPError) {
        if let origin = waiting.removeValue(forKey: id) {
            for one in hosts[origin]?.remove(id) ?? [] {
                one.complete(.failure(error))
                if case .stream(let buffer) = one.plan.destination { buffer.finish(.failure(error)) }
            }
        }
        guard let transfer = remove(id) else { return }
        transfer.fail(error)
        startNext(transfer.origin)
    }

    // MARK: Transfers

    private func endCompleted() {
        var rest: CInt = 0
        while let message = curl_multi_info_read(multi, &rest) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = ccurl_result(message)
            guard let transfer = remove(Transfer.id(of: easy)) else { continue }
            transfer.finish(code)
            if transfer.head.isComplete, !transfer.plan.request.avoidsMultiplexing {
                hosts[transfer.origin]?.isMultiplexed = transfer.isMultiplexed
            }
            startNext(transfer.origin)
        }
    }

    private func lookAtProgress() {
        let now = ContinuousClock.now
        guard now - lastLook >= .milliseconds(Int(Self.pause)) else { return }
        lastLook = now
        for (id, transfer) in transfers where transfer.hasStalled(at: now) {
            cancel(id, .noProgress(transfer.origin, transfer.plan.patience))
        }
    }

    private func remove(_ id: TransferID) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        curl_multi_remove_handle(multi, transfer.easy)
        hosts[transfer.origin]?.running -= 1
        return transfer
    }
}

extension Transfer {
    /// Returns the identifier of the transfer that a handle belongs to.
    static func id(of easy: UnsafeMutableRawPointer) -> TransferID {
        var value: UnsafeMutablePointer<CChar>?
        ccurl_get_string(easy, CURLINFO_PRIVATE, &value)
        return TransferID(UInt(bitPattern: value))
    }

    /// Whether the response came over HTTP/2.
    var isMultiplexed: Bool {
        var version = 0
        ccurl_get_long(easy, CURLINFO_HTTP_VERSION, &version)
        return version == CURL_HTTP_VERSION_2_0
    }
}
