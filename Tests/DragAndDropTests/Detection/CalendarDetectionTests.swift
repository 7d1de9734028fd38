import DragAndDrop
import Foundation
import Testing

@Suite struct CalendarDetectionTests {
    private func events(_ text: String, isMonthFirst: Bool = false) -> [DDMatchCalendarEvent] {
        detect(\.calendarEvents, in: text, isMonthFirst: isMonthFirst).calendarEvents
    }

    /// Returns the only event as text: its start, its end and whether it lasts whole days.
    private func only(_ text: String, isMonthFirst: Bool = false) -> String {
        let events = events(text, isMonthFirst: isMonthFirst)
        guard events.count == 1, let event = events.first, let start = event.startDate else {
            return "\(events.count) events"
        }
        let format = Date.ISO8601FormatStyle()
        return start.formatted(format) + (event.endDate.map { " to \($0.formatted(format))" } ?? "")
            + (event.isAllDay ? " all day" : "")
    }

    @Test func daysAreFoundInTheFormsOfManyCountries() {
        for text in [
            "2024-12-24", "2024/12/24", "24.12.2024", "24.12.24", "24/12/2024", "24-12-2024", "12/24/2024",
            "December 24, 2024",
            "Dec. 24, 2024", "Dec 24th, 2024", "24 December 2024", "24th of December 2024", "24. Dezember 2024",
            "24 décembre 2024", "24 de diciembre de 2024", "24 dicembre 2024", "24 december 2024".capitalized,
            "Tuesday, December 24, 2024", "Dienstag, den 24. Dezember 2024", "24 December", "Dec 24",
        ] {
            #expect(only(text) == "2024-12-24T00:00:00Z all day", "\(text)")
            #expect(only("On (\(text)), all of us.") == "2024-12-24T00:00:00Z all day", "\(text)")
            #expect(events(text).first?.matchedString == text)
        }
    }

    @Test func aYearOfTwoDigitsIsOneFrom1969To2068() {
        #expect(only("24.12.68") == "2068-12-24T00:00:00Z all day")
        #expect(only("24.12.69") == "1969-12-24T00:00:00Z all day")
        #expect(only("24.12.99") == "1999-12-24T00:00:00Z all day")
        #expect(only("24.12.00") == "2000-12-24T00:00:00Z all day")
    }

    @Test func theClockSaysWhetherTheMonthIsFirst() {
        #expect(only("3/4/2024") == "2024-04-03T00:00:00Z all day")
        #expect(only("3/4/2024", isMonthFirst: true) == "2024-03-04T00:00:00Z all day")
        #expect(only("3.4.2024", isMonthFirst: true) == "2024-04-03T00:00:00Z all day")
    }

    @Test func bothDaysOfASpanAreReadInOneOrder() {
        let span = "2026-12-31T00:00:00Z to 2027-01-02T00:00:00Z all day"
        for isMonthFirst in [true, false] {
            #expect(only("12/31/2026 - 01/02/2027", isMonthFirst: isMonthFirst) == span)
            #expect(only("31/12/2026 - 02/01/2027", isMonthFirst: isMonthFirst) == span)
            let settledLast = "2026-12-01T00:00:00Z to 2026-12-31T00:00:00Z all day"
            #expect(only("12/01/2026 - 12/31/2026", isMonthFirst: isMonthFirst) == settledLast)
            #expect(only("01/12/2026 to 31/12/2026", isMonthFirst: isMonthFirst) == settledLast)
        }
        #expect(only("3/4/2024 - 4/4/2024") == "2024-04-03T00:00:00Z to 2024-04-04T00:00:00Z all day")
    }

    @Test func relativeDaysCountFromToday() {
        #expect(only("today") == "2024-03-05T00:00:00Z all day")
        #expect(only("Lunch tomorrow at noon") == "2024-03-06T12:00:00Z")
        #expect(only("next Friday") == "2024-03-08T00:00:00Z all day")
        #expect(only("on Tuesday at 9am") == "2024-03-12T09:00:00Z")
    }

