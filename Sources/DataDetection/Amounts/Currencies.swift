/// Currencies by their codes, signs and names.
///
/// Source: ISO 4217, list one (active currencies), and Unicode's block of currency symbols.
enum Currencies {
    static func isCode(_ code: String) -> Bool { codes.contains(code) }

    /// Codes that are English words. They count as a currency only if the amount has decimals or is grouped.
    static let words: Set<String> = [
        "ALL", "TOP", "TRY", "CUP", "PEN", "COP", "GEL", "MOP", "MAD", "BOB", "SOS", "RON", "BAM",
    ]

    /// Returns the code of the currency that a sign denotes together with the letters directly before it, as in `US$`.
    static func code(sign: String, prefix: String) -> String? {
        if sign == "$" { return dollars[prefix.uppercased()] }
        if sign == "¥" || sign == "￥" {
            return prefix.uppercased() == "CN" || prefix.uppercased() == "RMB" ? "CNY" : "JPY"
        }
        return prefix.isEmpty ? signs[sign] : nil
    }

    /// Returns the code of the currency with a name that can follow an amount, such as `dollars`; `nil` for any other
    /// word.
    static func code(name: String) -> String? { names[name] }

    private static let codes: Set<String> = Set(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY \
        COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR \
        IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR \
        MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD \
        SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF \
        YER ZAR ZMW
        """.split(separator: " ").map(String.init))

    private static let dollars = [
        "": "USD", "US": "USD", "CA": "CAD", "C": "CAD", "A": "AUD", "AU": "AUD", "NZ": "NZD", "HK": "HKD", "S": "SGD",
        "SG": "SGD", "NT": "TWD", "R": "BRL", "MX": "MXN",
    ]

    private static let signs = [
        "€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND",
        "₴": "UAH",
        "₱": "PHP", "₦": "NGN", "₡": "CRC", "₲": "PYG", "₸": "KZT", "₼": "AZN", "₾": "GEL", "₵": "GHS",
    ]

    private static let names = [
        "dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR", "yen": "JPY", "yuan": "CNY",
        "rupees": "INR", "francs": "CHF", "franken": "CHF", "zł": "PLN", "kč": "CZK", "rubles": "RUB",
    ]
}
