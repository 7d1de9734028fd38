import Foundation

/// Returns the text of four bytes in Mac OS Roman, which is the form of a tag.
public func UTCreateStringForOSType(_ inOSType: OSType) -> Unmanaged<CFString> {
    let bytes = withUnsafeBytes(of: inOSType.bigEndian) { Array($0) }
    let text = String(String.UnicodeScalarView(bytes.map(MacOSRoman.scalar(of:))))
    return Unmanaged.passRetained(text as NSString)
}

/// Returns the four bytes of a text in Mac OS Roman, or zero if it is not four of its characters.
public func UTGetOSTypeFromString(_ inString: CFString) -> OSType {
    let bytes = (inString as String).unicodeScalars.map(MacOSRoman.byte(of:))
    guard bytes.count == 4 else { return 0 }
    return bytes.reduce(0) { sum, byte in sum.flatMap { sum in byte.map { sum << 8 | OSType($0) } } } ?? 0
}

/// The character set of the classic Mac OS. (Foundation's on Linux has other characters in the upper half.)
private enum MacOSRoman {
    /// The characters from 0x80 on; the lower half is ASCII.
    private static let upperHalf = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü"
            + "†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
            + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
            + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙı\u{2C6}\u{2DC}¯\u{2D8}\u{2D9}\u{2DA}¸\u{2DD}\u{2DB}\u{2C7}").unicodeScalars)

    static func scalar(of byte: UInt8) -> Unicode.Scalar {
        byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]
    }

    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.isASCII {
            return UInt8(scalar.value)
        }
        return upperHalf.firstIndex(of: scalar).map { UInt8($0 + 0x80) }
    }
}
