import LinuxSystem

/// Items that the user shares with extensions.
extension Browser {
    /// Returns the extensions that accept the given items; none if one of the items has no path in a mount.
    package func extensions(for items: [BrowserItem]) async -> [SharingExtension] {
        let files = items.compactMap { SharedFile($0) }
        guard !files.isEmpty, files.count == items.count, files.count <= Self.mostShared else { return [] }
        return await HandlerThreads.shared.value { ExtensionSharing.extensions(for: files) }
    }

    /// The maximum number of items that are shared at once.
    private static let mostShared = 100

    /// Shares items with an extension. Files that the extension returns are stored in the current folder.
    package func share(_ items: [BrowserItem], with target: SharingExtension) {
        let files = items.compactMap { SharedFile($0) }
        let folder = currentFolder
        run(Job("Sharing \(Self.words(for: items)) with \(target.name)")) { browser, job throws(BrowserError) in
            let result = try await ExtensionSharing.share(files, with: target, daemon: browser.daemon, into: folder)
            for path in result.files {
                guard case .folder(let domain, let shown) = browser.location, browser.currentFolder == folder else {
                    break
                }
                let name = path.lastPathName
                let id = BrowserItem.ID(domain: domain, path: shown.isEmpty ? name : shown + "/" + name)
                await browser.readItem(id)
                browser.whenPlaced(id)
            }
            let words = Self.words(for: result, of: target)
            job.outcome = words
            browser.whenDone(words, false)
        }
    }

    private static func words(for result: SharedResult, of target: SharingExtension) -> String {
        if let text = result.texts.first { return "\(target.name): \(text)" }
        switch result.files.count {
        case 0: return "Shared with \(target.name)"
        case 1: return "\(target.name) returned “\(result.files[0].lastPathName)”"
        default: return "\(target.name) returned \(result.files.count) files"
        }
    }
}
