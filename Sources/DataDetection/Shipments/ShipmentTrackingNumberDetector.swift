/// The detector of carriers' tracking numbers.
///
/// - UPS: `1Z` and sixteen letters and digits with UPS's check digit.
/// - Post: two letters, nine digits with the check digit of UPU standard S10, and the code of a country.
/// - USPS: 22 or 26 digits that begin with 91 to 95, or 20 digits that begin with a service code, with GS1's check
///   digit; also after `420` and a ZIP code.
/// - FedEx: 22 digits that begin with 96. 12 or 15 digits only if the text mentions FedEx or tracking shortly before.
/// - DHL: `JJD`, `JVGL` or `JD` and digits. 10 digits only if the text mentions DHL or tracking.
///
/// Some forms need a word before them because about one number in ten has a correct check digit by chance. Numbers may
/// be written with single spaces or hyphens in them. Looks ahead from every beginning of a word by 68 characters, and
/// back by 64.
///
/// Sources: UPU S10; USPS Publication 199; the carriers' own descriptions of their numbers.
package enum ShipmentTrackingNumberDetector {
    package static func matches(in text: DetectionText) -> [DDMatchShipmentTrackingNumber] {
        var matches: [DDMatchShipmentTrackingNumber] = []
        var position = 0
        while position < text.count {
            if let first = text[position], first.isDigit || first.isCapital, isBoundary(position - 1, in: text) {
                let written = CompactText(text, from: position)
                if let number = number(written, in: text), let end = written.end(after: number.length) {
                    matches.append(
                        DDMatchShipmentTrackingNumber(
                            text.string(position..<end), carrier: number.carrier,
                            trackingNumber: written.string(number.length)))
                    position = end
                    continue
                }
            }
            position += 1
        }
        return matches
    }

    private static func isBoundary(_ position: Int, in text: DetectionText) -> Bool {
        guard let before = text[position] else { return true }
        return !before.isLetterOrDigit && !"-_.+/$€£".unicodeScalars.contains(before)
            || before == "/" && text[position - 1] == " "
    }

    private struct Number {
        let carrier: String
        let length: Int
    }

    private static func number(_ written: CompactText, in text: DetectionText) -> Number? {
        let characters = written.characters
        if characters.starts(with: ["1", "Z"]) {
            guard characters.count >= 18, CheckDigits.isUPS(characters[2..<18]) else { return nil }
            return Number(carrier: "UPS", length: 18)
        }
        if characters[0].isCapital { return s10(characters) ?? dhl(characters) }
        let digits = characters.prefix(while: \.isDigit).compactMap(\.digitValue)
        return usps(digits, written) ?? fedEx(digits, written) ?? announced(digits, written, in: text)
    }

    private static func s10(_ characters: [Unicode.Scalar]) -> Number? {
        guard characters.count >= 13, characters[1].isCapital, characters[2..<11].allSatisfy(\.isDigit),
            CheckDigits.isS10(characters[2..<11].compactMap(\.digitValue)),
            let name = PostalOperators.name(of: String(String.UnicodeScalarView(characters[11..<13])))
        else { return nil }
        return Number(carrier: name, length: 13)
    }

    private static func dhl(_ characters: [Unicode.Scalar]) -> Number? {
        let letters = characters.prefix(while: \.isCapital)
        let digits = characters.dropFirst(letters.count).prefix(while: \.isDigit).count
        let lengths = [
            "JJD": 10...20, "JVGL": 10...20, "JD": 16...18,
        ][String(String.UnicodeScalarView(letters))]
        guard let lengths, lengths.contains(digits) else { return nil }
        return Number(carrier: "DHL", length: letters.count + digits)
    }

    private static func usps(_ digits: [Int], _ written: CompactText) -> Number? {
        // `420` and the destination's ZIP code, of five or nine digits, may precede the number.
        let routed = digits.starts(with: [4, 2, 0]) ? [8, 12] : [0]
        for prefix in routed {
            for length in [26, 22, 20] where digits.count >= prefix + length {
                let own = digits[prefix..<prefix + length]
                let begins = own.prefix(2).reduce(0) { $0 * 10 + $1 }
                let isOurs = length == 20 ? [3, 23, 70, 71, 73, 77, 81].contains(begins) : (91...95).contains(begins)
                if isOurs, CheckDigits.isGS1(own), written.end(after: prefix + length) != nil {
                    return Number(carrier: "USPS", length: prefix + length)
                }
            }
        }
        return nil
    }

    private static func fedEx(_ digits: [Int], _ written: CompactText) -> Number? {
        guard digits.count >= 22, digits.starts(with: [9, 6]), CheckDigits.isGS1(digits[7..<22]) else { return nil }
        return Number(carrier: "FedEx", length: 22)
    }

    /// Returns the tracking number, if it has a form that counts only after a mention of the carrier or of tracking,
    /// and the text before it has such a mention.
    private static func announced(_ digits: [Int], _ written: CompactText, in text: DetectionText) -> Number? {
        func isWhole(_ length: Int) -> Bool { digits.count >= length && written.end(after: length) != nil }
        let isExpress = isWhole(12) && CheckDigits.isFedExExpress(digits[..<12])
        let isGround = isWhole(15) && CheckDigits.isGS1(digits[..<15])
        let isDHL = isWhole(10) && CheckDigits.isModulo7(digits[..<10])
        guard isExpress || isGround || isDHL else { return nil }
        let before = text.string(text.run(before: written.start, limit: 64) { _ in true }).lowercased()
        let isTracking = ["track", "waybill", "shipment", "sendung", "parcel"].contains { before.contains($0) }
        let (speaksOfFedEx, speaksOfDHL) = (before.contains("fedex"), before.contains("dhl"))
        if isGround, speaksOfFedEx || isTracking && !speaksOfDHL { return Number(carrier: "FedEx", length: 15) }
        if isExpress, speaksOfFedEx || isTracking && !speaksOfDHL { return Number(carrier: "FedEx", length: 12) }
        if isDHL, speaksOfDHL || isTracking && !speaksOfFedEx { return Number(carrier: "DHL", length: 10) }
        return nil
    }
}

