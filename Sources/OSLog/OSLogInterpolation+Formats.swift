import Foundation
import Glibc

/// Values with a format or an alignment.
extension OSLogInterpolation {
    /// Adds an integer in the given format.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: @autoclosure () -> Number, format: OSLogIntegerFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        let value = number()
        let digits = { (radix: Int, uppercase: Bool) in String(value.magnitude, radix: radix, uppercase: uppercase) }
        append(format.write(digits, value < 0), align, privacy)
    }

    /// Adds a floating-point number in the given format.
    public mutating func appendInterpolation<Number: BinaryFloatingPoint>(
        _ number: @autoclosure () -> Number, format: OSLogFloatFormatting, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(Double(number())), align, privacy)
    }

    /// Adds a Boolean in the given format.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure () -> Bool, format: OSLogBoolFormat, privacy: OSLogPrivacy = .auto
    ) {
        append(Self.text(boolean(), format), .none, privacy)
    }

    /// Adds an integer in the format that fits its meaning, for example the meaning of an error number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Int32, format: OSLogInt32ExtendedFormat, privacy: OSLogPrivacy = .auto
    ) {
        append(Self.text(number(), format), .none, privacy)
    }

    /// Adds an integer in the format that fits its meaning, for example the meaning of a byte count.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Int, format: OSLogIntExtendedFormat, privacy: OSLogPrivacy = .auto
    ) {
        append(Self.text(number(), format), .none, privacy)
    }

    /// Adds a number, aligned in a column.
    public mutating func appendInterpolation<Number: Numeric>(
        _ number: @autoclosure () -> Number, align: OSLogStringAlignment, privacy: OSLogPrivacy = .auto
    ) {
        append("\(number())", align, privacy)
    }

    /// Adds any other value, aligned in a column.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(
        _ value: @autoclosure () -> Value, align: OSLogStringAlignment, privacy: OSLogPrivacy = .auto
    ) {
        append(align.text("\(value())"), privacy, isShownByItself: false)
    }

    private mutating func append(_ number: String, _ align: OSLogStringAlignment, _ privacy: OSLogPrivacy) {
        append(align.text(number), privacy, isShownByItself: true)
    }

    private static func text(_ value: Bool, _ format: OSLogBoolFormat) -> String {
        switch format {
        case .truth: value ? "true" : "false"
        case .answer: value ? "yes" : "no"
        }
    }

    private static func text(_ value: Int32, _ format: OSLogInt32ExtendedFormat) -> String {
        switch format {
        case .ipv4Address:
            withUnsafeBytes(of: value) { bytes in bytes.map { String($0) }.joined(separator: ".") }
        case .secondsSince1970: date(Int(value))
        case .darwinErrno: "[\(value): \(String(cString: strerror(value)))]"
        case .darwinMode: "mode " + String(UInt32(bitPattern: value), radix: 8)
        case .darwinSignal: "[\(value): \(strsignal(value).map { String(cString: $0) } ?? "unknown signal")]"
        case .truth: text(value != 0, .truth)
        case .answer: text(value != 0, .answer)
        }
    }

    private static func text(_ value: Int, _ format: OSLogIntExtendedFormat) -> String {
        switch format {
        case .bitrate: amount(value, 1000, "bps")
        case .bitrateIEC: amount(value, 1024, "bps")
        case .byterate: amount(value, 1000, "B/s")
        case .byterateIEC: amount(value, 1024, "B/s")
        case .byteCount: amount(value, 1000, "B")
        case .byteCountIEC: amount(value, 1024, "B")
        case .secondsSince1970: date(value)
        }
    }

    private static func amount(_ value: Int, _ step: Double, _ unit: String) -> String {
        var (amount, prefixes) = (Double(value), ["", step == 1024 ? "K" : "k", "M", "G", "T", "P", "E"][...])
        while abs(amount) >= step, prefixes.count > 1 {
            amount /= step
            prefixes = prefixes.dropFirst()
        }
        let prefix = (prefixes.first ?? "") + (step == 1024 && prefixes.first != "" ? "i" : "")
        return prefix.isEmpty ? "\(value) \(unit)" : String(format: "%.2f %@%@", amount, prefix, unit)
    }

    private static func date(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
