import Foundation

/// The format of a whole number in a message.
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
    /// Decimal digits, at least so many.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 1) -> OSLogIntegerFormatting {
        number(10, "", minDigits, explicitPositiveSign, false)
    }
    /// Hexadecimal digits.
    public static var hex: OSLogIntegerFormatting { hex() }
    /// Hexadecimal digits, at least so many.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 1
    ) -> OSLogIntegerFormatting {
        number(16, includePrefix ? "0x" : "", minDigits, explicitPositiveSign, uppercase)
    }
    /// Octal digits.
    public static var octal: OSLogIntegerFormatting { octal() }
    /// Octal digits, at least so many.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 1
    ) -> OSLogIntegerFormatting {
        number(8, includePrefix ? "0o" : "", minDigits, explicitPositiveSign, uppercase)
    }
}

/// The format of a floating-point number in a message: as `printf` has it.
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

    /// With six places after the point.
    public static var fixed: OSLogFloatFormatting { number("f", nil, false, false) }
    /// With so many places after the point.
    public static func fixed(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { number("f", precision, explicitPositiveSign, uppercase) }
    /// In hexadecimal digits.
    public static var hex: OSLogFloatFormatting { number("a", nil, false, false) }
    /// In hexadecimal digits.
    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        number("a", nil, explicitPositiveSign, uppercase)
    }
    /// With an exponent.
    public static var exponential: OSLogFloatFormatting { number("e", nil, false, false) }
    /// With an exponent and so many places after the point.
    public static func exponential(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { number("e", precision, explicitPositiveSign, uppercase) }
    /// With an exponent where the number is large or small.
    public static var hybrid: OSLogFloatFormatting { number("g", nil, false, false) }
    /// With an exponent where the number is large or small, and so many digits.
    public static func hybrid(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting { number("g", precision, explicitPositiveSign, uppercase) }
}

/// The format of a truth value in a message.
public enum OSLogBoolFormat: Sendable {
    /// As `true` or `false`.
    case truth
    /// As `yes` or `no`.
    case answer
}

/// The format of an `Int32` in a message, by its meaning.
public enum OSLogInt32ExtendedFormat: Sendable {
    /// The address of IPv4.
    case ipv4Address
    /// Seconds since 1970.
    case secondsSince1970
    /// An error number.
    case darwinErrno
    /// The mode of a file.
    case darwinMode
    /// A signal.
    case darwinSignal
    /// A truth value.
    case truth
    /// A truth value, as `yes` or `no`.
    case answer
}

/// The format of an `Int` in a message, by its meaning.
public enum OSLogIntExtendedFormat: Sendable {
    /// Bits in a second.
    case bitrate
    /// Bits in a second, in powers of 1024.
    case bitrateIEC
    /// Bytes in a second.
    case byterate
    /// Bytes in a second, in powers of 1024.
    case byterateIEC
    /// Bytes.
    case byteCount
    /// Bytes, in powers of 1024.
    case byteCountIEC
    /// Seconds since 1970.
    case secondsSince1970
}

/// The place of a value in a column of a message.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// Without a column.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(columns: 0, isRight: false) }
    /// At the left of a column of so many characters.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isRight: false)
    }
    /// At the right of a column of so many characters.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isRight: true)
    }

    func text(_ text: String) -> String {
        let space = String(repeating: " ", count: max(0, columns - text.count))
        return isRight ? space + text : text + space
    }
}
