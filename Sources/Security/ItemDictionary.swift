import Foundation
import Secrets

/// An error with the status code that the public functions return for it.
struct StatusError: Error {
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }

    init(_ error: SecretError) {
        status =
            switch error {
            case .duplicate: errSecDuplicateItem
            case .notFound: errSecItemNotFound
            case .invalid: errSecParam
            case .groupRefused: errSecMissingEntitlement
            case .tooLarge: errSecDataTooLarge
            case .groupFull: errSecQuotaExceeded
            case .diskFull: errSecDiskFull
            case .inputOutput: errSecIO
            case .keyringLocked: errSecInteractionNotAllowed
            case .unavailable, .keyringUnreachable, .keyNotInKeyring: errSecNotAvailable
            }
    }
}

/// The checked contents of a query or attribute dictionary that a program passed.
struct ItemDictionary {
    enum Class {
        case password(SecretClass)
        /// Certificates, keys or identities. No such item can be stored.
        case other
    }

    private(set) var itemClass: Class?
    private(set) var attributes: SecretAttributes = [:]
    private(set) var synchronized: SecretSearch.Synchronized?
    private(set) var reference: UUID?
    private(set) var created: Date?
    private(set) var modified: Date?
    private(set) var value: SecretBytes?
    private(set) var form = ItemForm()
    private(set) var hasForm = false
    /// The maximum number of results, `Int.max` for all; `nil` if the dictionary has no limit.
    private(set) var limit: Int?

    init(_ dictionary: CFDictionary) throws(StatusError) {
        for (key, value) in dictionary {
            guard let key = key as? String else { throw StatusError(errSecParam) }
            try take(value, for: key)
        }
        try checkClass()
    }

    private mutating func take(_ value: Any, for key: String) throws(StatusError) {
        switch key {
        case "class": itemClass = try Self.itemClass(value)
        case "sync": try takeSynchronizable(value)
        case "cdat": created = try Self.date(value)
        case "mdat": modified = try Self.date(value)
        case "m_Limit": limit = try Self.limit(value)
        case "v_Data":
            guard let data = value as? Data else { throw StatusError(errSecParam) }
            self.value = data.withUnsafeBytes { SecretBytes(copying: $0) }
        case "v_PersistentRef":
            guard let data = value as? Data else { throw StatusError(errSecParam) }
            // Data in another format are a reference of another system, whose items are not in this store.
            guard let reference = ItemForm.reference(in: data) else { throw StatusError(errSecItemNotFound) }
            self.reference = reference
        case "r_Attributes": form.hasAttributes = try returned(value)
        case "r_Data": form.hasData = try returned(value)
        case "r_PersistentRef": form.hasReference = try returned(value)
        case "r_Ref": if try returned(value) { throw StatusError(errSecUnimplemented) }
        case "v_Ref": throw StatusError(errSecUnimplemented)
        case "nleg", "u_AuthCtx", "u_AuthUI", "u_NoAuthUI", "u_OpPrompt": break
        default:
            guard let attribute = SecretAttribute(rawValue: key) else { throw StatusError(errSecParam) }
            attributes[attribute] = try Self.value(value, of: attribute)
        }
    }

    private mutating func takeSynchronizable(_ value: Any) throws(StatusError) {
        if let text = value as? String, text == kSecAttrSynchronizableAny as String {
            synchronized = .any
        } else {
            synchronized = try Self.flag(value) ? .yes : .no
        }
    }

    private mutating func returned(_ value: Any) throws(StatusError) -> Bool {
        hasForm = true
        return try Self.flag(value)
    }

    private func checkClass() throws(StatusError) {
        guard case .password(let itemClass) = itemClass else { return }
        if attributes.keys.contains(where: { !$0.belongs(to: itemClass) }) { throw StatusError(errSecNoSuchAttr) }
    }

    // MARK: Values

    private static func itemClass(_ value: Any) throws(StatusError) -> Class {
        guard let name = value as? String else { throw StatusError(errSecParam) }
        if let itemClass = SecretClass(rawValue: name) { return .password(itemClass) }
        guard ["cert", "keys", "idnt"].contains(name) else { throw StatusError(errSecNoSuchClass) }
        return .other
    }

    private static func flag(_ value: Any) throws(StatusError) -> Bool {
        guard let number = value as? NSNumber else { throw StatusError(errSecParam) }
        return number.boolValue
    }

    private static func date(_ value: Any) throws(StatusError) -> Date {
        guard let date = value as? Date else { throw StatusError(errSecParam) }
        return date
    }

    private static func limit(_ value: Any) throws(StatusError) -> Int {
        if let name = value as? String {
            if name == kSecMatchLimitOne as String { return 1 }
            if name == kSecMatchLimitAll as String { return .max }
        } else if let number = value as? NSNumber, number.intValue > 0 {
            return number.intValue
        }
        throw StatusError(errSecParam)
    }

    private static func value(_ value: Any, of attribute: SecretAttribute) throws(StatusError) -> SecretValue {
        let converted: SecretValue?
        if attribute == .isInvisible || attribute == .isNegative {
            converted = .flag(try flag(value))
        } else if let text = value as? String {
            converted = .text(text)
        } else if let data = value as? Data {
            converted = .bytes([UInt8](data))
        } else {
            converted = (value as? NSNumber).map { .number($0.int64Value) }
        }
        guard let converted, attribute.accepts(converted) else { throw StatusError(errSecParam) }
        return converted
    }
}
