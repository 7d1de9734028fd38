/// The rules of host names.
///
/// Sources: RFC 1123 section 2.1 and RFC 1035 section 2.3.4 (labels of 1 to 63 letters, digits and inner hyphens, 253
/// characters in all), RFC 5890 (letters of other scripts in labels), RFC 3986 section 3.2.2 (IP addresses).
enum HostName {
    /// The longest name, in bytes.
    static let longest = 253

    /// Whether a text is a host name or an IPv4 address.
    static func isValid(_ name: Substring) -> Bool {
        guard !name.isEmpty, name.utf8.count <= longest else { return false }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel), let last = labels.last else { return false }
        // A name that ends in a number can only be an address.
        guard last.utf8.allSatisfy({ ("0"..."9").contains(Unicode.Scalar($0)) }) else { return true }
        return labels.count == 4 && labels.allSatisfy { $0.utf8.count <= 3 && Int($0).map { $0 < 256 } ?? false }
    }

    /// Whether a text is a name with a domain that could be registered: it has at least two labels, and the last
    /// consists of letters.
    static func isDomain(_ name: Substring) -> Bool {
        guard isValid(name), let top = topLevel(name) else { return false }
        return top.unicodeScalars.count > 1 && (top.unicodeScalars.allSatisfy(\.isLetter) || top.hasPrefix("xn--"))
    }

    /// Whether a name is usually written without a scheme to denote a web page: it begins with `www`, or ends with a
    /// top-level domain that is not better known with another meaning.
    static func isFamiliar(_ name: Substring) -> Bool {
        guard isDomain(name), let top = topLevel(name) else { return false }
        if name.lowercased().hasPrefix("www."), name.split(separator: ".").count > 2 { return true }
        return TopLevelDomains.familiar.contains(top)
    }

    /// Whether a text in brackets may be an IPv6 address.
    static func isIPv6(_ address: Substring) -> Bool {
        guard (2...45).contains(address.utf8.count) else { return false }
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        return (3...9).contains(groups.count)
            && groups.allSatisfy { group in
                group.utf8.count <= 4 && group.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
            }
    }

    private static func topLevel(_ name: Substring) -> String? {
        let labels = name.split(separator: ".")
        return labels.count > 1 ? labels.last?.lowercased() : nil
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard let first = label.unicodeScalars.first, let last = label.unicodeScalars.last else { return false }
        return label.utf8.count <= 63 && first != "-" && last != "-"
            && label.unicodeScalars.allSatisfy { $0.isLetterOrDigit || $0 == "-" }
    }
}

/// Top-level domains with which a name without a scheme counts as a web page.
///
/// A selection from IANA's root zone: the generic domains in wide use, and those of countries. The selection excludes
/// extensions of file names (`md`, `mm`, `pl`, `ps`, `py`, `rs`, `sh`, `so`, `zip`, `mov`), and `is`, which may be a
/// word after a forgotten space. After a scheme or `www.` any top-level domain counts.
enum TopLevelDomains {
    static let familiar: Set<String> = Set((generic + countries).split(separator: " ").map(String.init))

    private static let generic = """
        com org net edu gov mil int info biz name pro aero coop museum jobs mobi tel travel asia cat post app dev io ai me tv \
        co xyz online site store shop blog cloud tech space website news agency studio design page link wiki club live world \
        today email digital network media social software solutions systems tools health fm ly gg
        """

    private static let countries = """
        ac ad ae af ag al am ao ar at au az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf ch ci ck cl cm cn cr \
        cu cv cy cz de dk dm do dz ec ee eg er es et eu fi fj fr ga gb gd ge gh gi gl gm gn gr gt gw gy hk hn hr ht hu id ie il \
        in iq ir it jm jo jp ke kg kh kr kw ky kz la lb lc li lk lr ls lt lu lv ma mc mg mk ml mn mo mr mt mu mv mw mx my \
        mz na ne ng ni nl no np nr nz om pa pe pg ph pk pt qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr sv sy sz td \
        tg th tj tl tm tn to tr tt tw tz ua ug uk us uy uz va vc ve vn vu ws ye za zm zw
        """
}
