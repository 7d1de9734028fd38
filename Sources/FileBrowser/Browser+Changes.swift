import DomainMessages
import FileProvider
import LinuxSystem

/// The user's changes of files.
extension Browser {
    // MARK: Folders and names

    /// Whether the current location can receive new items.
    package var canAdd: Bool { currentFolder != nil }

    /// The path of the current folder in its mount; `nil` if there is none.
    package var currentFolder: String? {
        guard case .folder(let domain, let path) = location, let mount = mount(of: domain) else { return nil }
        return path.isEmpty ? mount : mount + "/" + path
    }

    static let unmounted = BrowserError("The domain is not mounted, so nothing can be changed in it")

    /// Creates a folder in the current folder, and lets the user change the new folder's name.
    package func makeFolder() {
        attempt { browser throws(BrowserError) in
            guard let folder = browser.currentFolder, case .folder(let domain, let path) = browser.location else {
                throw Self.unmounted
            }
            try await browser.confirm(
                FindAlertsCall(.create, destination: Self.place(of: path, in: domain), name: "New Folder"))
            let name = try await FileWork.makeFolder(named: "New Folder", in: folder)
            let id = BrowserItem.ID(domain: domain, path: path.isEmpty ? name : path + "/" + name)
            await browser.readItem(id)
            browser.whenNaming(id)
        }
    }

    /// Returns the reason why an item cannot have the given name, or `nil` if it can.
    package nonisolated static func fault(ofName name: String) -> String? {
        if name.isEmpty { return "A name is needed." }
        if name == "." || name == ".." { return "“\(name)” cannot be a name." }
        if name.utf8.contains(UInt8(ascii: "/")) { return "A name cannot contain “/”." }
        if name.utf8.count > 255 { return "The name is too long." }
        return nil
    }

    /// Renames an item. The listing shows the new name at once.
    package func rename(_ item: BrowserItem, to name: String) {
        guard !name.utf8.elementsEqual(item.name.utf8) else { return }
        attempt { browser throws(BrowserError) in
            if let fault = Self.fault(ofName: name) { throw BrowserError(fault) }
            guard let path = item.mountedPath, let mount = item.mount else { throw Self.unmounted }
            try await browser.confirm(FindAlertsCall(.rename, items: [item.place], name: name))
            let newPath = mount + "/" + (item.folder.isEmpty ? name : item.folder + "/" + name)
            try await FileWork.move(path, to: newPath)
            browser.listing.remove(item.id)
            var renamed = item
            renamed.description.name = name
            if browser.location == .folder(domain: item.domain, path: item.folder) {
                browser.listing.set(renamed)
                browser.whenPlaced(renamed.id)
            }
            browser.done("Renamed to “\(name)”", .moved([(path, newPath)]))
        }
    }

    /// Reads one item, and shows it if it belongs to the current folder.
    func readItem(_ id: BrowserItem.ID) async {
        guard case .folder(let domain, let path) = location, domain == id.domain, path == id.path.parentPath,
            let item = try? await daemon.call(
                DescribeItemCall(place: ItemPlace(text: id.domain + ":" + id.path, path: "")))
        else { return }
        listing.set(BrowserItem(domain: domain, folder: path, mount: mount(of: domain), description: item))
    }

    // MARK: Trash

    /// Whether an operation of the user is removing an item from the listing.
    package func isRemoving(_ item: BrowserItem) -> Bool { leaving.contains(item.id) }

    /// Moves items to the trash of their service. ``undo()`` restores them.
    package func trash(_ items: [BrowserItem]) {
        guard !items.isEmpty else { return }
        attempt { browser throws(BrowserError) in
            try await browser.confirm(FindAlertsCall(.trash, items: items.map(\.place)))
            browser.leaving.formUnion(items.map(\.id))
            defer { browser.leaving.subtract(items.map(\.id)) }
            var trashed: [BrowserItem] = []
            defer {
                if !trashed.isEmpty {
                    browser.done("\(Self.words(for: trashed)) moved to the trash", .trashed(trashed))
                }
            }
            for item in items {
                _ = try await browser.daemon.call(TrashItemCall(place: item.place))
                browser.listing.remove(item.id)
                trashed.append(item)
            }
        }
    }

    /// Restores items from the trash to their former folders.
    package func restore(_ items: [BrowserItem]) {
        attempt { browser throws(BrowserError) in
            browser.leaving.formUnion(items.map(\.id))
            defer { browser.leaving.subtract(items.map(\.id)) }
            for item in items {
                _ = try await browser.daemon.call(
                    UntrashItemCall(domain: item.domain, item: item.description.identifier))
                browser.listing.remove(item.id)
            }
            browser.whenDone("\(Self.words(for: items)) restored", false)
        }
    }

    /// Deletes items of the trash permanently.
    package func deleteForever(_ items: [BrowserItem]) {
        attempt { browser throws(BrowserError) in
            try await browser.confirm(
                FindAlertsCall(
                    .delete,
                    deletions: items.map { EmptyTrashCall(domain: $0.domain, item: $0.description.identifier) }))
            browser.leaving.formUnion(items.map(\.id))
            defer { browser.leaving.subtract(items.map(\.id)) }
            for item in items {
                _ = try await browser.daemon.call(
                    EmptyTrashCall(domain: item.domain, item: item.description.identifier))
                browser.listing.remove(item.id)
            }
        }
    }

