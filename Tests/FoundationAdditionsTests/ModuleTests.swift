import FileProvider
import Testing
import UniformTypeIdentifiers

// This file imports no Foundation module; each of the target's other files imports a single module that exports
// Foundation.
@Suite struct ModuleTests {
    @Test func everyModuleBringsFoundation() throws {
        #expect(try json(.png).count == 14)
        #expect(request(.rootContainer)?.httpMethod == "GET")
    }
}
