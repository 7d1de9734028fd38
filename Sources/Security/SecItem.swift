import Foundation
import Secrets

// The four functions for items, as in Apple's module Security. Each blocks until the secret store has replied. Any
// thread that may block can call them. No function logs its arguments.

/// Adds a password.
///
/// - Parameters:
///   - attributes: the class, attributes and `kSecValueData`. With `kSecReturn…` keys, `result` receives the item.
///   - result: a place for the result; may be `nil`.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` if an item has the same primary key; `errSecParam` for a key or
///   value that the function does not accept; `errSecNoSuchAttr` for an attribute that only the other class has;
///   `errSecMissingEntitlement` if the program is not in the access group; `errSecDataTooLarge`, `errSecQuotaExceeded`,
///   `errSecDiskFull`, `errSecIO` and `errSecNotAvailable` if the password cannot be stored.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    status { (source) throws(StatusError) in
        let query = try ItemDictionary(attributes)
        guard query.limit == nil, query.reference == nil, query.synchronized != .any else {
            throw StatusError(errSecParam)
        }
        guard case .password(let itemClass) = query.itemClass else {
            throw StatusError(query.itemClass == nil ? errSecParam : errSecUnimplemented)
        }
        let request = AddSecretCall(itemClass: itemClass, attributes: query.storedAttributes, value: query.value)
        var item = try replied { () throws(SecretError) in try source.add(request) }
        item.value = query.value
        result?.pointee = query.form.object(item)
    }
}

/// Finds passwords in the access groups of the program.
///
/// - Parameters:
///   - query: the class, or `kSecValuePersistentRef`; the attributes that an item must have; `kSecMatchLimit`, which is
///     one by default; and `kSecReturn…` keys.
///   - result: a place for the result; may be `nil`. The result for one item is its data, its attributes, its
///     persistent reference, or a dictionary of several of these. If the limit is not one, the result is an array.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecParam` for a query without a class, or with a key or value
///   that the function does not accept; `errSecNoSuchAttr`; `errSecMissingEntitlement`; `errSecIO`;
///   `errSecNotAvailable`.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    status { (source) throws(StatusError) in
        let query = try ItemDictionary(query)
        let limit = query.limit ?? 1
        let request = FindSecretsCall(
            search: try query.search(), limit: limit == .max ? nil : limit,
            wantsValues: query.form.hasData && result != nil)
        let items = try replied { () throws(SecretError) in try source.find(request) }
        result?.pointee = query.form.object(items, limit: limit)
    }
}

/// Changes all passwords that a query finds.
///
/// - Parameters:
///   - query: as for ``SecItemCopyMatching(_:_:)``, without a limit. `kSecReturn…` keys and `kSecValueData` have no
///     effect.
///   - attributesToUpdate: attributes, and `kSecValueData` for a new password.
/// - Returns: as ``SecItemCopyMatching(_:_:)`` and ``SecItemAdd(_:_:)``. After an error no item is changed.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    status { (source) throws(StatusError) in
        let query = try ItemDictionary(query)
        let change = try ItemDictionary(attributesToUpdate)
        guard query.limit ?? .max == .max, change.isChange else { throw StatusError(errSecParam) }
        let search = try query.search()
        if let itemClass = search.itemClass,
            change.attributes.keys.contains(where: { !$0.belongs(to: itemClass) })
        {
            throw StatusError(errSecNoSuchAttr)
        }
        let request = UpdateSecretsCall(search: search, attributes: change.storedAttributes, value: change.value)
        try replied { () throws(SecretError) in try source.update(request) }
    }
}

/// Removes all passwords that a query finds.
///
/// - Parameter query: as for ``SecItemCopyMatching(_:_:)``, without a limit. `kSecReturn…` keys and `kSecValueData`
///   have no effect.
/// - Returns: as ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status { (source) throws(StatusError) in
        let query = try ItemDictionary(query)
        guard query.limit ?? .max == .max else { throw StatusError(errSecParam) }
        let request = RemoveSecretsCall(search: try query.search())
        try replied { () throws(SecretError) in try source.remove(request) }
    }
}

/// Runs a function with this process's secret store, and returns its result as a status code.
private func status(_ body: (any SecretSource) throws(StatusError) -> Void) -> OSStatus {
    guard let source = SharedSecrets.current else { return errSecNotAvailable }
    do throws(StatusError) {
        try body(source)
        return errSecSuccess
    } catch {
        return error.status
    }
}

private func replied<Reply>(_ call: () throws(SecretError) -> Reply) throws(StatusError) -> Reply {
    do throws(SecretError) { return try call() } catch { throw StatusError(error) }
}

extension ItemDictionary {
    /// The attributes of a new or changed item. The store sets the dates.
    fileprivate var storedAttributes: SecretAttributes {
        var stored = attributes
        if let synchronized { stored[.isSynchronizable] = .flag(synchronized == .yes) }
        return stored
    }

    /// Returns a search for the items that meet the conditions in the dictionary.
    fileprivate func search() throws(StatusError) -> SecretSearch {
        var passwords: SecretClass?
        switch itemClass {
        case .password(let itemClass): passwords = itemClass
        case .other: throw StatusError(errSecItemNotFound)
        case nil: if reference == nil { throw StatusError(errSecParam) }
        }
        // A persistent reference matches its item whether the item is synchronized or not.
        return SecretSearch(
            itemClass: passwords, attributes: attributes,
            synchronized: synchronized ?? (reference == nil ? .no : .any), reference: reference,
            created: created?.timeIntervalSince1970, modified: modified?.timeIntervalSince1970)
    }

    /// Whether the dictionary is valid as a change: it has at least one value, and only values that can be changed.
    fileprivate var isChange: Bool {
        itemClass == nil && reference == nil && limit == nil && !hasForm && synchronized != .any
            && (value != nil || !storedAttributes.isEmpty)
    }
}
