import DomainMessages
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem

/// The known items of running domains. Converts between paths and items without a request to a provider.
struct KnownItems: Sendable {
    struct Domain: Sendable {
        let name: String
        let domain: RunningDomain
        /// The actual mount point, or the standard mount point if the domain is not mounted.
        let path: String
        /// The standard mount point. Paths beneath it are recognized, too.
        let otherPath: String
    }

    /// An item with its domain and path.
    struct Found: Sendable {
        let path: String
        var domain: Domain?
        var item: IndexedItem?
    }

    let domains: [Domain]

    var rootPaths: [String] { domains.map(\.path) }

    // MARK: Places

    func standings(of places: [ItemPlace]) async throws -> [ItemStanding] {
        let found = try await HandlerThreads.shared.value(of: { () throws in
            var finder = PlaceFinder(domains)
            // An index that cannot be read affects only its own domain.
            return places.map { place in (try? finder.find(place)) ?? Found(path: place.text) }
        })
        return await Self.standings(of: found)
    }

    /// Returns the states of found items. Requests the upload states of edited items from the engines, because the
    /// index does not have them.
    private static func standings(of found: [Found]) async -> [ItemStanding] {
        var edited: [String: (domain: RunningDomain, numbers: [ItemNumber])] = [:]
        for found in found {
            guard let domain = found.domain, let item = found.item, !item.isUploaded else { continue }
            edited[domain.name, default: (domain.domain, [])].numbers.append(item.number)
        }
        var edits: [String: [ItemNumber: EditStatus.Item]] = [:]
        for (name, (domain, numbers)) in edited {
            edits[name] = try? await domain.engine.run { try $0.progress.editStatus(of: numbers) }
        }
        return found.map { found in
            let edit = found.domain.flatMap { domain in found.item.flatMap { edits[domain.name]?[$0.number] } }
            return ItemStanding(
                path: found.path, domain: found.domain?.name, item: found.item.map { ItemDescription($0, edit) })
        }
    }

    // MARK: News

    /// The maximum number of items looked up per domain and batch. If there are more, the whole domain is reported as
    /// changed.
    private static let mostLookups = 4096
    /// The maximum number of items reported in one directory. If there are more, the directory is reported instead.
    private static let mostInFolder = 256
    /// The maximum number of items reported in total. If there are more, their directories are reported instead.
    private static let most = 1024
    /// The maximum number of directories reported in one domain. If there are more, the domain is reported instead.
    private static let mostFolders = 64

    /// Combines recorded state changes into one reply.
    func news(of batch: StateChangeLog.Batch) async throws -> FollowStatesCall.Reply {
        var subjects: [String: [StateChangeLog.Subject]] = [:]
        var isDomainDifferent = false
        for entry in batch.entries {
            if entry.subject == .domain {
                isDomainDifferent = true
            } else {
                subjects[entry.domain, default: []].append(entry.subject)
            }
        }
        let (found, folders, isAnyGone) = try await HandlerThreads.shared.value(of: { [subjects] () throws in
            var found: [Found] = []
            var folders: [String] = []
            var isAnyGone = false
            for domain in domains {
                let identifier = domain.domain.identifier
                if batch.incomplete.contains(identifier) {
                    folders.append(domain.path)
                } else if let subjects = subjects[identifier] {
                    guard let told = try? Self.news(of: subjects, in: domain, room: Self.most - found.count) else {
                        folders.append(domain.path)
                        continue
                    }
                    found += told.found
                    folders += told.folders
                    isAnyGone = isAnyGone || told.isAnyGone
                }
            }
            return (found, folders, isAnyGone)
        })
        // The end of an upload changes the number of uploads in the domain's status, even if the item no longer exists.
        isDomainDifferent = isDomainDifferent || isAnyGone || !found.isEmpty || !folders.isEmpty
        return FollowStatesCall.Reply(
            position: batch.position, areDomainsDifferent: isDomainDifferent,
            standings: await Self.standings(of: found), folders: folders)
    }

    /// Returns the changed items and directories of one domain, and whether any item whose state has changed no longer
    /// exists.
    ///
    /// - Parameter room: The maximum number of items.
    private static func news(
        of subjects: [StateChangeLog.Subject], in domain: Domain, room: Int
    ) throws(IndexError) -> (found: [Found], folders: [String], isAnyGone: Bool) {
        var numbers: Set<ItemNumber> = []
        var names: Set<NameInFolder> = []
        for subject in subjects {
            switch subject {
            case .item(let number): numbers.insert(number)
            case .gone(let parent, let name): names.insert(NameInFolder(folder: parent, name: name))
            case .domain: break
            }
        }
        guard numbers.count + names.count <= mostLookups else { return ([], [domain.path], true) }
        let index = domain.domain.engine.index
        var byFolder: [ItemNumber: [Found]] = [:]
        var paths = FolderPaths(index, root: domain.path)
        var isAnyGone = false
        for number in numbers.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let item = try index.item(number), let path = try paths.path(of: item) else {
                isAnyGone = true
                continue
            }
            names.remove(NameInFolder(folder: item.parent, name: ExactText(item.name)))
            byFolder[item.parent, default: []].append(Found(path: path, domain: domain, item: item))
        }
        for place in names {
            guard let path = try paths.path(of: place.folder) else { continue }
            // Another item may have the name by now.
            let item = try index.item(named: place.name.string, in: place.folder)
            let found = Found(path: path + "/" + place.name.string, domain: domain, item: item)
            byFolder[place.folder, default: []].append(found)
        }
        var found: [Found] = []
        var folders: [String] = []
        for (folder, items) in byFolder.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if items.count <= mostInFolder, found.count + items.count <= room {
                found += items
            } else if let path = try paths.path(of: folder) {
                folders.append(path)
            }
        }
        return (found, folders.count > mostFolders ? [domain.path] : folders, isAnyGone)
    }

    private struct NameInFolder: Hashable {
        let folder: ItemNumber
        let name: ExactText
    }
}

extension Index {
    /// Returns the names of an item's directories, from the root on, and the item's own name. Empty for the root.
    func names(onTheWayTo item: IndexedItem) throws(IndexError) -> [String] {
        if item.number == .root { return [] }
        var names = [item.name]
        var parent = item.parent
        while parent != .root, names.count < IndexedItem.mostAncestors, let folder = try itemEvenIfDeleted(parent) {
            names.insert(folder.name, at: 0)
            parent = folder.parent
        }
        return names
    }
}
