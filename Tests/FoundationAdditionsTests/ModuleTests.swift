import FileProvider
import Testing
import UniformTypeIdentifiers

// No module of Foundation: the other files of this target use it by one module each.
@Suite struct ModuleTests {
    @Test func everyModuleBringsFoundation() throws {
        #expect(try json(.png).count == 14)
        #expect(request(.rootContainer)?.httpMethod == "GET")
    }
}
