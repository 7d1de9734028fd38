import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

/// The destination of a load's result.
enum LoadDestination: Sendable {
    case standardOutput
    /// The path of a new file or directory, or of an existing directory to store the item in.
    case path(String)
    /// No destination: only the path of the original is printed.
    case nowhere
}

/// The result of a load.
struct LoadOutcome: Encodable {
    enum Way: String, Encodable {
        case data, copy
        case inPlace = "in place"
    }

    /// The form in which the item was delivered.
    let delivered: Way
    /// The path of the result, or `nil` if it was written to standard output.
    let path: String?
    /// Whether nothing was written to standard output, because the item has no bytes.
    var isEmpty = false

    private enum CodingKeys: CodingKey {
        case delivered, path
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(delivered, forKey: .delivered)
        // Without a path, the key is encoded as null, so that scripts find every key.
        try container.encode(path, forKey: .path)
    }
}

/// One load on the command line, with a progress bar. An interrupt cancels it cleanly.
enum CommandLineLoad {
    /// Loads a representation and stores it at its destination.
    ///
    /// - Parameters:
    ///   - type: `nil` for the best representation.
    ///   - replacement: the files that may be replaced in a directory.
    static func run(
        _ provider: NSItemProvider, type: String?, as delivery: Delivery, to destination: LoadDestination,
        replacing replacement: Replacement = Replacement()
    ) async throws -> LoadOutcome {
        guard let type = type ?? provider.registeredTypeIdentifiers.first else {
            throw CommandError("the item has no representation")
        }
        if case .path(let path) = destination {
            // The destination is checked before the load, which may cause much work in the offering program.
            let offered = provider.promise.representation(conformingTo: type)?.typeIdentifier ?? type
            let isFolder = delivery == .copy && UTType(offered)?.conforms(to: .directory) == true
            try Destination(path).check(forFolder: isFolder)
        }
        let interruption = await Interruption()
        defer { interruption.end() }
        let arrival: Arrival
        do {
            arrival = try await load(provider, type: type, as: delivery, interruption)
        } catch {
            if ItemProviderError.isCancellation(error) { throw CommandError("the load was cancelled") }
            throw CommandError(error.line)
        }
        switch (arrival, destination) {
        case (.data(let data), .standardOutput):
            // From here on, an interrupt ends the process, even if the reader of standard output does not read.
            interruption.end()
            try StandardOutput.print(data)
            return LoadOutcome(delivered: .data, path: nil, isEmpty: data.isEmpty)
        case (.data(let data), .path(let path)):
            // The extension of the name is that of the loaded type, not of the requested type.
            let found = provider.promise.representation(conformingTo: type)?.typeIdentifier ?? type
            let name = ItemName.name(suggested: provider.suggestedName, file: nil, typeIdentifier: found)
            let placed = try Placement.put(
                data, at: path, named: name, replacing: replacement, isCancelled: { interruption.hasHappened })
            say(name, isAt: placed, path)
            return LoadOutcome(delivered: .data, path: placed)
        case (.file(let file), _):
            // The folder is removed explicitly, because the program may end right after this function returns.
            defer { file.folder?.remove() }
            return try place(file, at: destination, replacing: replacement, interruption)
        case (.data, .nowhere):
            throw CommandError("data arrived instead of the requested file")
        }
    }

    private static func place(
        _ file: ArrivedFile, at destination: LoadDestination, replacing replacement: Replacement,
        _ interruption: Interruption
    ) throws -> LoadOutcome {
        switch destination {
        case .path(let path) where file.isInPlace:
            let placed = try Placement.link(to: file.url, at: path, replacing: replacement)
            say(file.url.path.lastPathName, isAt: placed, path)
            return LoadOutcome(delivered: .inPlace, path: placed)
        case .nowhere where file.isInPlace:
            return LoadOutcome(delivered: .inPlace, path: file.url.path)
        case .path(let path):
            let bar = ProgressBar()
            bar.show()
            defer { bar.end() }
            let placed = try Placement.move(
                file.url, to: path, replacing: replacement, report: { bar.report($0) },
                isCancelled: { interruption.hasHappened })
            bar.end()
            say(file.url.path.lastPathName, isAt: placed, path)
            return LoadOutcome(delivered: .copy, path: placed)
        case .nowhere:
            throw CommandError("the item is not available in place, and there is no -o PATH for the copy")
        case .standardOutput:
            throw CommandError("a file arrived instead of the requested data")
        }
    }

    /// Prints the path of an item if the item was stored under a name other than its own.
    private static func say(_ name: String, isAt placed: String, _ path: String) {
        guard placed != Destination(path).path(named: name) else { return }
        StandardError.note("the name \(name) was not free: it is at \(placed)")
    }

    private static func load(
        _ provider: NSItemProvider, type: String, as delivery: Delivery, _ interruption: Interruption
    ) async throws -> Arrival {
        let bar = ProgressBar()
        defer { bar.end() }
        return try await withCheckedThrowingContinuation { continuation in
            let progress = provider.load(type, as: delivery) { continuation.resume(with: $0) }
            interruption.setAction { progress.cancel() }
            bar.show(progress)
        }
    }
}
