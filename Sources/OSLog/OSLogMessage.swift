import Foundation

/// The visibility of an interpolated value in the log: shown, hidden, or replaced by a hash.
public struct OSLogPrivacy: Sendable, Equatable {
    /// The replacement of a hidden value.
    public enum Mask: Sendable, Equatable {
        /// A hash, which is the same for equal values within one process.
        case hash
        /// No trace of the value.
        case none
    }

    let isShown: Bool?
    let mask: Mask

    /// The value is shown.
    public static let `public` = OSLogPrivacy(isShown: true, mask: .none)
    /// The value is hidden.
    public static let `private` = OSLogPrivacy(isShown: false, mask: .none)
    /// The value is hidden.
    public static let sensitive = OSLogPrivacy(isShown: false, mask: .none)
    /// Numbers are shown, everything else is hidden.
    public static let auto = OSLogPrivacy(isShown: nil, mask: .none)

    /// Hides the value behind a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isShown: false, mask: mask) }
    /// Hides the value behind a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isShown: false, mask: mask) }
}

/// A message for the log, created from a string literal. Each interpolated value has a visibility and a format.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral, Sendable {
    package let text: String

    /// Creates a message without interpolated values.
    public init(stringLiteral value: String) { text = value }
    /// Creates a message with interpolated values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// A message under construction, for the compiler's string interpolation.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var text = ""

    /// Creates an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
    /// Adds literal text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a number, which is shown unless it is private.
    public mutating func appendInterpolation<Number: Numeric>(
        _ value: @autoclosure () -> Number, privacy: OSLogPrivacy = .auto
    ) {
        append("\(value())", privacy, isShownByItself: true)
    }

    /// Adds a Boolean, which is shown unless it is private.
    public mutating func appendInterpolation(_ value: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto) {
        append("\(value())", privacy, isShownByItself: true)
    }

    /// Adds any other value, which is hidden unless it is public.
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
