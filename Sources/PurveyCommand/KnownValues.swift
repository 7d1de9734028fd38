import AppExtension
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileCoordination
import Foundation
import ItemValues
import LinuxSystem
import ProgramManuals

/// The completions of values that are not part of the command line's description: the names of domains, of items and of
/// extensions.
///
/// Completing a word has no effects: it starts no daemon, and does not make the shell wait for a daemon that does not
/// reply.
enum KnownValues {
    /// The maximum time that a shell waits for the daemon.
    private static let patience = Duration.seconds(2)

    /// Prints the completions of the last of the given words, for the completion script of a shell.
    static func complete(_ words: [String]) async throws {
        var completion = Completion(of: words, for: Help.manual)
        let (values, prefix) = (completion.values, completion.prefix)
        if let locations = try? Locations.current(), !values.isEmpty {
            if values.contains(.extension) { completion.add(extensions(locations)) }
            if answers(locations.socket) {
                let found = await withDeadline { await known(values, prefix) }
                completion.add(found ?? [])
            }
        }
        try StandardOutput.print(completion.text())
    }

    /// Whether a daemon listens at the given path.
    private static func answers(_ path: String) -> Bool {
        guard let address = try? LocalSocketAddress(path: path) else { return false }
        return (try? SequencedPacketSocket.connect(to: address)) != nil
    }

    private static func extensions(_ locations: Locations) -> [Completion.Candidate] {
        ExtensionLibrary(data: locations.data).all.flatMap { bundle in
            [bundle.shortName, bundle.identifier].compactMap { $0 }.map { Completion.Candidate($0, bundle.name) }
        }
    }

    private static func known(_ values: [Completion.Value], _ prefix: String) async -> [Completion.Candidate] {
        let wantsItems = values.contains(.item)
        if wantsItems, let colon = prefix.firstColon {
            // The path up to the last slash is a folder, and its items complete the rest.
            let end = prefix.utf8.index(after: prefix.lastSlash ?? colon)
            let folder = String(prefix[..<end])
            let place = ItemPlace(text: folder, path: DomainClient.absolute(folder))
            guard let part = try? await DomainClient.call(ListFolderCall(place: place, position: nil)) else {
                return []
            }
            return part.items.map { item in
                Completion.Candidate(folder + item.name + (item.kind == .folder ? "/" : ""), item.state.word)
            }
        }
        guard wantsItems || values.contains(.domain),
            let domains = try? await DomainClient.call(ListDomainsCall()).domains
        else { return [] }
        return domains.map { Completion.Candidate($0.name + (wantsItems ? ":" : ""), $0.provider) }
    }

    private static func withDeadline<T: Sendable>(_ body: @escaping @Sendable () async -> T) async -> T? {
        await withTaskGroup(of: T?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