    @Test func timesBelongToTheirDays() {
        for text in [
            "2024-12-24T15:30:00Z", "2024-12-24T15:30Z", "2024-12-24 15:30", "20241224T153000Z",
            "2024-12-24T16:30:00+01:00",
            "2024-12-24T10:30:00.123-0500", "December 24, 2024 at 3:30 PM", "24 December 2024, 3:30 p.m.",
            "24.12.2024 um 15:30 Uhr",
            "24.12.2024, 15.30 Uhr", "24 décembre 2024 à 15h30", "3:30 pm on December 24, 2024",
            "15:30, 24 December 2024",
            "24 December 2024 15:30 GMT", "24 December 2024 15:30 UTC", "24 December 2024 16:30 CET",
            "Dec 24, 2024 10:30 EST",
            "24 December 2024 17:30 UTC+2",
        ] {
            #expect(only(text) == "2024-12-24T15:30:00Z", "\(text)")
        }
        #expect(events("Dec 24, 2024 10:30 EST").first?.startTimeZone == TimeZone(identifier: "America/New_York"))
        #expect(events("Dec 24, 2024 10:30").first?.startTimeZone == nil)
        #expect(only("24 December 2024 at midnight") == "2024-12-24T00:00:00Z")
        #expect(only("24 December 2024, 12 am") == "2024-12-24T00:00:00Z")
    }

    @Test func spansHaveAnEnd() {
        for text in [
            "24 December 2024, 15:30-17:00", "24 December 2024 15:30 – 17:00", "24.12.2024 von 15:30 bis 17:00 Uhr",
            "December 24, 2024 from 3:30 to 5 pm", "December 24, 2024, 3:30 pm - 5 pm",
            "15:30 to 17:00 on 24 December 2024",
        ] {
            #expect(only(text) == "2024-12-24T15:30:00Z to 2024-12-24T17:00:00Z", "\(text)")
        }
        #expect(only("24 December 2024 3–4 pm") == "2024-12-24T15:00:00Z to 2024-12-24T16:00:00Z")
        #expect(only("24 December 2024, 11-1 pm") == "2024-12-24T11:00:00Z to 2024-12-24T13:00:00Z")
        #expect(only("24 December 2024 23:00 - 1:00") == "2024-12-24T23:00:00Z to 2024-12-25T01:00:00Z")
        #expect(only("24.12.2024 10:00-11:00") == "2024-12-24T10:00:00Z to 2024-12-24T11:00:00Z")
        #expect(only("2024-12-24 10:00+02:00") == "2024-12-24T08:00:00Z")
        #expect(only("5–7 March 2024") == "2024-03-05T00:00:00Z to 2024-03-07T00:00:00Z all day")
        #expect(only("5 March 2024 to 7 April 2024") == "2024-03-05T00:00:00Z to 2024-04-07T00:00:00Z all day")
        #expect(
            only("2024-03-05 10:00 – 2024-03-06 12:00 UTC") == "2024-03-05T10:00:00Z to 2024-03-06T12:00:00Z")
        let zone = events("24 December 2024 15:30-17:00 CET").first
        #expect(zone?.endTimeZone == TimeZone(identifier: "Europe/Berlin") && zone?.startTimeZone == zone?.endTimeZone)
    }

    @Test func severalEventsAreFoundInOrder() {
        let text = "Due 2024-03-05, 2024-03-06 and\n7 March 2024 at 10:00."
        #expect(events(text).map(\.matchedString) == ["2024-03-05", "2024-03-06", "7 March 2024 at 10:00"])
    }

    @Test func lookalikesOfDatesAreNotDetected() {
        for text in [
            "", "2024", "2024-13-01", "2024-02-30", "2023-02-29", "30.02.2024", "32/01/2024", "1.2.3", "1.2.3.4",
            "192.168.1.10",
            "10.12.14.16", "12:30", "at 5pm", "may 5 people", "you march 12 miles", "1/2", "5/10", "24/7",
            "12345-12-24",
            "2024-12-245", "a2024-12-24", "v2024.12.24-b", "Friday", "March", "2024-03-05-06", "+49 30 2024", "0/0/0",
            "99/99/9999",
            "T12:30", "://12/12", String(repeating: "1/", count: 300), String(repeating: "12-", count: 300),
        ] {
            #expect(events(text).isEmpty, "\(text)")
        }
    }
}
