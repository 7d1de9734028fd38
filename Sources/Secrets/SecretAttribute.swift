import Conduit

/// The class of an item. The raw value is Apple's value of `kSecClass`.
package enum SecretClass: String, Sendable, MessageValue {
    case genericPassword = "genp"
    case internetPassword = "inet"
}

/// An attribute of an item. The raw value is the key that Apple's dictionaries use for the attribute.
package enum SecretAttribute: String, Sendable, MessageValue, CaseIterable {
    case group = "agrp"
    case account = "acct"
    case accessibility = "pdmn"
    case authenticationType = "atyp"
    case comment = "icmt"
    case creator = "crtr"
    case description = "desc"
    case generic = "gena"
    case isInvisible = "invi"
    case isNegative = "nega"
    case isSynchronizable = "sync"
    case label = "labl"
    case path = "path"
    case port = "port"
    case protocolType = "ptcl"
    case securityDomain = "sdmn"
    case server = "srvr"
    case service = "svce"
    case type = "type"

    /// The only class of items that have this attribute; `nil` if items of both classes have it.
    private var onlyClass: SecretClass? {
        switch self {
        case .generic, .service: .genericPassword
        case .authenticationType, .path, .port, .protocolType, .securityDomain, .server: .internetPassword
        default: nil
        }
    }

    /// Whether items of the given class have this attribute.
    package func belongs(to itemClass: SecretClass) -> Bool { onlyClass == nil || onlyClass == itemClass }

    /// Whether this attribute can have a value of the given value's type. Attributes that are strings, such as account
    /// names, may also be data, because programs for Apple's platforms store such values.
    package func accepts(_ value: SecretValue) -> Bool {
        switch (self, value) {
        case (.isInvisible, .flag), (.isNegative, .flag), (.isSynchronizable, .flag), (.port, .number): true
        case (.isInvisible, _), (.isNegative, _), (.isSynchronizable, _), (.port, _): false
        case (.group, .text), (.accessibility, .text): true
        case (.group, _), (.accessibility, _), (_, .flag): false
        case (.authenticationType, _), (.protocolType, _), (.creator, _), (.type, _): true
        case (_, .number): false
        case (_, .text), (_, .bytes): true
        }
    }

    /// Returns the attributes that together identify an item of the given class: no two items have the same values for
    /// all of these attributes.
    package static func primaryKey(of itemClass: SecretClass) -> [SecretAttribute] {
        switch itemClass {
        case .genericPassword: [.group, .account, .service, .isSynchronizable]
        case .internetPassword:
            [
                .group, .account, .securityDomain, .server, .protocolType, .authenticationType, .port, .path,
                .isSynchronizable,
            ]
        }
    }

    /// Whether the given value is equivalent to a missing value. For example, an item without an account is treated as
    /// one whose account is the empty string.
    package func isDefault(_ value: SecretValue?) -> Bool {
        switch value {
        case nil: true
        case .text(let text): text.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .number(let number): number == 0
        case .flag(let flag): !flag
        }
    }

    /// Whether two values of this attribute count as the same. A `nil` value is a missing value.
    package func isSame(_ one: SecretValue?, _ other: SecretValue?) -> Bool {
        one == other || (isDefault(one) && isDefault(other))
    }
}

/// The attributes of an item, of a search or of a change, with their values.
package typealias SecretAttributes = [SecretAttribute: SecretValue]

/// An attribute and its value, as they are sent in a message.
private struct SecretPair: SchemaMessage {
    let attribute: SecretAttribute
    let value: SecretValue

    static let schema = Schema(
        { SecretPair(attribute: $0, value: $1) }, Field(0, \SecretPair.attribute), Field(1, \.value)
    ).checked { pair throws(MessageError) in
        guard pair.attribute.accepts(pair.value) else { throw .invalid("an attribute has a value of the wrong type") }
    }
}

extension Field where Value == SecretAttributes {
    /// Creates a field for attributes. The attributes are sorted, so that equal attributes have the same encoding.
    init(_ key: UInt64, attributes get: @escaping @Sendable (Root) -> SecretAttributes) {
        self.init(
            inline: Schema(
                { (pairs: [SecretPair]) throws(MessageError) in
                    var attributes: SecretAttributes = [:]
                    for pair in pairs {
                        guard attributes.updateValue(pair.value, forKey: pair.attribute) == nil else {
                            throw .invalid("an attribute is given twice")
                        }
                    }
                    return attributes
                },
                Field<SecretAttributes, [SecretPair]>(
                    key,
                    { attributes in
                        attributes.sorted { $0.key.rawValue < $1.key.rawValue }
                            .map { SecretPair(attribute: $0.key, value: $0.value) }
                    }, atMost: SecretAttribute.allCases.count)), get)
    }
}

extension SecretAttributes {
    /// Checks attributes that another process sent for items of the given class. Throws an error if items of this class
    /// cannot have one of the attributes. With `nil`, does nothing.
    func check(for itemClass: SecretClass?) throws(MessageError) {
        guard let itemClass, let other = keys.first(where: { !$0.belongs(to: itemClass) }) else { return }
        throw .invalid("the class of an item does not have the attribute \(other.rawValue)")
    }
}
