import DragAndDrop
import Foundation
import Testing

@Suite struct ShipmentAndFlightDetectionTests {
    private func shipments(_ text: String) -> [String] {
        detect(\.shipmentTrackingNumbers, in: text).shipmentTrackingNumbers.map { "\($0.carrier) \($0.trackingNumber)" }
    }

    @Test func trackingNumbersAreKnownByTheirCheckDigits() {
        for (text, carrier) in [
            ("1Z5R89390357567127", "UPS"), ("1Z879E930346834440", "UPS"), ("1Z410E7W0392751591", "UPS"),
            ("1Z 5R8 939 03 5756 712 7", "UPS"), ("9400 1112 0108 0805 4830 16", "USPS"),
            ("9405803699300124287899", "USPS"),
            ("7112 3456 7891 2345 6787", "USPS"), ("0307 1790 0005 2348 3741", "USPS"),
            ("92748931507708513018050063", "USPS"),
            ("420221539101026837331000039521", "USPS"), ("4201028200009261290113185417468510", "USPS"),
            ("9611020987654312345672", "FedEx"), ("JJD0099999999", "DHL"), ("JVGL0999999990", "DHL"),
            ("RB123456785GB", "Royal Mail"), ("RR473124829US", "USPS"), ("EE 123 456 785 US", "USPS"),
        ] {
            let number = text.filter { $0 != " " }
            #expect(shipments(text) == ["\(carrier) \(number)"], "\(text)")
            #expect(shipments("Sent as \(text), (\(text)).").count == 2, "\(text)")
            #expect(detect(\.shipmentTrackingNumbers, in: text).shipmentTrackingNumbers.first?.matchedString == text)
        }
    }

    @Test func aWeakCheckDigitNeedsAWordBeforeIt() {
        for (number, carrier) in [
            ("986578788855", "FedEx"), ("477179081230", "FedEx"), ("790535312317", "FedEx"),
            ("0414 4176 0228 964", "FedEx"),
            ("5682 8361 0012 734", "FedEx"), ("3318810025", "DHL"), ("8487135506", "DHL"), ("3821724944", "DHL"),
        ] {
            let written = number.filter { $0 != " " }
            #expect(shipments("\(carrier) tracking: \(number)") == ["\(carrier) \(written)"], "\(number)")
            #expect(shipments("Tracking number \(number)") == ["\(carrier) \(written)"], "\(number)")
            #expect(shipments("Invoice \(number)").isEmpty, "\(number)")
        }
    }

    @Test func aWrongCheckDigitIsNoTrackingNumber() {
        for text in [
            "", "2Z5R89390357567127", "1A5R89390357567127", "1Z1111111111111111", "1Z5R89390357567126",
            "1Z5R8939035756712",
            "1Z5R893903575671271", "9200000000000000000000", "9400111201080805483017", "0307 1790 0005 2348 3742",
            "9600000000000000000001", "RB123456784GB", "RB123456785XX", "rb123456785gb", "XJD0099999998",
            "FedEx 996578788855",
            "FedEx 5682 8361 0012 732", "DHL 3318810010", "1234567890", String(repeating: "1", count: 500),
            String(repeating: "9 ", count: 500), "tracking", "1Z", "X1Z5R89390357567127", "https://x/1Z5R8-9390",
        ] {
            #expect(shipments(text).isEmpty, "\(text)")
        }
    }

    private func flights(_ text: String) -> [String] {
        detect(\.flightNumbers, in: text).flightNumbers.map { "\($0.airline) \($0.flightNumber)" }
    }

    @Test func flightsAreKnownByTheirAirlines() {
        for (text, flight) in [
            ("BA123", "British Airways 123"), ("BA 123", "British Airways 123"), ("LH400", "Lufthansa 400"),
            ("UA 1549", "United Airlines 1549"),
            ("U2 8001", "easyJet 8001"), ("6E 204", "IndiGo 204"), ("EK12", "Emirates 12"),
            ("DL 0089", "Delta Air Lines 0089"),
            ("flight AC 8", "Air Canada 8"), ("Flug OS 87", "Austrian Airlines 87"),
            ("Flight number AA1", "American Airlines 1"),
        ] {
            #expect(flights(text) == [flight], "\(text)")
            #expect(flights("Take \(text), (\(text)).") == [flight, flight], "\(text)")
        }
        #expect(detect(\.flightNumbers, in: "on BA 123 tomorrow").flightNumbers.first?.matchedString == "BA 123")
    }

    @Test func lookalikesOfFlightsAreNotDetected() {
        for text in [
            "", "BA", "123", "ba123", "BA12345", "XBA123", "BA1", "BA 12", "AC 230", "OS 9", "OS 10", "AM 1000",
            "QQ123", "BA123X",
            "CA 90210", "A3 2024", "MS 365", "BA-123", "BA 1.50", "BA 12:30", "U28001x", "VS 2022", "12 345", "BA  123",
        ] {
            #expect(flights(text).isEmpty, "\(text)")
        }
    }
}
