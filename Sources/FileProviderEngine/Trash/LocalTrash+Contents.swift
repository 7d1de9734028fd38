import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The state of a trashed file that programs have open.
struct TrashContents {
    /// The number of open handles.
    var count = 0
    /// A descriptor of the local copy; `nil` until the copy is complete.
    var descriptor: FileDescriptor?
    var waiters: [EngineCompletion<FileDescriptor>] = []
    /// The running fetch, and a number that identifies it; `nil` if none is running.
    var fetch: (number: Int64, task: Task<Void, Never>)?
}

/// The items in trashed directories, and the contents of trashed files.
extension LocalTrash {
    /// Returns the item with the given name in a trashed directory, which must have been listed. Returns `nil` if there
    /// is no such item or it is hidden.
    package func child(named name: String, of folder: Int64) -> TrashNode? {
        guard let number = children[folder]?[ExactText(name)], !hidden.contains(number) else { return nil }
        return nodes[number]
    }

    /// Returns the items in a trashed directory, in the order of their numbers; `nil` if the directory was not listed.
    package func children(of folder: Int64) -> [TrashNode]? {
        children[folder].map { names in
            names.values.filter { !hidden.contains($0) }.compactMap { nodes[$0] }.sorted { $0.number < $1.number }
        }
    }

    /// Whether the given trashed directory was listed, so that its items are known.
    package func isListed(_ folder: Int64) -> Bool { children[folder] != nil }

    /// Lists a trashed directory, unless it was listed before. Returns after the provider's reply.
    ///
    /// A directory that the provider cannot list counts as empty, so that programs can remove it.
    package nonisolated(nonsending) func list(_ folder: Int64) async throws(ProviderError) {
        guard children[folder] == nil else { return }
        guard let node = try onRecord({ () throws(IndexError) in try self.node(folder) }), let item = node.item else {
            throw .noSuchItem
        }
        let listed: [ProviderItem]
        do throws(ProviderError) {
            listed = try await self.listed(item)
        } catch  where node.pending == nil && (error.kind == .unsupported || error.kind == .noSuchItem) {
            listed = []
        }
        // Another program may have listed or removed the directory meanwhile.
        guard children[folder] == nil, nodes[folder] != nil else { return }
        take(listed, in: folder)
    }

    private nonisolated(nonsending) func listed(_ item: ProviderItem) async throws(ProviderError) -> [ProviderItem] {
        var listed: [ProviderItem] = []
        var seen: Set<ExactText> = []
        var after: [UInt8]?
        var guarded = EndlessListing(limit: configuration.pagesWithoutNews, mostItems: configuration.itemsInFolder)
        repeat {
            let page = try await provider.page(
                of: item.identifier, after: after, suggestedSize: configuration.pageSize)
            guard !isClosed else { throw .closed }
            for child in page.items
            where child.parent.hasSameBytes(as: item.identifier) && seen.insert(child.identifier) {
                listed.append(child)
            }
            if page.next != nil { try guarded.check(page) }
            after = page.next
        } while after != nil
        return listed
    }

    private func take(_ listed: [ProviderItem], in folder: Int64) {
        var known: [ExactText: TrashNode] = [:]
        for node in nodes.values where node.place == .folder(folder) {
            if let item = node.item { known[ExactText(item.identifier)] = node }
        }
        var names: [ExactText: Int64] = [:]
        var changed: [TrashNode] = []
        for item in listed {
            var node =
                known.removeValue(forKey: ExactText(item.identifier))
                ?? newNode(.folder(folder), named: "", item: item)
            var name = MountName.mended(item.filename)
            var mark = 1
            while names[ExactText(name)] != nil {
                mark += 1
                name = MountName.numbered(MountName.mended(item.filename), mark)
            }
            node.name = name
            node.item = item
            names[ExactText(name)] = node.number
            changed.append(node)
        }
        store(changed, removing: known.values.map(\.number))
        children[folder] = names
    }

    // MARK: Contents

    /// Records that a trashed file was opened. Fetches nothing.
    package func open(_ number: Int64) { contents[number, default: TrashContents()].count += 1 }

