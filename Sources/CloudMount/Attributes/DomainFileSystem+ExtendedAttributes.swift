import FileProviderEngine
import FileProviderWire
import Fuse
import ItemStore
import ItemValues
import LinuxSystem

/// The extended attributes through which programs read an item's state.
enum StateAttribute: String, CaseIterable {
    case state = "user.purvey.state"
    case identifier = "user.purvey.identifier"
    /// The reason why the last attempt to upload the item failed; absent if that attempt did not fail.
    case error = "user.purvey.error"
    /// The provider's suggestion on how to resolve the failure.
    case suggestion = "user.purvey.suggestion"
    /// "1" if the item is pinned, otherwise "0".
    case kept = "user.purvey.kept"
    /// "1" if the provider has all local edits of the item, otherwise "0".
    case uploaded = "user.purvey.uploaded"
    /// "1" while the item is being uploaded, otherwise "0".
    case uploading = "user.purvey.uploading"
    /// Bytes uploaded and bytes in all, such as "12/34", while the item is being uploaded and the total is known.
    case progress = "user.purvey.progress"

    static let prefix = "user.purvey."

    /// Returns the attribute's value for the given item, or `nil` if the item does not have the attribute.
    ///
    /// - Parameter upload: The state of the item's upload; `nil` if no upload is pending.
    func value(for item: IndexedItem, _ upload: UploadState?) -> String? {
        let state = item.state(upload)
        let failure = state == .error ? upload?.failure ?? item.item.uploadingError : nil
        switch self {
        case .state: return state.rawValue
        case .identifier: return item.isKnownToProvider ? item.item.identifier : nil
        case .error: return failure?.message
        case .suggestion: return failure?.suggestion
        case .kept: return item.staysLocal ? "1" : "0"
        case .uploaded: return item.isUploaded ? "1" : "0"
        case .uploading: return state == .uploading ? "1" : "0"
        case .progress:
            guard state == .uploading, let upload, upload.total > 0 else { return nil }
            return "\(upload.sent)/\(upload.total)"
        }
    }
}

/// Serves requests for extended attributes: those that show the state of an item, and those that the provider stores,
/// including local changes of them.
extension DomainFileSystem {
    func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>) {
        do throws(Errno) {
            let text = try Self.checked(name)
            let (item, _) = try item(ItemNumber(node))
            if text.hasPrefix(StateAttribute.prefix) {
                guard let value = StateAttribute(rawValue: text)?.value(for: item, engine.uploads[item.number])
                else { throw .noData }
                return reply.reply(Bytes(Array(value.utf8)))
            }
            guard let value = item.extendedAttributes[text] else { throw .noData }
            reply.reply(Bytes(value))
        } catch {
            reply.fail(error)
        }
    }

    /// Lists the attributes that programs may copy along with an item. The attributes for the item's state are not
    /// listed, and can only be read by name.
    func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>) {
        do throws(Errno) {
            let (item, _) = try item(ItemNumber(node))
            let names = item.extendedAttributes.keys.filter {
                !$0.hasPrefix(StateAttribute.prefix) && $0.utf8.count <= 255 && !$0.utf8.contains(0)
            }
            reply.reply(NameList(names.sorted().map { Name($0) }))
        } catch {
            reply.fail(error)
        }
    }

    func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    ) {
        let isThere: Bool? =
            switch policy {
            case .set: nil
            case .create: false
            case .replace: true
            }
        change(name, of: node, to: [UInt8](value), if: isThere, reply)
    }

    func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>) {
        change(name, of: node, to: nil, if: true, reply)
    }

    private func change(
        _ name: Name, of node: NodeID, to value: [UInt8]?, if isThere: Bool?, _ reply: Reply<Done>
    ) {
        let text: String
        do throws(Errno) {
            text = try Self.checked(name)
            // Programs may not set the state.
            guard !text.hasPrefix(StateAttribute.prefix) else { throw .notPermitted }
            guard text.utf8.count > IndexedItem.attributePrefix.utf8.count else { throw .invalidArgument }
        } catch {
            return reply.fail(error)
        }
        edit(reply) { (engine, _) throws(EditError) in
            try Self.ofNode { () throws(EditError) in
                try engine.localEdits.setExtendedAttribute(text, of: ItemNumber(node), to: value, if: isThere, engine)
            }
            return Done()
        } ifDone: { [self] error in
            let wouldFail: Errno = value == nil ? .noData : .fileExists
            guard error == wouldFail, let (item, _) = try? item(ItemNumber(node)) else { return nil }
            return item.extendedAttributes[text] == value ? Done() : nil
        }
    }

    private static func checked(_ name: Name) throws(Errno) -> String {
        // Programs that query other namespaces stop doing so after this error.
        guard let text = name.text, text.hasPrefix(IndexedItem.attributePrefix) else { throw .notSupported }
        return text
    }
}
