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

    /// Returns the operator; `nil` for an unknown country code.
    static func name(of country: String) -> String? { names[country] }
}
