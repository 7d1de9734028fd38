import Foundation
import LinuxSystem
import PropertyLists

/// The serialized form of a file wrapper: a binary property list with a dictionary for each file.
///
/// The keys are `kind` (file, directory, link), `contents` (data, dictionary by name, string), `preferredFilename`,
/// `filename`, `permissions` (integer) and `modified` (date). Apple's form is not documented, so this form differs from
/// it.
struct SerializedWrapper {
    let kind: String
    let contents: Any
    let preferredFilename: String?
    let filename: String?
    let permissions: Int?
    let modified: Date?

    static func decode(_ data: Data) -> SerializedWrapper? {
        guard data.starts(with: Data("bplist00".utf8)),
            let outer = ForeignPropertyList.dictionary(data), outer["fileWrapper"] as? Int == 1,
            let root = outer["root"]
        else { return nil }
        return decode(root, depth: 0)
    }

    private static func decode(_ value: Any, depth: Int) -> SerializedWrapper? {
        guard depth <= FileWrapperDepth.serializedLimit, let form = value as? [String: Any],
            let kind = form["kind"] as? String,
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
        // Foundation's writer would be too slow. It compares dictionaries together with everything that is nested in
        // them, and repeats this at every depth.
        var writer = BinaryPropertyListWriter()
        guard let root = add(to: &writer, depth: 0) else { return nil }
        _ = writer.add(dictionary: [
            (writer.add(text: "fileWrapper"), writer.add(integer: 1)), (writer.add(text: "root"), root),
        ])
        return writer.finish()
    }

    private func add(to writer: inout BinaryPropertyListWriter, depth: Int) -> Int? {
        guard depth <= FileWrapperDepth.serializedLimit else { return nil }
        var form: [(key: Int, value: Int)] = []
        func set(_ key: String, _ value: Int) { form.append((writer.add(text: key), value)) }
        if let data = regularFileContents {
            set("kind", writer.add(text: "file"))
            set("contents", writer.add(data: data))
        } else if let url = symbolicLinkDestinationURL {
            set("kind", writer.add(text: "link"))
            set("contents", writer.add(text: url.relativePath))
        } else if let children = fileWrappers {
            var entries: [(key: Int, value: Int)] = []
            for (name, child) in children.sorted(by: { $0.key < $1.key }) {
                guard let entry = child.add(to: &writer, depth: depth + 1) else { return nil }
                entries.append((writer.add(text: name), entry))
            }
            set("kind", writer.add(text: "directory"))
            set("contents", writer.add(dictionary: entries))
        } else {
            return nil
        }
        if let preferredFilename { set("preferredFilename", writer.add(text: preferredFilename)) }
        if let filename { set("filename", writer.add(text: filename)) }
        if let permissions = fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? NSNumber {
            set("permissions", writer.add(integer: permissions.int64Value))
        }
        if let date = fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date {
            set("modified", writer.add(date: date))
        }
        return writer.add(dictionary: form)
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
        // The data is not trusted. Therefore the umask limits the write permissions of the group and of others.
        let mask = 0o777 & ~Int(CreationMask.current & 0o022)
        fileAttributes[FileAttributeKey.posixPermissions.rawValue] = form.permissions.map {
            NSNumber(value: $0 & mask)
        }
        fileAttributes[FileAttributeKey.modificationDate.rawValue] = form.modified
    }
}
