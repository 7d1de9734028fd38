import Conduit
import Dispatch
import Foundation
import LinuxSystem

/// One load that another process has requested, from the request to the reply.
enum ServedLoad {
    /// The number of units in which progress is sent: fine enough for a bar as wide as a screen.
    static let progressUnits: Int64 = 10_000
    /// The maximum size in bytes of data that is packed on the handler's thread. Larger data is packed on a separate
    /// thread, so that a handler that completes on the main thread does not block that thread for long.
    private static let packedAtOnce = 8 << 20

    /// Runs the load handler and replies with its result. Called on the connections' thread, and does not block.
    ///
    /// - Parameter finished: called after the reply was sent, with whether the load succeeded.
    static func start(
        _ representation: Representation, _ request: LoadCall, _ call: ServedCall<LoadCall>,
        finished: @escaping @Sendable (Bool) -> Void
    ) {
        let handlerFraction = LastFraction()
        // For a confined consumer, this process reads an offered directory, and may have to wait for other claims.
        let reading = CoordinatedReading()
        let task = SupplyTask(
            representation, for: request.delivery,
            report: { fraction in
                handlerFraction.value = fraction
                call.report(completed: Int64(fraction * Double(progressUnits)), total: progressUnits)
            },
            completion: { result in
                guard mayMove(result, request) else {
                    return answer(
                        call, request, with: result, reading: reading, after: handlerFraction.value,
                        finished: finished)
                }
                HandlerThreads.shared.run {
                    answer(
                        call, request, with: result, reading: reading, after: handlerFraction.value,
                        finished: finished)
                }
            })
        call.onCancel {
            // Cancelling the handler's progress runs client code, which may block.
            DispatchQueue.global().async {
                reading.cancel()
                task.cancel()
            }
        }
    }

    /// Whether the reply should be sent from another thread. This is the case if sending takes a while, this thread
    /// must not be blocked, and the supply stays valid in the meantime.
    private static func mayMove(_ result: Result<Supply, any Error>, _ request: LoadCall) -> Bool {
        // For a confined consumer, this process reads an offered directory. Before that, a presenter of the directory
        // may need this thread in order to save.
        if request.target != nil, (try? result.get())?.file?.needsCoordination == true { return true }
        if HandlerThreads.isCurrent { return false }
        return switch result {
        case .success(.bytes(let data)): data.count > packedAtOnce
        case .success(.file(let file)): file.isDirectory && file.isOfferedInPlace
        case .success(.memory), .failure: false
        }
    }

    private static func answer(
        _ call: ServedCall<LoadCall>, _ request: LoadCall, with result: Result<Supply, any Error>,
        reading: CoordinatedReading, after fraction: Double,
        finished: @Sendable (Bool) -> Void
    ) {
        do {
            let report: (Double) -> Void = { part in
                let whole = fraction + (1 - fraction) * part
                call.report(completed: Int64(whole * Double(progressUnits)), total: progressUnits)
            }
            let supply = try result.get()
            if case .file(let folder) = supply, folder.isDirectory, let target = request.target {
                try FolderPlacement.place(
                    folder, in: target, reading: reading, progress: report, isCancelled: { call.isCancelled })
                call.reply(.placed(name: folder.name ?? ""))
                return finished(!call.isCancelled)
            }
            let packed = try SupplyPacking.pack(supply, isCancelled: { call.isCancelled }, report: report)
            let endOfLease = send(packed, call)
            finished(!call.isCancelled)
            // The load handler's completion call returns as soon as this function does, and the provider may then
            // delete the directory. Therefore this function waits for the end of the lease.
            if let endOfLease { LeasedFolder.wait(for: endOfLease) }
            // A directory that was written for this load must exist until the lease has ended.
            withExtendedLifetime(packed) {}
        } catch {
            // An error type of this package is converted to a Cocoa error, because the consumer would get only its
            // domain and code.
            call.reply(.failed(FailureMessage(CocoaError.known(error))))
            finished(false)
        }
    }
}

extension ServedLoad {
    /// Replies to a call. Returns the provider's end of the lease, which becomes readable when the consumer does not
    /// need the provider's directory any more.
    private static func send(_ supply: Supply, _ call: ServedCall<LoadCall>) -> FileDescriptor? {
        let leased = LeasedFolder(supply)
        call.reply(.supplied(SupplyMessage(leased?.supply ?? supply)))
        return leased?.end
    }
}

/// The last fraction that a load handler reported.
private final class LastFraction: Sendable {
    private let stored = Lock(0.0)

    var value: Double {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