    /// Records that a handle of a trashed file was closed. After the last handle is closed, deletes the local copy.
    package func close(_ number: Int64) {
        contents[number]?.count -= 1
        if (contents[number]?.count ?? 0) <= 0 { removeContents(number) }
    }

    /// Deletes the local copy of a file that has left the trash, unless a program has the file open.
    func endContents(_ number: Int64) {
        if contents[number] == nil { try? folders.remove(ItemNumber(rawValue: number), in: folders.trashed) }
    }

    private func removeContents(_ number: Int64) {
        contents.removeValue(forKey: number)?.fetch?.task.cancel()
        try? folders.remove(ItemNumber(rawValue: number), in: folders.trashed)
    }

    /// Returns the local copy that the open handles of a trashed file use. Returns `nil` if none of them has read the
    /// file in this process yet.
    package func openCopy(of number: Int64) -> FileDescriptor? { contents[number]?.descriptor }

    /// Returns the complete local copy of a trashed file. Returns `nil` if there is none.
    package func localCopy(of number: Int64) -> FileDescriptor? {
        if let descriptor = contents[number]?.descriptor { return descriptor }
        // The previous process may have fetched the file.
        guard let file = try? folders.open(ItemNumber(rawValue: number), in: folders.trashed, .readOnly) else {
            return nil
        }
        contents[number, default: TrashContents()].descriptor = file
        return file
    }

    /// Calls the completion handler when a trashed file is local: at once if it is, otherwise after a fetch.
    package func waitForContents(
        of number: Int64, _ engine: isolated any EngineEvents,
        completion: @escaping @Sendable (Result<FileDescriptor, ProviderError>) -> Void
    ) -> Cancellable {
        if let file = localCopy(of: number) {
            completion(.success(file))
            return .over
        }
        let answer = EngineCompletion<FileDescriptor>(completion)
        contents[number, default: TrashContents()].waiters.append(answer)
        if contents[number]?.fetch == nil {
            let fetch = takeNumber()
            let task = Task {
                let result = await fetched(number, as: fetch, engine)
                ended(number, fetch, result)
            }
            contents[number]?.fetch = (fetch, task)
        }
        return Cancellable { answer.cancel() }
    }

    private func ended(_ number: Int64, _ fetch: Int64, _ result: Result<FileDescriptor, ProviderError>) {
        // If the file has no record any more, all its handles are closed. Otherwise, another fetch may have begun.
        guard let waiters = contents[number]?.waiters, contents[number]?.fetch?.number == fetch else {
            if contents[number] == nil { try? folders.remove(ItemNumber(rawValue: number), in: folders.trashed) }
            return
        }
        contents[number]?.waiters = []
        contents[number]?.fetch = nil
        if case .success(let file) = result { contents[number]?.descriptor = file }
        for waiter in waiters { waiter.complete(result) }
    }

    private func fetched(
        _ number: Int64, as fetch: Int64, _ engine: isolated any EngineEvents
    ) async -> Result<FileDescriptor, ProviderError> {
        do throws(ProviderError) {
            guard !isClosed else { throw .closed }
            guard let item = nodes[number]?.item, item.kind == .file else { throw .noSuchItem }
            let answer = try await provider.contents(of: item.identifier) { _, _ in }
            guard !isClosed else { throw .closed }
            let (folders, name) = (folders, ItemNumber(rawValue: fetch))
            let copied = await withCheckedContinuation { continuation in
                HandlerThreads.shared.run {
                    continuation.resume(
                        returning: Result { () throws(ProviderError) in
                            try folders.take(answer.descriptor, as: name, modified: item.modified) { false }
                        })
                }
            }
            await provider.stopProviding(item.identifier)
            guard !isClosed else { throw .closed }
            try copied.get()
            return .success(
                try onDisk { () throws(Errno) in
                    let copy = ItemNumber(rawValue: number)
                    try folders.move(name, from: folders.incoming, to: folders.trashed, as: copy)
                    guard let file = try folders.open(copy, in: folders.trashed, .readOnly) else { throw .noSuchFile }
                    return file
                })
        } catch {
            return .failure(error)
        }
    }

    /// Cancels all fetches of trashed files, because the engine is closed.
    func cancel() {
        for open in contents.values { open.fetch?.task.cancel() }
    }
}
