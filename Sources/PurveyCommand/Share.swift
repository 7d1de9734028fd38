import AppExtension
import Exchange
import ExtensionHost
import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

extension Command {
    static let share = Command(
        name: "share", summary: "pass files to a share or action extension, and print its result",
        usage: ["FILE… --with EXTENSION [-o DIR] [--json]", "FILE… --list [--json]"],
        options: [
            .value("with", "EXTENSION", "the extension's identifier or name"),
            .flag("list", "print which extensions accept the files"),
            .value("o", "DIR", "save the returned items in this folder"),
            .flag("json", "print JSON"),
        ],
        discussion: """
            The extension receives the files as open files when it loads them, and can open nothing else of yours. The
            output is the returned text, and for each returned item its name, its type, and its size in bytes or its
            URL. With -o, the output has the path of the saved file. No existing file is replaced.
            """
    ) { arguments in
        guard !arguments.operands.isEmpty else { throw UsageError("a FILE is missing") }
        switch (arguments.has("list"), arguments.has("with")) {
        case (false, false): throw UsageError("--with EXTENSION or --list is missing")
        case (true, true): throw UsageError("--list cannot be used with --with")
        default: break
        }
        let providers = try providers(arguments.operands)
        let rule = [ActivationRule.Item(attachments: providers.map(\.registeredTypeIdentifiers))]
        let library = ExtensionLibrary(data: try Locations.current().data)
        guard let wanted = arguments.value("with") else {
            let accepting = library.all.filter { $0.accepts(rule) }
            defer { library.faults.forEach { StandardError.complain("share: \(OneLine.text($0))") } }
            if arguments.has("json") { return try JSONOutput.print(accepting.map(\.identifier)) }
            if accepting.isEmpty { StandardError.note("no installed extension accepts these items") }
            for bundle in accepting {
                try StandardOutput.print("\(bundle.identifier)  \(OneLine.text(bundle.name))\n")
            }
            return
        }
        let bundle: ExtensionBundle
        do { bundle = try library.find(wanted) } catch { throw CommandError("\(error)") }
        guard bundle.accepts(rule) else { throw CommandError("\(bundle.identifier) does not accept these items") }
        // The directory is checked before the extension is started.
        if let folder = arguments.value("o") { try Destination.check(folder: folder) }
        let returned = try await hand(arguments.operands, to: bundle, keepingIn: arguments.value("o"))
        if arguments.has("json") { return try JSONOutput.print(returned) }
        if returned.allSatisfy({ $0.text == nil && $0.attachments.isEmpty }) {
            StandardError.note("\(bundle.identifier) returned nothing")
        }
        for item in returned {
            if let text = item.text { try StandardOutput.print(OneLine.text(text) + "\n") }
            for attachment in item.attachments { try StandardOutput.print(attachment.line + "\n") }
        }
    }

    private static func providers(_ files: [String]) throws -> [NSItemProvider] {
        try files.map { path in
            let file = try ItemArgument.file(path)
            return NSItemProvider(contentsOf: file, contentType: try ItemArgument.type(of: file), openInPlace: false)
        }
    }

    private static func items(_ files: [String]) throws -> sending [NSExtensionItem] {
        let item = NSExtensionItem()
        item.attachments = try providers(files)
        return [item]
    }

    /// Makes the daemon start an extension.
    ///
    /// Only the returned task has the extension's end of the socket open, until the extension has ended or could not be
    /// started. With another open copy of that end in this process, this process would not be notified when the
    /// extension closes its end.
    private static func start(
        _ bundle: ExtensionBundle
    ) throws -> (connection: ExtensionConnection, ending: Task<ExtensionEnding, any Error>) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let connection = try ExtensionConnection(ours.descriptor)
        let socket = theirs.descriptor
        let ending = Task {
            try await ExchangeClient.shared.call(
                RunExtensionCall(identifier: bundle.identifier, socket: socket))
        }
        return (connection, ending)
    }

    private static func hand(
        _ files: [String], to bundle: ExtensionBundle, keepingIn folder: String?
    ) async throws -> [ReturnedItem] {
        let (connection, ending) = try start(bundle)
        let returned: [NSExtensionItem]
        // If the daemon, which started the extension, ends first, nothing supervises the extension. Therefore the
        // connection is closed.
        let watch = Task { if case .failure = await ending.result { connection.close() } }
        defer { watch.cancel() }
        do {
            returned = try await connection.request(try items(files))
        } catch ExtensionError.ended {
            let reason: String
            do { reason = try await ending.value.sentence } catch { reason = error.line }
            throw CommandError("\(bundle.identifier): \(OneLine.text(reason))")
        } catch {
            let isRefused = !bundle.usesNetwork && NetworkRefusal.mayBe(error)
            let line = isRefused ? NetworkRefusal.explained(error.line) : error.line
            throw CommandError("\(bundle.identifier): \(OneLine.text(line))")
        }
        // The attachments can be loaded until the connection is closed.
        defer { connection.close() }
        var results: [ReturnedItem] = []
        for item in returned {
            var attachments: [ReturnedAttachment] = []
            for provider in item.attachments ?? [] {
                attachments.append(try await ReturnedAttachment(provider, keepingIn: folder))
            }
            results.append(ReturnedItem(text: item.attributedContentText?.string, attachments: attachments))
        }
        return results
    }
}

/// An item that an extension returned, as `purvey share` prints it.
private struct ReturnedItem: Encodable {
    let text: String?
    let attachments: [ReturnedAttachment]
}

private struct ReturnedAttachment: Encodable {
    let name: String?
    let types: [String]
    /// The URL, if the attachment is a URL.
    var url: String?
    /// The size in bytes, if the attachment is data or a file.
    var size: Int?
    /// The path at which the attachment was stored.
    var path: String?

    init(_ provider: NSItemProvider, keepingIn folder: String?) async throws {
        name = provider.suggestedName
        types = provider.registeredTypeIdentifiers
        guard let type = types.first else { return }
        if provider.hasItemConformingToTypeIdentifier(UTType.url.identifier),
            let link = try? await provider.loadObject(ofClass: URL.self)
        {
            url = link.absoluteString
            return
        }
        do {
            (size, path) = try await provider.loadFileRepresentation(forTypeIdentifier: type) { file, _ in
                let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
                guard let folder else { return (size, nil) }
                return (size, try Placement.keep(file, in: folder))
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("\(OneLine.text(name ?? type)) cannot be loaded: \(OneLine.text(error.line))")
        }
    }

    var line: String {
        let measure = url ?? size.map { "\($0) bytes" } ?? "nothing"
        return [name ?? "unnamed", types.first ?? "no type", measure, path].compactMap { $0 }
            .map { OneLine.text($0) }.joined(separator: "  ")
    }
}