/// Capital letters and digits from a position on, without the single spaces and hyphens between them.
struct CompactText {
    /// The maximum number of characters. It is one more than the longest tracking number has.
    private static let longest = 35

    let start: Int
    private(set) var characters: [Unicode.Scalar] = []
    /// The position in the text after each of the characters.
    private var ends: [Int] = []
    private let text: DetectionText

    init(_ text: DetectionText, from start: Int) {
        self.start = start
        self.text = text
        var position = start
        while characters.count < Self.longest, let scalar = text[position] {
            if scalar.isDigit || scalar.isCapital {
                characters.append(scalar)
                ends.append(position + 1)
            } else if !(scalar.isBlank || scalar == "-") || ends.last != position {
                break
            }
            position += 1
        }
    }

    /// Returns the end of the first `length` characters in the text; `nil` if this end is within a word.
    func end(after length: Int) -> Int? {
        guard ends.indices.contains(length - 1) else { return nil }
        let end = ends[length - 1]
        if let after = text[end], after.isLetterOrDigit || after == "_" { return nil }
        // In this case the characters are only a part of a number with hyphens, or of a decimal fraction.
        if let after = text[end], "-.,".unicodeScalars.contains(after), text[end + 1]?.isLetterOrDigit ?? false {
            return nil
        }
        return end
    }

    func string(_ length: Int) -> String { String(String.UnicodeScalarView(characters.prefix(length))) }
}

/// The postal operators of countries, by the country code at the end of S10 numbers.
///
/// Source: Universal Postal Union, designated operators of its members.
enum PostalOperators {
    private static let names = [
        "AR": "Correo Argentino", "AT": "Österreichische Post", "AU": "Australia Post", "BE": "bpost", "BR": "Correios",
        "CA": "Canada Post", "CH": "Swiss Post", "CN": "China Post", "CZ": "Česká pošta", "DE": "Deutsche Post",
        "DK": "PostNord", "ES": "Correos", "FI": "Posti", "FR": "La Poste", "GB": "Royal Mail", "GR": "ELTA",
        "HK": "Hongkong Post", "HU": "Magyar Posta", "IE": "An Post", "IL": "Israel Post", "IN": "India Post",
        "IT": "Poste Italiane", "JP": "Japan Post", "KR": "Korea Post", "LT": "Lietuvos paštas", "LV": "Latvijas Pasts",
        "MX": "Correos de México", "MY": "Pos Malaysia", "NL": "PostNL", "NO": "Posten", "NZ": "New Zealand Post",
        "PL": "Poczta Polska", "PT": "CTT", "RO": "Poșta Română", "RU": "Russian Post", "SE": "PostNord",
        "SG": "Singapore Post", "SI": "Pošta Slovenije", "SK": "Slovenská pošta", "TH": "Thailand Post", "TR": "PTT",
        "TW": "Chunghwa Post", "UA": "Ukrposhta", "US": "USPS", "ZA": "South African Post Office",
    ]

    /// Returns the name of a country's postal operator; `nil` for an unknown country code.
    static func name(of country: String) -> String? { names[country] }
}
