import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// Malicious property lists from another process.
@Suite struct HostilePropertyListTests {
    /// A binary list of forty arrays, each of which refers to the next one twice: 243 bytes that expand to 2^40
    /// objects.
    private static let unfolding = Data(
        base64Encoded: """
            YnBsaXN0MDCiAQGiAgKiAwOiBASiBQWiBgaiBweiCAiiCQmiCgqiCwuiDAyiDQ2iDg6iDw+iEBCiERGiEhKiExOiFBSiFRWiFhai
            FxeiGBiiGRmiGhqiGxuiHByiHR2iHh6iHx+iICCiISGiIiKiIyOiJCSiJSWiJiaiJyeiKCgJAAgACwAOABEAFAAXABoAHQAgACMA
            JgApACwALwAyADUAOAA7AD4AQQBEAEcASgBNAFAAUwBWAFkAXABfAGIAZQBoAGsAbgBxAHQAdwB6AH0AgAAAAAAAAAIBAAAAAAAA
            ACkAAAAAAAAAAAAAAAAAAACB
            """, options: .ignoreUnknownCharacters)

    private func provider(_ type: String) throws -> NSItemProvider {
        let list = try #require(Self.unfolding)
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
            completion(list, nil)
            return nil
        }
        return provider
    }

    private func isRefused(_ error: any Error) -> Bool {
        (error as NSError).domain == NSItemProvider.errorDomain
            && (error as NSError).code == NSItemProvider.ErrorCode.unavailableCoercionError.rawValue
    }

    @Test(.timeLimit(.minutes(10))) func oneThatUnfoldsExponentiallyIsNoURL() async throws {
        let provider = try provider(UTType.url.identifier)
        await #expect(performing: { try await provider.loadObject(ofClass: URL.self) as URL }, throws: isRefused)
    }

    @Test(.timeLimit(.minutes(10))) func oneThatUnfoldsExponentiallyIsNoAttributedText() async throws {
        let provider = try provider("org.purvey.attributed-string")
        let error = await loaded { done in
            provider.loadObject(ofClass: NSAttributedString.self) { _, error in done(error as NSError?) }
        }.value
        #expect(error.map(isRefused) == true)
    }
}
