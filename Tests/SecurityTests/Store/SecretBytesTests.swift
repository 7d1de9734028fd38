import FileTesting
import Foundation
import ProgramTesting
import SecretStorage
import Secrets
import Testing

/// Copies of secrets in memory and in texts.
struct SecretBytesTests {
    @Test func erasedMemoryIsZero() {
        var bytes = Array("very secret".utf8)
        bytes.withUnsafeMutableBytes { SecretBytes.erase($0) }
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    @Test func aSecretIsInNoDescription() {
        let value = secret("very secret")
        var dumped = ""
        dump(value, to: &dumped)
        #expect(dumped.hasPrefix("- a secret of 11 bytes"))
        #expect(!dumped.contains("very"))
        #expect("\(value)" == "a secret of 11 bytes")
        #expect(String(reflecting: value) == "a secret of 11 bytes")
        let item = SecretItem(
            itemClass: .genericPassword, attributes: [:], reference: UUID(), created: 0, modified: 0, value: value)
        #expect(!"\(item)".contains("very secret"))
    }

    @Test(arguments: ["find", "set", "add"]) func noCopyOfASecretStaysInMemory(call: String) async throws {
        let folder = try TestStore.makeFolder()
        let text = "a password that is long enough to be found"
        // In another process, whose arguments have it.
        for arguments in [["add", "a", "1"], ["set", "a", text]] {
            let run = try await RunningProgram(BuiltProgram.path("SecretsPeer"), [folder.path] + arguments).end()
            #expect(run.status == 0)
        }
        let bytes = [Array(text.utf8), try folder.content(TestStore.keyName)]
        let digits = bytes.map { $0.map { String(format: "%02x", $0) }.joined() }
        let run = try await RunningProgram(
            BuiltProgram.path("SecretsPeer"), [folder.path, "scan", call] + digits
        ).end()
        #expect(run.text == "password in use: true\npassword: false\nkey: false\n", "\(run)")
    }
}
