import Foundation
import PropertyLists

/// A file wrapper as data: a binary property list, a dictionary for each file.
///
/// `kind` (file, directory, link), `contents` (data, dictionary by name, string), `preferredFilename`, `filename`,
/// `permissions` (integer), `modified` (date). Apple's own form is not documented; this one is ours.
struct SerializedWrapper {
    let kind: String
    let contents: Any
    let preferredFilename: String?
    let filename: String?
    let permissions: Int?
    let modified: Date?

    /// Directories within directories past this depth are refused, so that no data can overflow the stack.
    private static let deepest = 256

    static func decode(_ data: Data) -> SerializedWrapper? {
        guard data.starts(with: Data("bplist00".utf8)),
            let outer = ForeignPropertyList.dictionary(data), outer["fileWrapper"] as? Int == 1,
            let root = outer["root"]
        else { return nil }
        return decode(root, depth: 0)
    }

    private static func decode(_ value: Any, depth: Int) -> SerializedWrapper? {
        guard depth < deepest, let form = value as? [String: Any], let kind = form["kind"] as? String,
            let stored = form["contents"]
        else { return nil }
        let contents: Any
        switch kind {
        case "file":
            guard let data = stored as? Data else { return nil }
            contents = data
        case "link":
            guard let target = stored as? String, !target.isEmpty, !target.contains("\0") else { return nil }
            contents = target
        case "directory":
            guard let entries = stored as? [String: Any] else { return nil }
            var children: [String: SerializedWrapper] = [:]
            for (name, entry) in entries {
                guard name == FileWrapperName.valid(name), let child = decode(entry, depth: depth + 1) else {
                    return nil
                }
                children[name] = child
            }
            contents = children
        default: return nil
        }
        return SerializedWrapper(
            kind: kind, contents: contents, preferredFilename: form["preferredFilename"] as? String,
            filename: form["filename"] as? String, permissions: form["permissions"] as? Int,
            modified: form["modified"] as? Date)
    }
}

extension FileWrapper {
    var serialized: Data? {
        guard let root = form() else { return nil }
        return try? PropertyListSerialization.data(
            fromPropertyList: ["fileWrapper": 1, "root": root], format: .binary, options: 0)
    }

    private func form() -> [String: Any]? {
        var form: [String: Any] = [:]
        if let data = regularFileContents {
            form = ["kind": "file", "contents": data]
        } else if let url = symbolicLinkDestinationURL {
            form = ["kind": "link", "contents": url.relativePath]
        } else if let children = fileWrappers {
            var entries: [String: Any] = [:]
            for (name, child) in children {
                guard let entry = child.form() else { return nil }
                entries[name] = entry
            }
            form = ["kind": "directory", "contents": entries]
        } else {
            return nil
        }
        form["preferredFilename"] = preferredFilename
        form["filename"] = filename
        form["permissions"] = (fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? NSNumber)?.intValue
        form["modified"] = fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date
        return form
    }

    func restore(_ form: SerializedWrapper) {
        switch form.contents {
        case let data as Data: contents = .file(data)
        case let target as String: contents = .link(URL(fileURLWithPath: target, relativeTo: nil))
        case let children as [String: SerializedWrapper]:
            contents = .directory(
                children.mapValues { child in
                    let wrapper = FileWrapper(regularFileWithContents: Data())
                    wrapper.restore(child)
                    return wrapper
                })
        default: contents = .file(Data())
        }
        preferredFilename = form.preferredFilename
        filename = form.filename
        fileAttributes[FileAttributeKey.posixPermissions.rawValue] = form.permissions.map { NSNumber(value: $0) }
        fileAttributes[FileAttributeKey.modificationDate.rawValue] = form.modified
    }
}
