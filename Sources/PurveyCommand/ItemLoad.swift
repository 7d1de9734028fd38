import Dispatch
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Synchronization

/// Where a load's result goes.
enum LoadDestination: Sendable {
    case standardOutput
    /// A file or folder to be made, or a folder to make it in. Empty when the caller wants nothing but the original.
    case path(String)
}

/// One load on the command line: with a progress bar, and cancelled in good order by an interrupt.
enum ItemLoad {
    /// Loads a representation and puts it where it belongs.
    ///
    /// - Parameter type: `nil` is the best representation.
    /// - Returns: how it was delivered: `data`, `copy` or `in place`.
    static func run(
        _ provider: NSItemProvider, type: String?, as delivery: Delivery, to destination: LoadDestination
    ) async throws -> String {
        guard let type = type ?? provider.registeredTypeIdentifiers.first else {
            throw CommandError("the item has no representation")
        }
        let arrival: Arrival
        do {
            arrival = try await load(provider, type: type, as: delivery)
        } catch {
            if ItemProviderError.isCancellation(error) { throw CommandError("the load was cancelled") }
            throw CommandError(error.line)
        }
        switch (arrival, destination) {
        case (.data(let data), .standardOutput):
            try write(data)
            return "data"
        case (.data(let data), .path(let path)):
            try Placement.put(
                data, at: path, named: ItemName.name(suggested: provider.suggestedName, file: nil, typeIdentifier: type)
            )
            return "data"
        case (.file(let file), .path(let path)):
            // Not left to the last reference: the program may end as soon as this returns.
            defer { file.folder?.remove() }
            if file.isInPlace {
                if !path.isEmpty { try Placement.link(to: file.url, at: path) }
                return "in place"
            }
            guard !path.isEmpty else {
                throw CommandError("the item cannot be had in place, and there is no -o PATH for the copy")
            }
            try Placement.move(file.url, to: path)
            return "copy"
        case (.file, .standardOutput):
            throw CommandError("a file arrived where data was asked for")
        }
    }

    private static func load(_ provider: NSItemProvider, type: String, as delivery: Delivery) async throws -> Arrival {
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        signal(SIGINT, SIG_IGN)
        defer {
            interrupt.cancel()
            signal(SIGINT, SIG_DFL)
        }
        let bar = ProgressBar()
        defer { bar.end() }
        return try await withCheckedThrowingContinuation { continuation in
            let progress = provider.load(type, as: delivery) { continuation.resume(with: $0) }
            interrupt.setEventHandler { progress.cancel() }
            interrupt.activate()
            bar.show(progress)
        }
    }

    private static func write(_ data: Data) throws {
        let failure: Errno? = data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count < 0 {
                    if Errno.current == .interrupted { continue }
                    return .current
                }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return nil
        }
        if let failure { throw failure }
    }
}
