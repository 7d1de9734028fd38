import Foundation

/// The format of an integer in a message.
public struct OSLogIntegerFormatting: Sendable {
    let write: @Sendable (_ digits: (_ radix: Int, _ uppercase: Bool) -> String, _ isNegative: Bool) -> String

    private static func number(
        _ radix: Int, _ prefix: String, _ minDigits: Int, _ explicitPositiveSign: Bool, _ uppercase: Bool
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting { digits, isNegative in
            let text = digits(radix, uppercase)
            let sign = isNegative ? "-" : explicitPositiveSign ? "+" : ""
            return sign + prefix + String(repeating: "0", count: max(0, minDigits - text.count)) + text
        }
    }

    /// Decimal digits.
    public static var decimal: OSLogIntegerFormatting { decimal() }
    /// Decimal digits, padded with zeros to a minimum number of digits.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 1) -> OSLogIntegerFormatting {
        number(10, "", minDigits, explicitPositiveSign, false)
    }
    /// Hexadecimal digits.
    public static var hex: OSLogIntegerFormatting { hex() }
    /// Hexadecimal digits, padded with zeros to a minimum number of digits.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 1
    ) -> OSLogIntegerFormatting {
        number(16, includePrefix ? "0x" : "", minDigits, explicitPositiveSign, uppercase)
    }
    /// Octal digits.
    public static var octal: OSLogIntegerFormatting { octal() }
    /// Octal digits, padded with zeros to a minimum number of digits.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 1
    ) -> OSLogIntegerFormatting {
        number(8, includePrefix ? "0o" : "", minDigits, explicitPositiveSign, uppercase)
    }
}

/// The format of a floating-point number in a message, as in `printf`.
public struct OSLogFloatFormatting: Sendable {
    let format: String
    let precision: Int?

    private static func number(
        _ letter: String, _ precision: Int?, _ explicitPositiveSign: Bool, _ uppercase: Bool
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            format: "%\(explicitPositiveSign ? "+" : "")\(precision == nil ? "" : ".*")"
                + (uppercase ? letter.uppercased() : letter),
            precision: precision)
    }

    func text(_ value: Double) -> String {
        if let precision { String(format: format, precision, value) } else { String(format: format, value) }
    }

    /// Fixed-point notation with six decimal places.
    public static var fixed: OSLogFloatFormatting { number("f", nil, false, false) }
    /// Fixed-point notation with the given number of decimal places.
    public static func fixed(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { number("f", precision, explicitPositiveSign, uppercase) }
    /// Hexadecimal notation.
    public static var hex: OSLogFloatFormatting { number("a", nil, false, false) }
    /// Hexadecimal notation.
    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        number("a", nil, explicitPositiveSign, uppercase)
    }
    /// Exponential notation.
    public static var exponential: OSLogFloatFormatting { number("e", nil, false, false) }
    /// Exponential notation with the given number of decimal places.
    public static func exponential(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { number("e", precision, explicitPositiveSign, uppercase) }
    /// Exponential notation for large and small numbers, fixed-point notation for others.
    public static var hybrid: OSLogFloatFormatting { number("g", nil, false, false) }
    /// Exponential notation for large and small numbers, fixed-point notation for others, with the given number of
    /// significant digits.
    public static func hybrid(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { number("g", precision, explicitPositiveSign, uppercase) }
}

/// The format of a Boolean in a message.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `yes` or `no`.
    case answer
}

/// The meaning of an `Int32` in a message, which determines its format.
public enum OSLogInt32ExtendedFormat: Sendable {
    /// An IPv4 address.
    case ipv4Address
    /// Seconds since 1970.
    case secondsSince1970
    /// An error number.
    case darwinErrno
    /// The mode of a file.
    case darwinMode
    /// The number of a signal.
    case darwinSignal
    /// A Boolean, as `true` or `false`.
    case truth
    /// A Boolean, as `yes` or `no`.
    case answer
}

/// The meaning of an `Int` in a message, which determines its format.
public enum OSLogIntExtendedFormat: Sendable {
    /// Bits per second.
    case bitrate
    /// Bits per second, in powers of 1024.
    case bitrateIEC
    /// Bytes per second.
    case byterate
    /// Bytes per second, in powers of 1024.
    case byterateIEC
    /// Bytes.
    case byteCount
    /// Bytes, in powers of 1024.
    case byteCountIEC
    /// Seconds since 1970.
    case secondsSince1970
}

/// The alignment of a value in a column of a message.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// No alignment.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(columns: 0, isRight: false) }
    /// Left alignment in a column that is `columns` characters wide.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isRight: false)
    }
    /// Right alignment in a column that is `columns` characters wide.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isRight: true)
    }

    func text(_ text: String) -> String {
        let space = String(repeating: " ", count: max(0, columns - text.count))
        return isRight ? space + text : text + space
    }
}
