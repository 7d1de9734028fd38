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

/// Extended attributes: the state of items, and what the provider gave.
extension DomainFileSystem {
    private static let prefix = "user."

    func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>) {
        // Programs that ask for other kinds stop asking when they hear that there are none.
        guard let text = name.text, text.hasPrefix(Self.prefix) else { return reply.fail(.notSupported) }
        do throws(Errno) {
            let (item, _) = try item(ItemNumber(node))
            if text.hasPrefix(StateAttribute.prefix) {
                guard let value = StateAttribute(rawValue: text)?.value(for: item) else { throw .noData }
                return reply.reply(Bytes(Array(value.utf8)))
            }
            let attributes = item.item.extendedAttributes
            guard let value = attributes[text] ?? attributes[String(text.dropFirst(Self.prefix.count))] else {
                throw .noData
            }
            reply.reply(Bytes(value))
        } catch {
            reply.fail(error)
        }
    }

    func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>) {
        do throws(Errno) {
            let (item, _) = try item(ItemNumber(node))
            let own = StateAttribute.allCases.filter { $0.value(for: item) != nil }.map(\.rawValue)
            let given = item.item.extendedAttributes.keys.map { $0.hasPrefix(Self.prefix) ? $0 : Self.prefix + $0 }
                .filter { !$0.hasPrefix(StateAttribute.prefix) && $0.utf8.count <= 255 && !$0.utf8.contains(0) }
            reply.reply(NameList((own + Set(given).sorted()).map { Name($0) }))
        } catch {
            reply.fail(error)
        }
    }

    func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    ) {
        reply.fail(Self.refusal(of: name))
    }

    func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>) {
        reply.fail(Self.refusal(of: name))
    }

    /// The state is not for programs to set, and providers take no attributes.
    private static func refusal(of name: Name) -> Errno {
        name.text?.hasPrefix(StateAttribute.prefix) == true ? .notPermitted : .notSupported
    }
}
