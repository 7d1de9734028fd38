import Conduit
import Dispatch
import Foundation
import LinuxSystem

/// One load that another process has asked of this one, from the question to the answer.
enum ServedLoad {
    /// Units in which progress crosses: fine enough for a bar as wide as a screen.
    static let progressUnits: Int64 = 10_000
    /// More data than this is packed on a thread of its own, so that a handler that answers from the main thread does
    /// not stop that thread for long.
    private static let packedAtOnce = 8 << 20

    /// Runs the load handler and answers the call with what it produced. Called on the connections' thread, which does
    /// not wait.
    ///
    /// - Parameter finished: called once the answer has been handed over, with whether the load succeeded.
    static func start(
        _ representation: Representation, _ request: LoadCall, _ call: ServedCall<LoadCall>,
        finished: @escaping @Sendable (Bool) -> Void
    ) {
        let handlerFraction = LastFraction()
        // A folder is read here, and may wait for its turn.
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
            // Client code runs when the handler's progress is cancelled, and that may block.
            DispatchQueue.global().async {
                reading.cancel()
                task.cancel()
            }
        }
    }

    /// Whether the answer takes a while, stays good meanwhile, and would hold up a thread that may not be blocked.
    private static func mayMove(_ result: Result<Supply, any Error>, _ request: LoadCall) -> Bool {
        // A folder is read here. Whoever presents it may need the thread to save.
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
            // Returning from here lets the load handler's completion call return.
            if let endOfLease { LeasedFolder.wait(for: endOfLease) }
            // A folder that was written for this load is there until then.
            withExtendedLifetime(packed) {}
        } catch {
            // In terms that the consumer knows: a private error would arrive as a name and a number.
            call.reply(.failed(FailureMessage(CocoaError.known(error))))
            finished(false)
        }
    }
}

extension ServedLoad {
    /// Answers a call, and gives what ends when the consumer needs the provider's folder no more.
    private static func send(_ supply: Supply, _ call: ServedCall<LoadCall>) -> FileDescriptor? {
        let leased = LeasedFolder(supply)
        call.reply(.supplied(SupplyMessage(leased?.supply ?? supply)))
        return leased?.end
    }
}

/// How far a load handler said it was.
private final class LastFraction: Sendable {
    private let stored = Lock(0.0)

    var value: Double {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
