import Foundation

/// Whether a value in a message may be shown to everybody who reads the log.
public struct OSLogPrivacy: Sendable, Equatable {
    /// How a hidden value is shown.
    public enum Mask: Sendable, Equatable {
        /// Equal values look equal.
        case hash
        /// Not at all.
        case none
    }

    let isShown: Bool?
    let mask: Mask

    /// Shown.
    public static let `public` = OSLogPrivacy(isShown: true, mask: .none)
    /// Hidden.
    public static let `private` = OSLogPrivacy(isShown: false, mask: .none)
    /// Hidden.
    public static let sensitive = OSLogPrivacy(isShown: false, mask: .none)
    /// Numbers are shown, everything else is hidden.
    public static let auto = OSLogPrivacy(isShown: nil, mask: .none)

    /// Hidden, but for the mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isShown: false, mask: mask) }
    /// Hidden, but for the mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isShown: false, mask: mask) }
}

/// A message with values in it.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral, Sendable {
    package let text: String

    /// A message without values.
    public init(stringLiteral value: String) { text = value }
    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// A message while its values are put in.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var text = ""

    /// An empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
    /// Adds text of the program's own.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a number, which is shown unless it is said to be private.
    public mutating func appendInterpolation<Number: Numeric>(
        _ value: @autoclosure () -> Number, privacy: OSLogPrivacy = .auto
    ) {
        append("\(value())", privacy, isShownByItself: true)
    }

    /// Adds a truth value, which is shown unless it is said to be private.
    public mutating func appendInterpolation(_ value: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto) {
        append("\(value())", privacy, isShownByItself: true)
    }

    /// Adds any other value, which is hidden unless it is said to be public.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto) {
        append("\(value())", privacy, isShownByItself: false)
    }

    mutating func append(_ value: String, _ privacy: OSLogPrivacy, isShownByItself: Bool) {
        if privacy.isShown ?? isShownByItself {
            text += value
        } else if privacy.mask == .hash {
            text += "<mask.hash: \(String(UInt(bitPattern: value.hashValue), radix: 16))>"
        } else {
            text += "<private>"
        }
    }
}
