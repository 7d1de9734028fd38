import DragAndDrop
import Foundation
import Testing

@Suite struct AmountDetectionTests {
    @Test func aNumberIsAWholeText() {
        func number(_ text: String) -> Double? { detect(\.number, in: text).number }
        for (text, value) in [
            ("42", 42), (" 42\n", 42), ("-3.14", -3.14), ("+7", 7), ("\u{2212}5", -5), ("1,234", 1234),
            ("1,234.56", 1234.56),
            ("1.234,56", 1234.56), ("1 234,5", 1234.5), ("1'234.50", 1234.5), ("1.234.567", 1_234_567), ("1.5", 1.5),
            ("1.234", 1.234), ("0,5", 0.5), ("0,123", 0.123), ("12,34,567.89", 1_234_567.89), ("6.02e23", 6.02e23),
            ("1E-3", 1e-3), (".5", 0.5), ("-.5", -0.5), ("007", 7), ("1\u{202F}234", 1234),
        ] as [(String, Double)] {
            #expect(number(text) == value, "\(text)")
        }
        for text in [
            "", " ", "x", "4 2", "42 apples", "1.2.3", "1,2,3", "192.168.1.1", "12:30", "1,23,4", "0x10", "inf", "nan",
            "1e999",
            "--1", "+-1", "1-2", "$5", "5%", "2024-03-05", ".", "-", "1.", "1,234,56", "1.234.5,6.7", "\u{0663}",
            String(repeating: "9", count: 41), String(repeating: "9", count: 500),
        ] {
            #expect(number(text) == nil, "\(text)")
        }
    }

    private func sums(_ text: String) -> [String] {
        detect(\.moneyAmounts, in: text).moneyAmounts.map { "\($0.amount) \($0.currency)" }
    }

    @Test func sumsOfMoneyAreFound() {
        for (text, sum) in [
            ("$5", "5.0 USD"), ("$1,234.56", "1234.56 USD"), ("US$ 20", "20.0 USD"), ("CA$20", "20.0 CAD"),
            ("A$9.99", "9.99 AUD"),
            ("€12.50", "12.5 EUR"), ("12,50 €", "12.5 EUR"), ("12,50€", "12.5 EUR"), ("€ 1.234,56", "1234.56 EUR"),
            ("1.234 €", "1234.0 EUR"), ("£5", "5.0 GBP"), ("¥1000", "1000.0 JPY"), ("CN¥88", "88.0 CNY"),
            ("₹1,00,000", "100000.0 INR"),
            ("USD 100", "100.0 USD"), ("100 EUR", "100.0 EUR"), ("EUR100", "100.0 EUR"), ("CHF 20.–", "20.0 CHF"),
            ("CHF 1'234.50", "1234.5 CHF"), ("100 dollars", "100.0 USD"), ("5 euros", "5.0 EUR"), ("99 Kč", "99.0 CZK"),
            ("€1.5 million", "1500000.0 EUR"), ("$3k", "3000.0 USD"), ("$2bn", "2000000000.0 USD"),
            ("2 million dollars", "2000000.0 USD"),
            ("-$5.00", "-5.0 USD"), ("$-5", "-5.0 USD"), ("-5 €", "-5.0 EUR"), ("1 234,50 zł", "1234.5 PLN"),
            ("R$ 10", "10.0 BRL"),
            ("100.00 TRY", "100.0 TRY"),
        ] {
            #expect(sums(text) == [sum], "\(text)")
            #expect(sums("It cost \(text), and (\(text)).") == [sum, sum], "\(text)")
            #expect(detect(\.moneyAmounts, in: text).moneyAmounts.first?.matchedString == text)
        }
        #expect(sums("$5 $10") == ["5.0 USD", "10.0 USD"])
        #expect(sums("5 € + 3 $ = 8") == ["5.0 EUR", "3.0 USD"])
    }

    @Test func lookalikesOfAmountsAreNotDetected() {
        for text in [
            "", "$", "€", "$x", "$ -", "5", "5 pounds", "100 m", "ALL 5", "TRY 3", "5 TOP", "USD", "5%", "$1.2.3",
            "variable$5",
            "x5 EUR", "100 EURO2", "abc100 EUR", "5 EURx", "$$$$$", "USDUSD", "1/2 EUR", "a-5 EURO1", "XXX 5", "eur",
            "$\(String(repeating: "9", count: 100))",
        ] {
            #expect(sums(text).isEmpty, "\(text)")
        }
    }
}
