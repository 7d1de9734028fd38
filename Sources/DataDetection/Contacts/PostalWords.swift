/// The words that identify streets, states and countries.
///
/// Sources: USPS Publication 28, appendices B (states) and C1 (street suffixes); Canada Post, Addressing Guidelines;
/// Universal Postal Union, addressing systems of its members.
enum PostalWords {
    static let states: Set<String> = words(
        """
        AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA PR \
        RI SC SD TN TX UT VT VA WA WV WI WY
        """)

    static let stateNames: Set<String> = [
        "alabama", "alaska", "arizona", "arkansas", "california", "colorado", "connecticut", "delaware", "florida",
        "georgia",
        "hawaii", "idaho", "illinois", "indiana", "iowa", "kansas", "kentucky", "louisiana", "maine", "maryland",
        "massachusetts",
        "michigan", "minnesota", "mississippi", "missouri", "montana", "nebraska", "nevada", "new hampshire",
        "new jersey",
        "new mexico", "new york", "north carolina", "north dakota", "ohio", "oklahoma", "oregon", "pennsylvania",
        "rhode island",
        "south carolina", "south dakota", "tennessee", "texas", "utah", "vermont", "virginia", "washington",
        "west virginia",
        "wisconsin", "wyoming",
    ]

    static let provinces: Set<String> = words("AB BC MB NB NL NS NT NU ON PE QC SK YT")

    /// Kinds of streets, as separate words.
    static let streets: Set<String> = words(
        """
        street st avenue ave road rd boulevard blvd lane ln drive dr court ct place pl square sq terrace ter parkway pkwy way \
        highway hwy circle cir trail trl loop broadway plaza plz row alley close crescent gardens green grove hill mews walk wharf \
        rue quai chemin allée place impasse cours via viale piazza corso largo vicolo calle avenida paseo rua praça travessa \
        weg platz allee gasse straße strasse str ufer damm ring markt straat laan plein gracht kade steenweg
        """)

    /// Kinds of streets at the end of a word.
    static let endings = [
        "straße", "strasse", "str", "weg", "platz", "allee", "gasse", "ufer", "damm", "ring", "markt", "straat", "laan",
        "plein",
        "gracht", "kade", "steenweg", "gatan", "vägen", "gate", "vej",
    ]

    static let countries: Set<String> = [
        "usa", "us", "united states", "united states of america", "canada", "uk", "united kingdom", "england",
        "scotland", "wales",
        "ireland", "germany", "deutschland", "france", "italy", "italia", "spain", "españa", "portugal", "netherlands",
        "the netherlands", "nederland", "belgium", "belgique", "belgië", "austria", "österreich", "switzerland",
        "schweiz", "suisse",
        "svizzera", "luxembourg", "denmark", "danmark", "sweden", "sverige", "norway", "norge", "australia",
        "new zealand",
    ]

    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }
}
