/// The check digits that distinguish tracking numbers from other rows of digits.
enum CheckDigits {
    /// Whether the check digit of GS1 is correct. It uses alternating weights of 3 and 1, from the right. USPS
    /// (Publication 199) and FedEx Ground use it.
    static func isGS1(_ digits: ArraySlice<Int>) -> Bool {
        guard let check = digits.last, digits.count > 1 else { return false }
        let sum = digits.dropLast().reversed().enumerated().reduce(0) {
            $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 3 : 1)
        }
        return (10 - sum % 10) % 10 == check
    }

    /// Whether the check digit of the Universal Postal Union is correct. Standard S10 uses the weights 8, 6, 4, 2, 3,
    /// 5, 9, 7, modulo 11.
    static func isS10(_ digits: [Int]) -> Bool {
        guard digits.count == 9 else { return false }
        let sum = zip(digits, [8, 6, 4, 2, 3, 5, 9, 7]).reduce(0) { $0 + $1.0 * $1.1 }
        let check = 11 - sum % 11
        return digits[8] == (check == 10 ? 0 : check == 11 ? 5 : check)
    }

    /// Whether the check digit of UPS is correct. It is computed from the fifteen characters after `1Z`, every second
    /// one doubled, modulo 10. Letters count from A = 2 on, modulo 10.
    static func isUPS(_ characters: ArraySlice<Unicode.Scalar>) -> Bool {
        guard characters.count == 16, let check = characters.last?.digitValue else { return false }
        let sum = characters.dropLast().enumerated().reduce(0) { sum, next in
            let value = next.element.digitValue ?? (Int(next.element.value) - 3) % 10
            return sum + value * (next.offset.isMultiple(of: 2) ? 1 : 2)
        }
        return (10 - sum % 10) % 10 == check
    }

    /// Whether the check digit of FedEx Express is correct. It uses repeating weights of 3, 1 and 7, modulo 11 and then
    /// modulo 10.
    static func isFedExExpress(_ digits: ArraySlice<Int>) -> Bool {
        guard digits.count == 12, let check = digits.last else { return false }
        let sum = digits.dropLast().enumerated().reduce(0) { $0 + $1.element * [3, 1, 7][$1.offset % 3] }
        return sum % 11 % 10 == check
    }

    /// Whether the check digit of DHL Express is correct. It is the preceding digits, as one number, modulo 7. Air
    /// waybills have the same check digit.
    static func isModulo7(_ digits: ArraySlice<Int>) -> Bool {
        guard (10...11).contains(digits.count), let check = digits.last else { return false }
        return digits.dropLast().reduce(0) { ($0 * 10 + $1) % 7 } == check
    }
}
