import LinuxSystem

/// The bytes of a version. They are composed in this way for speed: string interpolation of an item's two versions
/// would take half as long as stat(2).
struct VersionText {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(80) }

    /// Adds a number in decimal, without leading zeros.
    mutating func add(_ number: some BinaryInteger) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = UInt64(number.magnitude)
        // The divisor is a literal, so that the compiler makes a multiplication of the division.
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        reverse(from: start)
    }

    /// Adds a number in lowercase hexadecimal, without leading zeros.
    mutating func add(hexadecimal number: UInt64) {
        let start = bytes.count
        var rest = number
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            rest >>= 4
        } while rest > 0
        reverse(from: start)
    }

    private mutating func reverse(from start: Int) {
        bytes.withUnsafeMutableBufferPointer { bytes in
            var (low, high) = (start, bytes.count - 1)
            while low < high {
                bytes.swapAt(low, high)
                (low, high) = (low + 1, high - 1)
            }
        }
    }

    mutating func addDash() { bytes.append(UInt8(ascii: "-")) }

    /// Adds a time in the form of its description.
    mutating func add(_ time: FileTime) {
        if let nanoseconds = time.nanosecondsSince1970 { add(nanoseconds) } else { bytes += time.description.utf8 }
    }
}
