import ExtensionHost
import LinuxSystem
import Testing

/// The display of the user's session, and the X authority entries for it.
@Suite struct DisplayTests {
    private func entry(_ family: Int, _ number: String, _ data: [UInt8] = [7]) -> [UInt8] {
        let parts = [Array("host".utf8), Array(number.utf8), Array("MIT-MAGIC-COOKIE-1".utf8), data]
        return [UInt8(family >> 8), UInt8(family & 0xFF)] + parts.flatMap { [0, UInt8($0.count)] + $0 }
    }

    @Test func noClientGetsTheCookiesOfOtherDisplays() {
        let (local, any, internet) = (256, 65535, 0)
        let (ours, wild) = (entry(local, "1"), entry(any, ""))
        let file = entry(local, "10") + ours + entry(internet, "1") + entry(local, "0") + wild
        #expect(XAuthority.entries(file, forDisplay: 1) == ours + wild)
        #expect(XAuthority.entries(file, forDisplay: 2) == wild)
        #expect(XAuthority.entries([], forDisplay: 1).isEmpty)
    }

    @Test func aFileThatIsCutOffGivesWhatIsWhole() {
        let (first, second) = (entry(256, "1"), entry(256, "1", [8, 8]))
        for count in 0..<second.count {
            #expect(XAuthority.entries(first + second.prefix(count), forDisplay: 1) == first)
        }
        // The length exceeds the data.
        #expect(XAuthority.entries([1, 0, 255, 255, 1], forDisplay: 1).isEmpty)
    }

    @Test(arguments: [
        (":0", 0), (":12.1", 12), ("unix:3", 3), ("host:1", nil), ("localhost:10.0", nil), ("", nil), (":", nil),
        (":x", nil),
        (":-1", nil), (":99999999999999999999", nil),
    ])
    func onlyDisplaysOfThisMachineHaveANumber(_ display: String, _ number: Int?) {
        #expect(PassedDisplay.number(of: display) == number)
    }
}
