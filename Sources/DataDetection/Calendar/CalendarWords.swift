/// The words of dates: the names of months in English, German, French, Spanish, Italian and Dutch, and the names of
/// days in English, German, French and Spanish.
///
/// Source: CLDR, names of months and days, wide and abbreviated.
enum CalendarWords {
    /// Returns a month by its name. English and German names count only with a capital letter: "may" and "march" are
    /// also words.
    static func month(_ token: Token?) -> Int? {
        guard let token, let first = token.text.unicodeScalars.first else { return nil }
        if let month = (first.isCapital ? capitalized[token.word] : nil) ?? others[token.word] { return month }
        return nil
    }

    /// Returns a day of the week; Sunday is 1.
    static func weekday(_ token: Token?) -> Int? {
        guard let token, token.text.unicodeScalars.first?.isCapital ?? false else { return nil }
        return weekdays[token.word]
    }

    private static func table(_ rows: String, first: Int = 1) -> [String: Int] {
        var table: [String: Int] = [:]
        for (index, row) in rows.split(separator: ";").enumerated() {
            for name in row.split(separator: " ") { table[String(name)] = index + first }
        }
        return table
    }

    private static let capitalized = table(
        """
        january jan januar;february feb februar;march mar märz mär;april apr;may mai;june jun juni;july jul juli;\
        august aug;september sep sept;october oct oktober okt;november nov;december dec dezember dez
        """)

    private static let others = table(
        """
        janvier enero gennaio januari;février febrero febbraio februari;mars marzo maart;avril abril aprile;mayo maggio mei;\
        juin junio giugno;juillet julio luglio;août agosto augustus;septembre septiembre settembre;\
        octobre octubre ottobre;novembre noviembre;décembre diciembre dicembre
        """)

    private static let weekdays = table(
        """
        sunday sun sonntag dimanche domingo;monday mon montag lundi lunes;tuesday tue tues dienstag mardi martes;\
        wednesday wed mittwoch mercredi miércoles;thursday thu thurs thur donnerstag jeudi jueves;friday fri freitag vendredi viernes;\
        saturday sat samstag samedi sábado
        """)
}
