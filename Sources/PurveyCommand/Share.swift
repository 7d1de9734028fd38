import AppExtension
import Exchange
import ExtensionHost
import Foundation
import ItemProvider
import LinuxSystem

extension Command {
    static let share = Command(
        name: "share", summary: "hand files to a share or action extension, and print what it returns",
        usage: ["FILE… --with EXTENSION [-o DIR]", "FILE… --list"],
        options: [
            .value("with", "EXTENSION", "the extension's identifier or name"),
            .flag("list", "print which extensions accept the files"),
            .value("o", "DIR", "keep what it returns in this folder"),
        ]
    ) { arguments in
        guard !arguments.operands.isEmpty else { throw UsageError("a FILE is missing") }
        guard arguments.has("list") != (arguments.value("with") != nil) else {
            throw UsageError("either --with EXTENSION or --list")
        }
        let providers = try providers(arguments.operands)
        let rule = [ActivationRule.Item(attachments: providers.map(\.registeredTypeIdentifiers))]
        let library = ExtensionLibrary(data: Locations.current.data)
        guard let wanted = arguments.value("with") else {
            for bundle in library.all where bundle.accepts(rule) {
                try StandardOutput.print("\(bundle.identifier)  \(OneLine.text(bundle.name))\n")
            }
            return
        }
        let bundle: ExtensionBundle
        do { bundle = try library.find(wanted) } catch { throw CommandError("\(error)") }
        guard bundle.accepts(rule) else { throw CommandError("\(bundle.identifier) does not accept these items") }
        try await hand(arguments.operands, to: bundle, keepingIn: arguments.value("o"))
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

    private static func hand(
        _ files: [String], to bundle: ExtensionBundle, keepingIn folder: String?
    ) async throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let socket = theirs.descriptor
        let ending = Task {
            try await ExchangeClient.shared.call(
                RunExtensionCall(identifier: bundle.identifier, socket: socket))
        }
        let connection = try ExtensionConnection(ours.descriptor)
        let returned: [NSExtensionItem]
        do {
            returned = try await connection.request(try items(files))
        } catch ExtensionError.ended {
            throw CommandError(OneLine.text(try await ending.value.sentence))
        } catch {
            throw CommandError("\(bundle.identifier): \(OneLine.text(error.line))")
        }
        for item in returned {
            if let text = item.attributedContentText?.string { try StandardOutput.print(OneLine.text(text) + "\n") }
            for attachment in item.attachments ?? [] {
                let type = attachment.registeredTypeIdentifiers.first ?? "no type"
                let name = attachment.suggestedName ?? "unnamed"
                try StandardOutput.print("\(OneLine.text(name))  \(OneLine.text(type))\n")
                if let folder { _ = try await ItemLoad.run(attachment, type: nil, as: .copy, to: .path(folder)) }
            }
        }
        connection.close()
    }
}
