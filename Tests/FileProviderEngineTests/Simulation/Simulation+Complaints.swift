import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import ProviderTesting

/// The verdict on the final state.
extension Simulation {
    /// Whether another client changed or removed an item in which the word arrived. If the engine sent no delete
    /// request for a missing item, another client removed it.
    private func isOthers(_ word: String) -> Bool {
        arrivals.isOthers(word)
            || arrivals.items(of: word).contains { provider.item(ofKey: $0) == nil && !provider.wasDeleted(key: $0) }
    }

    /// Returns all violations of the rules, in sentences.
    func complaints() async throws -> [String] {
        var complaints = removals.complaints
        if let stuck { complaints += ["it does not come to rest"] + stuck.map { "  \($0)" } }
        let there = provider.exactTree
        // If another client gave one name to two items at once, the trees cannot be equal.
        if there.keys.contains(where: { $0.string.contains(" (item-") }) { return [] }
        let status = try await engine.doing { try $0.editStatus() }
        for item in status.items { complaints.append("\(item.name) was not sent: \(item)") }
        let here = (try? await tree()) ?? [:]
        for path in Set(here.keys).union(there.keys).sorted() where here[path] != there[path] {
            complaints.append("\(path.string): here \(here[path] ?? "nothing"), there \(there[path] ?? "nothing")")
        }
        var paths: [String: [String]] = [:]
        for (path, text) in there where text.hasPrefix("word") { paths[text, default: []].append(path.string) }
        for word in promised.keys.sorted() where paths[word] == nil && !isOthers(word) {
            complaints.append("lost: \(word)")
        }
        for (word, paths) in paths where paths.count > 1 && !renamed.contains(word) {
            complaints.append("\(word) is in \(paths)")
        }
        guard !complaints.isEmpty else { return [] }
        for (path, row) in try items() {
            let said = "\(row.item.identifier), there \(row.item.filename) in \(row.item.parent)"
            complaints.append("  \(path) is \(row.number.rawValue), \(said), changed \(row.changes.rawValue)")
        }
        return complaints
    }
}
