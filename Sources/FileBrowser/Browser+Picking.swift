import DocumentPicker
import DomainMessages
import FileProvider
import LinuxSystem
import UniformTypeIdentifiers

/// Picking of items for another program.
extension PickerRequest {
    /// Whether the user may pick an item, according to its kind and type. Folders that cannot be picked can still be
    /// opened.
    package func accepts(_ item: BrowserItem) -> Bool {
        guard item.mountedPath != nil else { return false }
        if item.isFolder { return purpose == .folders || purpose == .filesAndFolders }
        if purpose == .folders { return false }
        guard !types.isEmpty else { return true }
        let wanted = types.compactMap { UTType($0) }
        return item.knownTypes.contains { type in wanted.contains { type.conforms(to: $0) } }
    }
}

extension BrowserItem {
    /// The item's types according to the provider and to the name. The contents are never read to determine them.
    var knownTypes: [UTType] {
        var types = [UTType(description.contentType)].compactMap(\.self)
        if !isFolder, let dot = name.lastIndex(of: "."), dot > name.startIndex,
            let type = UTType(filenameExtension: String(name[name.index(after: dot)...]))
        {
            types.append(type)
        }
        return types
    }
}

/// The items that the user picks with the present selection.
package enum Pick: Sendable, Equatable {
    /// Existing items, by their paths in mounts.
    case items([String])
    /// A new file in a folder.
    case newFile(folder: String, name: String)

    /// The paths that are sent to the program that requested the picker.
    package var paths: [String] {
        switch self {
        case .items(let paths): paths
        case .newFile(let folder, let name): [folder + "/" + name]
        }
    }
}

extension Browser {
    /// Returns the items that the user may pick now; `nil` if none.
    ///
    /// - Parameter name: the name of a new file, as typed so far.
    package func pick(for request: PickerRequest, name: String) -> Pick? {
        if case .save = request.purpose {
            guard let currentFolder, Self.fault(ofName: name) == nil else { return nil }
            return .newFile(folder: currentFolder, name: name)
        }
        if selection.isEmpty, request.purpose == .folders { return currentFolder.map { .items([$0]) } }
        guard selection.count == 1 || request.allowsMultiple && !selection.isEmpty,
            selection.allSatisfy(request.accepts)
        else { return nil }
        return .items(selection.compactMap(\.mountedPath))
    }

    /// Whether the current folder has an item with the given name.
    package func hasItem(named name: String) -> Bool {
        guard case .folder(let domain, let path) = location else { return false }
        return listing.item(BrowserItem.ID(domain: domain, path: path.isEmpty ? name : path + "/" + name)) != nil
    }
}