    // MARK: Copies

    package func copy(_ items: [BrowserItem], isCut: Bool) {
        guard !items.isEmpty else { return }
        clipboard = Clipboard(items: items, isCut: isCut)
        whenChanged(.clipboard)
    }

    /// Moves or copies the items of the window's clipboard into the current folder.
    package func paste() {
        guard let clipboard, case .folder(let domain, let path) = location, let mount = mount(of: domain),
            let folder = currentFolder
        else { return }
        if clipboard.isCut {
            self.clipboard = nil
            whenChanged(.clipboard)
        }
        let isMove = clipboard.isCut && clipboard.items.allSatisfy { $0.mount == mount }
        if isMove { return move(clipboard.items, to: .folder(domain: domain, path: path)) }
        let job = Job("Copying \(Self.words(for: clipboard.items)) to \(location.title)")
        run(job) { browser, job throws(BrowserError) in
            try await browser.confirm(clipboard.isCut ? .move : .copy, clipboard.items, to: path, in: domain)
            for item in clipboard.items {
                guard let source = item.mountedPath else { throw Self.unmounted }
                let name = try await FileWork.copy(source, into: folder, progress: job.reporter)
                let id = BrowserItem.ID(domain: domain, path: path.isEmpty ? name : path + "/" + name)
                await browser.readItem(id)
                browser.whenPlaced(id)
                if clipboard.isCut { _ = try await browser.daemon.call(TrashItemCall(place: item.place)) }
            }
            browser.whenDone("\(Self.words(for: clipboard.items)) copied", false)
        }
    }

    /// Copies items of the current folder into the same folder, under names that are not taken.
    package func duplicate(_ items: [BrowserItem]) {
        let former = clipboard
        copy(items, isCut: false)
        paste()
        clipboard = former
        whenChanged(.clipboard)
    }

    /// Moves items to a folder of their mount.
    package func move(_ items: [BrowserItem], to target: Location) {
        guard case .folder(let domain, let path) = target, let mount = mount(of: domain) else { return }
        let folder = path.isEmpty ? mount : mount + "/" + path
        attempt { browser throws(BrowserError) in
            let others = items.filter { $0.folder != path || $0.domain != domain }
            try await browser.confirm(.move, others, to: path, in: domain)
            var moved: [BrowserItem] = []
            var moves: [(from: String, to: String)] = []
            defer {
                if !moves.isEmpty { browser.done("\(Self.words(for: moved)) moved to \(target.title)", .moved(moves)) }
            }
            for item in others {
                guard let source = item.mountedPath else { throw Self.unmounted }
                let newPath = folder + "/" + item.name
                try await FileWork.move(source, to: newPath)
                moved.append(item)
                moves.append((source, newPath))
                browser.listing.remove(item.id)
                await browser.readItem(
                    BrowserItem.ID(domain: domain, path: path.isEmpty ? item.name : path + "/" + item.name))
            }
        }
    }

    // MARK: Undo

    package var canUndo: Bool { !undoStack.isEmpty }

    func done(_ text: String, _ step: UndoStep) {
        undoStack.append(step)
        whenDone(text, true)
    }

    /// Reverts the last change.
    package func undo() {
        guard let step = undoStack.popLast() else { return }
        attempt { browser throws(BrowserError) in
            try await browser.takeBack(step)
            browser.loadAgain()
        }
    }

    private func takeBack(_ step: UndoStep) async throws(BrowserError) {
        switch step {
        case .trashed(let items):
            for item in items { try await untrash(item) }
        case .moved(let moves):
            for move in moves.reversed() { try await FileWork.move(move.to, to: move.from) }
        case .several(let steps):
            for step in steps.reversed() {
                if case .trashed(let items) = step {
                    for item in items { try await untrash(item, afterMove: true) }
                } else {
                    try await takeBack(step)
                }
            }
        }
    }

    private static let attempts = 50
    private static let attemptsAfterMove = 300

    /// Restores an item from the trash. Retries if the trash does not have the item yet, because moves to the trash are
    /// sent to the service in the background.
    ///
    /// - Parameter afterMove: whether another item was just moved away from the item's path. This move is also sent in
    ///   the background, and the service refuses to restore the item until it has received the move.
    private func untrash(_ item: BrowserItem, afterMove: Bool = false) async throws(BrowserError) {
        var attempt = 1
        let attempts = afterMove ? Self.attemptsAfterMove : Self.attempts
        while true {
            do throws(BrowserError) {
                _ = try await daemon.call(
                    UntrashItemCall(domain: item.domain, item: item.description.identifier))
                await readItem(item.id)
                return whenPlaced(item.id)
            } catch  where (error.kind == .noSuchItem || afterMove && error.kind == .other) && attempt < attempts {
                attempt += 1
                guard (try? await Task.sleep(for: .milliseconds(200))) != nil else { return }
            }
        }
    }

    /// Returns the name of a single item in quotation marks, or the number of items, such as “3 items”.
    package static func words(for items: [BrowserItem]) -> String {
        items.count == 1 ? "“\(items[0].name)”" : "\(items.count) items"
    }
}
