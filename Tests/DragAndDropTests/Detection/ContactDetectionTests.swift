import DragAndDrop
import Foundation
import Testing

@Suite struct ContactDetectionTests {
    private func numbers(_ text: String) -> [String] {
        detect(\.phoneNumbers, in: text).phoneNumbers.map(\.phoneNumber)
    }

    @Test func telephoneNumbersOfManyCountriesAreFound() {
        for number in [
            "+1 (555) 123-4567", "+49 30 901820", "+49 (0)30 90182-0", "+442079460958", "+33 1 23 45 67 89",
            "+39 06 6982",
            "(212) 555-0123", "(212)555-0123", "212-555-0123", "212.555.0123", "1-800-555-0199", "2125550123",
            "555-0123",
            "030 901820", "030/901820", "0171 1234567", "020 7946 0958", "07700 900123", "01 23 45 67 89",
            "01.23.45.67.89",
            "0041 44 668 18 00", "+81-3-1234-5678", "(020) 7946 0958", "+1 212 555 0123 ext. 45", "212-555-0123 x45",
        ] {
            #expect(numbers(number) == [number])
            #expect(numbers("Call \(number), or\n\(number).") == [number, number])
            #expect(numbers("(\(number))").count == 1)
        }
    }

    @Test func otherNumbersAreNoTelephoneNumbers() {
        for text in [
            "", "42", "2024", "2024-03-05", "05.03.2024", "05/03/2024", "05.03.2024 15:30", "1,234,567", "12345678",
            "192.168.100.100", "4111 1111 1111 1111", "978-3-16-148410-0", "0-306-40615-2", "123-45-6789",
            "078-05-1120",
            "1732173755", "0000000000", "3.14159265358", "$2125550123", "1Z5R89390357567127", "A2125550123",
            "10:30-11:30",
            "+1", "+", "()", "((((((", "+0123456789", "#2125550123", "9400111201080805483016", "12 345 678",
            "x=0301234567",
            "100-2000", String(repeating: "1", count: 500), String(repeating: "1 ", count: 500),
        ] {
            #expect(numbers(text).isEmpty, "\(text)")
        }
    }

    @Test func aWordBeforeItMakesANumberATelephoneNumber() {
        #expect(numbers("Tel. 912 345 678") == ["912 345 678"])
        #expect(numbers("912 345 678").isEmpty)
        #expect(numbers("Tel: 5") == [])
    }

    @Test func labelsSayWhichNumberItIs() {
        let found = detect(
            \.phoneNumbers, in: "Mobile: +49 171 1234567\nOffice Phone (212) 555-0123\nIt is +44 20 7946 0958"
        ).phoneNumbers
        #expect(found.map(\.label) == ["Mobile", "Office", nil])
    }

    // MARK: - Postal addresses

    private func addresses(_ text: String) -> [DDMatchPostalAddress] {
        detect(\.postalAddresses, in: text).postalAddresses
    }

    private func parts(_ text: String) -> [String?] {
        guard let found = addresses(text).first else { return [] }
        return [found.street, found.city, found.state, found.postalCode, found.country]
    }

    @Test func americanAddressesAreFound() {
        #expect(
            parts("350 5th Ave, New York, NY 10118") == ["350 5th Ave", "New York", "NY", "10118", nil])
        #expect(
            parts("We meet at 1600 Pennsylvania Ave NW, Washington, DC 20500-0003, USA.")
                == ["1600 Pennsylvania Ave NW", "Washington", "DC", "20500-0003", "USA"])
        #expect(
            parts("Apple\nOne\n1 Infinite Loop\nCupertino, CA 95014\nUnited States")
                == ["1 Infinite Loop", "Cupertino", "CA", "95014", "United States"])
        #expect(
            parts("350 5th Ave, Suite 3300, New York, NY 10118") == [
                "350 5th Ave, Suite 3300", "New York", "NY", "10118", nil,
            ])
        #expect(
            parts("12 Main St, St. Louis, Missouri 63101") == ["12 Main St", "St. Louis", "Missouri", "63101", nil])
        #expect(
            parts("5 Elm Street, Charleston, West Virginia 25301")
                == ["5 Elm Street", "Charleston", "West Virginia", "25301", nil])
        #expect(
            parts("111 Wellington St, Ottawa, ON K1A 0A9, Canada")
                == ["111 Wellington St", "Ottawa", "ON", "K1A 0A9", "Canada"])
    }

    @Test func europeanAddressesAreFound() {
        #expect(
            parts("10 Downing Street, London SW1A 2AA, UK") == ["10 Downing Street", "London", nil, "SW1A 2AA", "UK"])
        #expect(
            parts("221B Baker Street\nLondon\nNW1 6XE") == ["221B Baker Street", "London", nil, "NW1 6XE", nil])
        #expect(
            parts("Friedrichstraße 43, 10117 Berlin") == ["Friedrichstraße 43", "Berlin", nil, "10117", nil])
        #expect(
            parts("Bahnhofstrasse 12a\nCH-8001 Zürich\nSchweiz") == [
                "Bahnhofstrasse 12a", "Zürich", nil, "CH-8001", "Schweiz",
            ])
        #expect(
            parts("5 rue de Rivoli, 75001 Paris, France") == ["5 rue de Rivoli", "Paris", nil, "75001", "France"])
        #expect(
            parts("Via Roma 10, 00184 Roma") == ["Via Roma 10", "Roma", nil, "00184", nil])
        #expect(
            parts("Keizersgracht 123, 1015 CJ Amsterdam") == ["Keizersgracht 123", "Amsterdam", nil, "1015 CJ", nil])
    }

    @Test func severalAddressesAreFoundInOrder() {
        let text = "From 350 5th Ave, New York, NY 10118\nto 10 Downing Street, London SW1A 2AA"
        #expect(
            addresses(text).map(\.matchedString) == [
                "350 5th Ave, New York, NY 10118", "10 Downing Street, London SW1A 2AA",
            ])
    }

    @Test func lookalikesOfAddressesAreNotDetected() {
        for text in [
            "", "10118", "NY 10118", "New York, NY 10118", "Berlin 2024", "in 2024, 1500 People came",
            "5 apples, 10 pears",
            "The street was long, 12345 Steps", ",,,,,,", "10117", "350 5th Ave", "Order 12345, 10117 pieces",
            "Chapter 3, 1200 Words", "A1 1AA", String(repeating: "1 A St, ", count: 100),
        ] {
            #expect(addresses(text).isEmpty, "\(text)")
        }
    }
}
