import LinuxSystem

/// The bytes of a version. Making an item's two versions by string interpolation would cost half as much as stat(2).
struct VersionText {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(80) }

    /// Adds a number without leading zeros, in lowercase.
    mutating func add(_ number: some BinaryInteger, radix: UInt64 = 10) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = UInt64(number.magnitude)
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            rest /= radix
        } while rest > 0
        bytes[start...].reverse()
    }

    mutating func addDash() { bytes.append(UInt8(ascii: "-")) }

    /// Adds a time in the form of its description.
    mutating func add(_ time: FileTime) { bytes += time.description.utf8 }
}
