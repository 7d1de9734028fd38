import DomainMessages
import Foundation
import PropertyLists

extension ManagedDomain {
    /// Creates the message form of a domain, for requests to the daemon.
    ///
    /// - Throws: `CocoaError` if `userInfo` is too large, or contains keys or values that are not supported.
    init(_ domain: NSFileProviderDomain) throws {
        self.init(
            identifier: domain.identifier.rawValue, displayName: domain.displayName,
            storage: domain.pathRelativeToDocumentStorage, isReplicated: domain.isReplicated,
            isHidden: domain.isHidden, isSearchable: domain.supportsStringSearchRequest)
        guard let given = domain.userInfo, !given.isEmpty else { return }
        var values: [String: Any] = [:]
        for (key, value) in given {
            guard let key = key as? String, let value = PlainValue.make(value) else {
                throw CocoaError(
                    .propertyListWriteInvalid,
                    userInfo: [
                        NSLocalizedDescriptionKey:
                            "The userInfo of a domain has strings as keys, and strings, numbers, dates and data as values."
                    ])
            }
            values[key] = value
        }
        let list = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        guard list.count <= Self.longestUserInfo else {
            throw CocoaError(
                .propertyListWriteInvalid,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "The userInfo of a domain has \(list.count) bytes, of at most \(Self.longestUserInfo)."
                ])
        }
        userInfo = [UInt8](list)
    }
}

extension NSFileProviderDomain {
    /// Creates a domain from its message form in a reply of the daemon.
    convenience init(_ domain: ManagedDomain) {
        let identifier = NSFileProviderDomainIdentifier(rawValue: domain.identifier)
        if domain.isReplicated {
            self.init(identifier: identifier, displayName: domain.displayName)
        } else {
            self.init(
                identifier: identifier, displayName: domain.displayName,
                pathRelativeToDocumentStorage: domain.storage)
        }
        isHidden = domain.isHidden
        supportsStringSearchRequest = domain.isSearchable
        take(userInfo: domain.userInfo)
    }

    /// Sets ``userInfo`` from a property list. Ignores a damaged property list.
    func take(userInfo list: [UInt8]?) {
        guard let list, let values = ForeignPropertyList.dictionary(Data(list)) else { return }
        userInfo = values
    }
}
