import Exchange
import Foundation
import ItemProvider
import Synchronization
import UniformTypeIdentifiers

extension Command {
    static let offer = Command(
        name: "offer", summary: "offer files to other processes, until this command ends",
        usage: [
            "[--board B] [--name N] [--in-place] [--visibility V] [--once] [--json] FILE…",
            "[--board B] [--name N] [--in-place] [--visibility V] [--once] [--json] --as TYPE=FILE…",
        ],
        options: [
            .value("board", "BOARD", "the board that has them (shelf)"),
            .value("name", "NAME", "the item's name, instead of the file's name"),
            .flag("in-place", "give other programs the file itself instead of a copy"),
            .value("visibility", "all|team|group|process", "the programs that may load them (all)"),
            .value("as", "TYPE=FILE", "a representation of one item; the best one comes first"),
            .flag("once", "end after the first load"),
            .flag("json", "print JSON, one line for each item"),
        ],
        discussion: """
            Prints the identifier of each item on a line of its own, then serves the items until it is interrupted.
            Files are not read before a program loads them.
            """
    ) { arguments in
        let visibility = try OfferArguments.visibility(arguments.value("visibility"))
        let inPlace = arguments.has("in-place")
        let providers = try OfferArguments.providers(arguments, visibility: visibility, inPlace: inPlace)
        let board = try ItemArgument.board(arguments)

        let ending = Ending(isOnce: arguments.has("once"))
        var offers: [Offer] = []
        for provider in providers {
            offers.append(try await board.offer(provider) { succeeded in ending.loaded(succeeded) })
        }
        // Signals are watched before the identifiers are printed, because a program may end this process with a signal
        // as soon as it has read an identifier.
        let interruption = await Interruption()
        for (provider, offer) in zip(providers, offers) {
            if arguments.has("json") {
                let offered = OfferedItem(
                    identifier: offer.identifier.uuidString, name: provider.suggestedName,
                    types: provider.registeredTypeIdentifiers)
                try JSONOutput.print(offered, onOneLine: true)
            } else {
                try StandardOutput.print(offer.identifier.uuidString + "\n")
            }
        }
        await ending.wait(interruption)
        for offer in offers { await offer.withdraw() }
    }
}

/// An item in the JSON of `purvey offer`.
private struct OfferedItem: Encodable {
    let identifier: String
    let name: String?
    /// The types in order of fidelity.
    let types: [String]
}

/// The arguments of `purvey offer` that need validation.
private enum OfferArguments {
    static func visibility(_ text: String?) throws -> NSItemProviderRepresentationVisibility {
        switch text {
        case nil, "all": return .all
        case "team": return .team
        case "group": return .group
        case "process": return .ownProcess
        case let text?:
            let known = ["all", "team", "group", "process"]
            throw UsageError(about: text, "--visibility cannot be '\(text)'", known: known, listing: true)
        }
    }

    static func providers(
        _ arguments: Arguments, visibility: NSItemProviderRepresentationVisibility, inPlace: Bool
    ) throws -> [NSItemProvider] {
        let representations = arguments.values("as")
        guard !representations.isEmpty else {
            guard !arguments.operands.isEmpty else { throw UsageError("name the files to offer") }
            return try arguments.operands.map { path in
                let file = try ItemArgument.file(path)
                let provider = NSItemProvider(
                    contentsOf: file, contentType: try ItemArgument.type(of: file), openInPlace: inPlace,
                    visibility: visibility)
                if let name = arguments.value("name") { provider.suggestedName = name }
                return provider
            }
        }
        guard arguments.operands.isEmpty else {
            throw UsageError("with --as every file belongs to a type: '\(arguments.operands[0])' has none")
        }
        let provider = NSItemProvider()
        provider.suggestedName = arguments.value("name")
        for representation in representations {
            guard let equals = representation.firstIndex(of: "=") else {
                throw UsageError("--as takes TYPE=FILE, not '\(representation)'")
            }
            let type = try ItemArgument.typeIdentifier(String(representation[..<equals]))
            let file = try ItemArgument.file(String(representation[representation.index(after: equals)...]))
            guard !provider.registeredTypeIdentifiers.contains(type) else {
                throw UsageError("the type \(type) is given twice")
            }
            provider.registerFileRepresentation(
                forTypeIdentifier: type, fileOptions: inPlace ? .openInPlace : [], visibility: visibility
            ) { completion in
                completion(file, false, nil)
                return nil
            }
        }
        return [provider]
    }
}

/// The event that ends `purvey offer`: a signal, or the first successful load with `--once`.
private final class Ending: Sendable {
    private struct State {
        var hasEnded = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let isOnce: Bool
    private let state = Mutex(State())

    init(isOnce: Bool) { self.isOnce = isOnce }

    /// Records that a load has completed, successfully or not.
    func loaded(_ succeeded: Bool) {
        if isOnce && succeeded { end() }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume()
    }

    func wait(_ interruption: Interruption) async {
        interruption.setAction { self.end() }
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.continuation = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
        interruption.end()
    }
}
