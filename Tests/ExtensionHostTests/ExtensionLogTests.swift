import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing

/// The log of an extension's processes: printed lines, log messages and crashes.
@Suite struct ExtensionLogTests {
    private func log(_ place: ExtensionFixture) -> ExtensionLog {
        ExtensionLog(of: "org.example.unruly", data: place.data)
    }

    private func text(_ place: ExtensionFixture) throws -> String {
        var reader = ExtensionLogReader(log(place))
        var bytes: [UInt8] = []
        while true {
            let more = try reader.next()
            if more.isEmpty { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func theLogHasTheOutputAndTheEndOfAProcess() throws {
        try ExtensionFixture.run { place in
            let process = try place.start()
            #expect(process.tell("print hello") == "done")
            process.order("exit 3")
            #expect(process.run.waitForEnd().status == 3)
            let lines = try text(place).split(separator: "\n").map(String.init)
            try #require(lines.count == 4, "\(lines)")
            #expect(lines[0].contains("started: ") && lines[0].contains("no PurveyAllowsNetwork"))
            #expect(lines[1].hasSuffix("] hello on output"))
            #expect(lines[2].hasSuffix("] hello on errors"))
            #expect(lines[3].hasSuffix("] the extension ended with exit status 3"))
        }
    }

    @Test func aCrashIsKeptWithItsMessageAndTheFunctionsThatItCameFrom() throws {
        try ExtensionFixture.run { place in
            let process = try place.start()
            process.order("told-crash")
            let ending = process.run.waitForEnd()
            #expect(ending.reason == .signalled)
            // The frames of the backtrace do not replace the program's own last lines.
            #expect(ending.lastLines.last?.contains("Fatal error: Index out of range") == true, "\(ending)")
            let printed = try text(place)
            #expect(printed.contains("printed before the end"))
            #expect(printed.contains("Fatal error: Index out of range"))
            #expect(printed.contains("crashed: signal "))
            #expect(printed.contains("fallOver("), "\(printed)")
            #expect(printed.contains(" in Unruly"), "\(printed)")
            #expect(printed.contains("the extension crashed: signal"))
        }
    }

    @Test func framesThatAProcessMakesUpOpenNoFilesOfOthers() throws {
        try ExtensionFixture.run { place in
            let process = try place.start()
            let pipe = place.root + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(process.tell("frames \(pipe)(+0x10)[0x10]") == "done")
            process.end()
            #expect(try text(place).contains("  0  \(pipe)(+0x10)[0x10]"))
        }
    }

    /// Each part of the name contains the previous part twice, so that the whole name would have more than a hundred
    /// megabytes.
    @Test func aNameThatGrowsWithoutEndIsKeptAsItIs() throws {
        let parts = (0..<22).map { "A" + String(UnicodeScalar(UInt8(ascii: "D") + UInt8($0))) + "G" }
        let name = "$s1M1GVy" + String(repeating: "ACy", count: 22) + "SiSiG" + parts.joined() + "D"
        try ExtensionFixture.run { place in
            let process = try place.start()
            #expect(process.tell("frames /usr/x(\(name)+0x10)[0x10]") == "done")
            #expect(process.tell("frames /usr/x($s1M1GVySiSiGD+0x10)[0x10]") == "done")
            process.end()
            let printed = try text(place)
            #expect(printed.contains("  0  \(name) in x"))
            #expect(printed.contains("  0  M.G<Swift.Int, Swift.Int> in x"))
        }
    }
}
