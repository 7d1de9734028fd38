/// Airlines by the two-character designators before their flight numbers.
///
/// Source: IATA, airline designators (Resolution 762), those of airlines with many passengers.
enum Airlines {
    static func name(of designator: String) -> String? { names[designator] }

    /// Designators that are better known with another meaning. They count as airlines only if the text mentions
    /// flights.
    static let ambiguous: Set<String> = [
        "A3", "AC", "AI", "AM", "AS", "AT", "CA", "CM", "ET", "G3", "GA", "IB", "KC", "LA", "LO", "ME", "MH", "MS",
        "MU", "OS",
        "PC", "PR", "S7", "SA", "SN", "SQ", "SU", "SV", "TK", "TP", "UX", "VS",
    ]

    private static let names = [
        "3K": "Jetstar Asia", "3U": "Sichuan Airlines", "4U": "Germanwings", "5J": "Cebu Pacific", "6E": "IndiGo",
        "7C": "Jeju Air", "9W": "Jet Airways", "A3": "Aegean Airlines", "AA": "American Airlines", "AC": "Air Canada",
        "AF": "Air France", "AI": "Air India", "AM": "Aeroméxico", "AR": "Aerolíneas Argentinas",
        "AS": "Alaska Airlines",
        "AT": "Royal Air Maroc", "AV": "Avianca", "AY": "Finnair", "AZ": "ITA Airways", "B6": "JetBlue",
        "BA": "British Airways", "BI": "Royal Brunei Airlines", "BR": "EVA Air", "BT": "airBaltic", "CA": "Air China",
        "CI": "China Airlines", "CM": "Copa Airlines", "CX": "Cathay Pacific", "CZ": "China Southern Airlines",
        "D8": "Norwegian Air Sweden", "DE": "Condor", "DL": "Delta Air Lines", "DY": "Norwegian", "EI": "Aer Lingus",
        "EK": "Emirates", "ET": "Ethiopian Airlines", "EW": "Eurowings", "EY": "Etihad Airways",
        "F9": "Frontier Airlines",
        "FI": "Icelandair", "FR": "Ryanair", "FZ": "flydubai", "G3": "Gol", "G4": "Allegiant Air",
        "GA": "Garuda Indonesia", "GF": "Gulf Air", "HA": "Hawaiian Airlines", "HU": "Hainan Airlines",
        "HV": "Transavia", "IB": "Iberia", "JJ": "LATAM Brasil", "JL": "Japan Airlines", "JQ": "Jetstar",
        "JU": "Air Serbia",
        "KC": "Air Astana", "KE": "Korean Air", "KL": "KLM", "KQ": "Kenya Airways", "KU": "Kuwait Airways",
        "LA": "LATAM", "LG": "Luxair", "LH": "Lufthansa", "LO": "LOT", "LS": "Jet2", "LX": "Swiss", "LY": "El Al",
        "ME": "Middle East Airlines", "MF": "Xiamen Airlines", "MH": "Malaysia Airlines", "MS": "EgyptAir",
        "MU": "China Eastern Airlines", "NH": "ANA", "NK": "Spirit Airlines", "NZ": "Air New Zealand",
        "OK": "Czech Airlines", "OS": "Austrian Airlines", "OZ": "Asiana Airlines", "PC": "Pegasus Airlines",
        "PR": "Philippine Airlines", "QF": "Qantas", "QR": "Qatar Airways", "RJ": "Royal Jordanian", "RO": "TAROM",
        "S7": "S7 Airlines", "SA": "South African Airways", "SK": "SAS", "SN": "Brussels Airlines",
        "SQ": "Singapore Airlines", "SU": "Aeroflot", "SV": "Saudia", "TG": "Thai Airways", "TK": "Turkish Airlines",
        "TO": "Transavia France", "TP": "TAP Air Portugal", "TS": "Air Transat", "U2": "easyJet",
        "UA": "United Airlines",
        "UL": "SriLankan Airlines", "UX": "Air Europa", "VA": "Virgin Australia", "VN": "Vietnam Airlines",
        "VS": "Virgin Atlantic", "VY": "Vueling", "W6": "Wizz Air", "WN": "Southwest Airlines", "WS": "WestJet",
        "WY": "Oman Air", "X3": "TUI fly", "Y4": "Volaris", "ZH": "Shenzhen Airlines",
    ]
}
