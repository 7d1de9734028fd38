import Conduit
import Testing

struct MangledNameTests {
    private static let limit = 1 << 20

    @Test func anOrdinaryNameIsReadable() {
        let name = "$s11PurveyFiles14BrowserProgramO3runys5Int32VAC5BeginO_0D7Manuals0D6ManualVtFZ"
        #expect(MangledName.readable(name, atMost: Self.limit)?.contains("PurveyFiles.BrowserProgram.run") == true)
    }

    /// Each letter of the last identifier stands for the whole first identifier. Text may stand between the letters.
    @Test(arguments: [
        ("", "0" + String(repeating: "a", count: 4_000) + "A0V"),
        ("", "0" + String(repeating: "a1_", count: 1_000) + "A0V"),
        ("1B", "0" + String(repeating: "a1_", count: 1_000) + "a0V"),
    ])
    func aNameThatRepeatsALongWordIsRefused(before: String, last: String) {
        let name = "$s4000h" + String(repeating: "x", count: 3_999) + before + last
        #expect(MangledName.readable(name, atMost: Self.limit) == nil)
    }
}
