import FileProvider
import FileProviderEngine
import ItemValues
import ProviderTesting

/// Changes at the provider by other clients.
extension Simulation {
    /// Makes a random change at the provider on behalf of another client.
    func otherClient() {
        let tree = provider.exactTree
        guard let place = tree.keys.sorted().randomElement(using: &generator),
            let identifier = provider.identifier(at: place.string)
        else { return }
        let (path, isFolder) = (place.string, tree[place] == "/")
        let name = names.randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            guard !isFolder else { return addNewFile(name, in: identifier) }
            overtakeForOthers(identifier)
            story.tell("they write \(path)")
            provider.write(word(), to: identifier)
        case 2: addNewFile(name, in: ProviderItem.rootIdentifier)
        case 3:
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            guard provider.identifier(at: parent.isEmpty ? name : "\(parent)/\(name)") == nil else { return }
            story.tell("they rename \(path) to \(name)")
            // An item whose reply was lost is not found again under a name that another client gave it, and is
            // created twice. If identifiers are paths, the same holds for the items in a renamed directory.
            for (other, text) in tree where other == place || other.string.hasPrefix(path + "/") {
                renamed.insert(text)
                if let identifier = provider.identifier(at: other.string) { arrivals.noteUse(identifier) }
            }
            provider.rename(identifier, to: name)
        case 4:
            story.tell("they remove \(path)")
            for other in tree.keys where other == place || other.string.hasPrefix(path + "/") {
                guard let identifier = provider.identifier(at: other.string) else { continue }
                overtakeForOthers(identifier)
            }
            provider.remove(identifier)
        default:
            let folder = folderNames.randomElement(using: &generator) ?? "f"
            guard provider.identifier(at: folder) == nil else { return }
            story.tell("they make folder \(folder)")
            provider.addFolder(folder)
        }
    }

    private func addNewFile(_ name: String, in folder: String) {
        guard provider.exactTree.count < 40, let path = path(of: folder), provider.identifier(at: path + name) == nil
        else {
            return
        }
        story.tell("they add \(path)\(name)")
        arrivals.noteUse(folder)
        addFile(name, in: folder)
    }

    private func path(of folder: String) -> String? {
        if folder == ProviderItem.rootIdentifier { return "" }
        return provider.exactTree.keys.first { path in
            provider.identifier(at: path.string)?.hasSameBytes(as: folder) == true
        }.map { $0.string + "/" }
    }

    private func overtakeForOthers(_ identifier: String) {
        guard let item = provider.item(of: identifier) else { return }
        overtake(item)
        arrivals.noteOthers(item)
    }

    /// Records that another client may change an item from now on. The contents that arrived in the item are no longer
    /// promised.
    func overtake(_ item: ProviderItem) {
        let key = provider.key(of: item)
        arrivals.touch(key)
        guard let now = provider.item(ofKey: key), let bytes = provider.bytes(of: now.identifier) else { return }
        promised[String(decoding: bytes, as: UTF8.self)] = nil
    }
}
