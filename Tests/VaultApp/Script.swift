import Foundation
import Glibc
import Purvey
import Synchronization

/// The commands that a test can send. They run concurrently. The reply to each is one line: the command's first word,
/// followed by the result or by `failed DOMAIN CODE MESSAGE`. A space within a word is written as `%20`.
///
///     domains                          `IDENTIFIER=NAME` of each domain, with `+` if hidden, `?` if searchable
///     add IDENTIFIER NAME FOLDER       adds a domain that serves a directory, hidden if the name ends in `-`, and
///                                      searchable if it begins with `?`
///     remove IDENTIFIER                removes a domain: the path of its preserved edits
///     removeall                        removes all domains
///     place                            the provider's identifier, and its document storage
///     signal IDENTIFIER CONTAINER      signals a container
///     flood IDENTIFIER COUNT           sends COUNT signals at once, half of them of unknown containers: the number of
///                                      failures
///     visible IDENTIFIER ITEM          the user-visible path of an item
///     identify PATH                    the item at a user-visible path: `ITEM DOMAIN`
///     download IDENTIFIER ITEM         materializes an item
///     evict IDENTIFIER ITEM            evicts it
///     settle IDENTIFIER ITEM           waits for changes below an item
///     stabilize IDENTIFIER             waits for stabilization
///     disconnect-domain IDENTIFIER REASON | connect-domain IDENTIFIER
///                                      disconnects a domain, or reconnects it
///     list IDENTIFIER SET              the items of a set, `materialized` or `pending`, with `+` if they are local
///     changes IDENTIFIER SET           the set's changes since the last time: `NAME`, `-NAME`
///     notified SET                     the number of notifications of changes in that set since the last time
///     progress IDENTIFIER KIND         `uploading` or `downloading`: `DONE/TOTAL FILES`
///     modify IDENTIFIER ITEM           makes the engine upload the contents as if they had changed
///     read PATH                        reads a file with coordination: its contents
///     metadata PATH                    what is known without the contents: `file`, `placeholder` or `nothing`
///     write PATH TEXT                  changes a file: its former contents
///     replace PATH TEXT                replaces a file: its former contents
///     edit PATH TEXT TEXT              changes a file, the second half after `release`; `editing` comes before that
///     hold PATH                        prints `holding TEXT` and keeps its claim until `release`: the contents then
///     release                          ends the latest `edit` or `hold`
///     wait PATH                        reads as `read`, until `cancel`
///     services PATH                    the names of the services for a file
///     open PATH NAME                   connects to one; when the connection ends, `lost` says how
///     own IDENTIFIER ITEM NAME         connects to one by the item
///     echo TEXT | count NAME | pid | fail KIND | send SIZE | fetch SIZE | many COUNT
///     generic | secret                 calls the service
///     hang                             calls it until `unhang` or the end
///     disconnect                       ends the connection
///     quit                             returns from main
final class Script: Sendable {
    private let files = CoordinatedFiles()
    private let service = ServiceUse()
    private let sets = SetUse()

    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ").map { String($0).removingPercentEncoding ?? "" }
            guard let word = words.first, word != "quit" else { return }
            Task {
                do {
                    Self.say("\(word) \(try await perform(word, Array(words.dropFirst())))")
                } catch {
                    let error = error as NSError
                    Self.say("\(word) failed \(error.domain) \(error.code) \(error.localizedDescription)")
                }
            }
        }
    }

    static func say(_ line: String) {
        let bytes = Array((line.replacingOccurrences(of: "\n", with: " ") + "\n").utf8)
        // A test that has ended no longer reads, so the result is ignored.
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }

    private struct Misunderstanding: Error {}

    private func manager(_ identifier: String) throws -> NSFileProviderManager {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier(rawValue: identifier), displayName: "",
            pathRelativeToDocumentStorage: identifier)
        guard let manager = NSFileProviderManager(for: domain) else { throw Misunderstanding() }
        return manager
    }

    /// Sends all signals at once, without waiting for earlier ones.
    private func flood(_ manager: NSFileProviderManager, _ count: Int) async throws -> Int {
        let failures = Mutex(0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let left = Mutex(count)
            for number in 0..<count {
                let container: NSFileProviderItemIdentifier =
                    number.isMultiple(of: 2) ? .workingSet : .init("\(number)")
                manager.signalEnumerator(for: container) { error in
                    if error != nil { failures.withLock { $0 += 1 } }
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        return failures.withLock { $0 }
    }

    private func perform(_ command: String, _ words: [String]) async throws -> String {
        switch (command, words.count) {
        case ("domains", 0):
            return try await NSFileProviderManager.domains().map { domain in
                let marks = (domain.isHidden ? "+" : "") + (domain.supportsStringSearchRequest ? "?" : "")
                return "\(domain.identifier.rawValue)=\(domain.displayName)\(marks)"
            }.sorted().joined(separator: " ")
        case ("add", 3):
            let domain = NSFileProviderDomain(
                identifier: NSFileProviderDomainIdentifier(rawValue: words[0]), displayName: words[1],
                pathRelativeToDocumentStorage: words[0])
            domain.isHidden = words[1].hasSuffix("-")
            domain.supportsStringSearchRequest = words[1].hasPrefix("?")
            domain.userInfo = ["path": words[2], "greeting": "hello"]
            try await NSFileProviderManager.add(domain)
            return "done"
        case ("remove", 1):
            let domains = try await NSFileProviderManager.domains()
            guard let domain = domains.first(where: { $0.identifier.rawValue == words[0] }) else { return "none" }
            return try await NSFileProviderManager.remove(domain, mode: .preserveDirtyUserData)?.path ?? "nothing"
        case ("removeall", 0):
            try await NSFileProviderManager.removeAllDomains()
            return "done"
        case ("place", 0):
            // Blocks until the daemon has replied.
            let manager = NSFileProviderManager.default
            return "\(manager.providerIdentifier) \(manager.documentStorageURL.path)"
        case ("signal", 2):
            try await manager(words[0]).signalEnumerator(for: NSFileProviderItemIdentifier(words[1]))
            return "done"
        case ("flood", 2): return String(try await flood(manager(words[0]), Int(words[1]) ?? 0))
        case ("visible", 2):
            return try await manager(words[0]).getUserVisibleURL(for: NSFileProviderItemIdentifier(words[1])).path
        case ("identify", 1):
            let (item, domain) = try await NSFileProviderManager.identifierForUserVisibleFile(
                at: URL(fileURLWithPath: words[0]))
            return "\(item.rawValue) \(domain.rawValue)"
        case ("download", 2):
            try await manager(words[0]).requestDownloadForItem(withIdentifier: NSFileProviderItemIdentifier(words[1]))
            return "done"
        case ("settle", 2):
            try await manager(words[0]).waitForChanges(below: NSFileProviderItemIdentifier(words[1]))
            return "done"
        case ("stabilize", 1):
            try await manager(words[0]).waitForStabilization()
            return "done"
        case ("disconnect-domain", 2):
            try await manager(words[0]).disconnect(reason: words[1])
            return "done"
        case ("connect-domain", 1):
            try await manager(words[0]).reconnect()
            return "done"
        case ("evict", 2):
            try await manager(words[0]).evictItem(identifier: NSFileProviderItemIdentifier(words[1]))
            return "done"
        case ("list", 2): return try await sets.list(try manager(words[0]), words[1])
        case ("changes", 2): return try await sets.changes(try manager(words[0]), words[1])
        case ("notified", 1): return await sets.notified(words[0])
        case ("progress", 2): return try await sets.progress(try manager(words[0]), words[1])
        case ("modify", 2):
            try await manager(words[0]).requestModification(
                of: .contents, forItemWithIdentifier: NSFileProviderItemIdentifier(words[1]))
            return "done"
        case ("read", 1): return try await files.read(words[0])
        case ("metadata", 1): return try await files.metadata(words[0])
        case ("write", 2): return try await files.write(words[0], words[1], [])
        case ("replace", 2): return try await files.write(words[0], words[1], .forReplacing)
        case ("edit", 3): return try await files.edit(words[0], words[1], words[2])
        case ("hold", 1): return try await files.hold(words[0])
        case ("release", 0): return files.release()
        case ("wait", 1): return try await files.wait(words[0])
        case ("cancel", 0): return files.cancel()
        default:
            guard let answer = try await service.perform(command, words) else { throw Misunderstanding() }
            return answer
        }
    }
}
