import Foundation
import OSLog
import Testing

@Suite struct LoggingTests {
    private func text(_ message: OSLogMessage) -> String { message.text }

    @Test func numbersAreWrittenInTheirFormat() {
        #expect(text("\(255, format: .hex)") == "ff")
        #expect(text("\(255, format: .hex(includePrefix: true, uppercase: true, minDigits: 4))") == "0x00FF")
        #expect(text("\(-8, format: .octal)") == "-10")
        #expect(text("\(5, format: .decimal(explicitPositiveSign: true, minDigits: 3))") == "+005")
        #expect(text("\(UInt64.max, format: .decimal)") == "18446744073709551615")
        #expect(text("\(Int8.min, format: .hex(includePrefix: true))") == "-0x80")
        #expect(text("\(3.14159, format: .fixed(precision: 2))") == "3.14")
        #expect(text("\(Float(0.5), format: .exponential(precision: 1))") == "5.0e-01")
        #expect(text("\(0.5, format: .hybrid)") == "0.5")
        #expect(text("\(true, format: .answer) \(false, format: .truth)") == "yes false")
    }

    @Test func numbersAreWrittenByTheirMeaning() {
        #expect(text("\(1536, format: .byteCountIEC)") == "1.50 KiB")
        #expect(text("\(2_500_000, format: .byteCount)") == "2.50 MB")
        #expect(text("\(12, format: .byteCount)") == "12 B")
        #expect(text("\(Int32(2), format: .darwinErrno)") == "[2: No such file or directory]")
        #expect(text("\(Int32(0), format: .secondsSince1970)") == "1970-01-01T00:00:00Z")
        #expect(text("\(Int32(0x0100_007F), format: .ipv4Address)") == "127.0.0.1")
    }

    @Test func valuesStandInColumns() {
        #expect(text("[\("ab", align: .right(columns: 4), privacy: .public)]") == "[  ab]")
        #expect(text("[\("ab", align: .left(columns: 4), privacy: .public)]") == "[ab  ]")
        #expect(text("[\(7, align: .right(columns: 3))]") == "[  7]")
        #expect(text("[\("longer", align: .left(columns: 2), privacy: .public)]") == "[longer]")
        #expect(text("[\(255, format: .hex, align: .left(columns: 4))]") == "[ff  ]")
    }

    @Test func privateValuesStayPrivateInAnyFormat() {
        #expect(text("\("secret", align: .left(columns: 9))") == "<private>")
        #expect(text("\(7, format: .decimal, privacy: .private)") == "<private>")
        #expect(text("\(7.5, format: .fixed, align: .right(columns: 3), privacy: .sensitive)") == "<private>")
    }

    @Test func modifiersInBracesAreNoPartOfTheFormat() {
        #expect(
            OSLog.text("%{public}@ %{public,mask.hash}@ %{bool}d %{errno}d %%", ["a", "b", 1, 2])
                == "a b 1 2 %")
        #expect(OSLog.text("{kept} %d", [3]) == "{kept} 3")
    }

    @Test func privateValuesOfAFormatAreHidden() {
        #expect(
            OSLog.text("%{private}@ %d %{sensitive, errno}*d %{private}.2f %5.1f|", ["a", 1, 4, 2, 0.5, 0.25])
                == "<private> 1 <private> <private>   0.2|")
        #expect(OSLog.text("%{private}d and %", [1]) == "<private> and ")
        #expect(OSLog.text("100 %% of %{private,mask.hash}s", [1]) == "100 % of <private>")
    }

    @Test func everyFormOfALogCallIsWritten() {
        let log = OSLog(subsystem: "org.example", category: .pointsOfInterest)
        os_log(.info, "number %d", 3)
        os_log(.info, log: log, "object %{public}@", 3 as NSNumber)
        os_log(.info, log: log, "value \(3)")
        os_log("value \(3)")
        os_log("older %d", log: log, type: .info, 3)
        os_signpost(.begin, log: log, name: "interval", "of %d", 3)
        os_signpost(.end, log: log, name: "interval")
        #expect(log.isEnabled(type: .fault) && !OSLog.disabled.isEnabled(type: .fault))
    }

    @Test func signpostsGiveBackWhatTheirWorkGives() throws {
        let signposter = OSSignposter(subsystem: "org.example", category: "work")
        #expect(signposter.withIntervalSignpost("work") { 3 } == 3)
        #expect(throws: CocoaError.self) {
            try signposter.withIntervalSignpost("work", id: .exclusive, "of \(3)") { throw CocoaError(.userCancelled) }
        }
        #expect(signposter.makeSignpostID() != signposter.makeSignpostID())
        let object = NSObject()
        #expect(signposter.makeSignpostID(from: object) == signposter.makeSignpostID(from: object))
        #expect(!OSSignposter.disabled.isEnabled)
    }
}
