import FileProvider
import FileProviderEngine
import Fuse
import LinuxSystem

/// What an item's state is called where programs read it.
enum StateAttribute: String, CaseIterable {
    case state = "user.purvey.state"
    case identifier = "user.purvey.identifier"
    /// Why the last attempt to send it failed; there only where one did.
    case error = "user.purvey.error"
    /// "1" where it is to stay on this machine.
    case kept = "user.purvey.kept"

    static let prefix = "user.purvey."

    func value(for item: IndexedItem) -> String? {
        switch self {
        case .state: item.stateName
        case .identifier: item.isKnownToProvider ? item.item.identifier : nil
        case .error: item.item.uploadingError?.message
        case .kept: item.isKept ? "1" : "0"
        }
    }
}

extension IndexedItem {
    /// dataless, partial, current, edited, uploading or error.
    package var stateName: String {
        if item.uploadingError != nil { return "error" }
        if !changes.isDisjoint(with: [.created, .contents]) || content == .edited {
            return item.flags.contains(.uploading) ? "uploading" : "edited"
        }
        switch item.kind {
        case .symbolicLink: return "current"
        case .folder:
            switch listing {
            case .never: return "dataless"
            case .partial: return "partial"
            case .complete: return "current"
            }
        case .file:
            switch content {
            case .dataless: return "dataless"
            case .partial: return "partial"
            case .current, .edited: return "current"
            }
        }
    }
}

/// Extended attributes: the state of items, what the provider gave, and what programs set, which stays on this machine.
extension DomainFileSystem {
    func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>) {
        do throws(Errno) {
            let text = try Self.checked(name)
            let (item, _) = try item(ItemNumber(node))
            if text.hasPrefix(StateAttribute.prefix) {
                guard let value = StateAttribute(rawValue: text)?.value(for: item) else { throw .noData }
                return reply.reply(Bytes(Array(value.utf8)))
            }
            guard let value = item.extendedAttributes[text] else { throw .noData }
            reply.reply(Bytes(value))
        } catch {
            reply.fail(error)
        }
    }

    /// Lists what programs may copy along with an item: its state here is none of that, and is there for those who ask by name.
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
            // The state is not for programs to set.
            guard !text.hasPrefix(StateAttribute.prefix) else { throw .notPermitted }
        } catch {
            return reply.fail(error)
        }
        edit(reply) { (engine, _) throws(EditFailure) in
            try engine.setExtendedAttribute(text, of: ItemNumber(node), to: value, if: isThere)
            return Done()
        }
    }

    private static func checked(_ name: Name) throws(Errno) -> String {
        // Programs that ask for other kinds stop asking when they hear that there are none.
        guard let text = name.text, text.hasPrefix(IndexedItem.attributePrefix) else { throw .notSupported }
        return text
    }
}
