import Foundation
import FoundationAdditions
import Testing

@Suite struct CoreFoundationNamesTests {
    @Test func theAbsoluteTimeIsThatOfDates() {
        let before = Date.timeIntervalSinceReferenceDate
        let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        #expect(before <= time && time <= Date.timeIntervalSinceReferenceDate)
        let epoch = Date(timeIntervalSince1970: 0)
        #expect(epoch.timeIntervalSinceReferenceDate + kCFAbsoluteTimeIntervalSince1970 == 0)
        let elapsed: CFTimeInterval = CFAbsoluteTimeGetCurrent() - time
        #expect(elapsed >= 0)
    }

    @Test func objectsAreUsedByTheirOlderNames() throws {
        let query = ["a": kCFBooleanTrue as Any, "b": "text"] as CFDictionary
        #expect(query["a"] as? Bool == true && query["b"] as? String == "text")
        #expect("png" as CFString as String == "png")
        #expect(noErr == 0)
    }
}
