import Conduit
import Testing

struct MangledNameTests {
    private static let limit = 1 << 20

    @Test func anOrdinaryNameIsReadable() {
        let name = "$s11PurveyFiles14BrowserProgramO3runys5Int32VAC5BeginO_0D7Manuals0D6ManualVtFZ"
        #expect(MangledName.readable(name, atMost: Self.limit)?.contains("PurveyFiles.BrowserProgram.run") == true)
    }

    /// Each letter of the second identifier stands for the whole first identifier.
    @Test func aNameThatRepeatsALongWordIsRefused() {
        let name = "$s4000h" + String(repeating: "x", count: 3_999) + "0" + String(repeating: "a", count: 4_000) + "A0V"
        #expect(MangledName.readable(name, atMost: Self.limit) == nil)
    }
}
