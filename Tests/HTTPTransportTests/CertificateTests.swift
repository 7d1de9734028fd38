import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import ProgramTesting
import Testing

struct CertificateTests {
    @Test func `an unknown certificate is shown with its fingerprint, and can be accepted`() async throws {
        let certificate = try await TestCertificate(name: "other.example")
        let server = try await TestServer(certificate)
        let request = try server.request(.get, "/file/100")
        let origin = request.address.origin
        let error = await failure { _ = try await HTTPClient(.direct).send(request) }
        guard case .untrustedCertificate(origin, let refused) = error else { throw Unexpected(error: error) }
        let fingerprint = try #require(refused.fingerprint)
        #expect(fingerprint.description == (try await certificate.fingerprint))
        #expect(refused.reason == "self-signed certificate")
        #expect(error?.description.contains(fingerprint.description) == true)

        var configuration = HTTPConfiguration.direct
        configuration.trust.accepted[origin] = fingerprint
        let client = try HTTPClient(configuration)
        #expect(try await client.send(request).body == TestServer.pattern(100))
    }

    @Test func `another certificate than the accepted one is refused`() async throws {
        let certificate = try await TestCertificate()
        let server = try await TestServer(certificate)
        let request = try server.request(.get, "/bearer", credentials: .bearer(token: "token"))
        var configuration = HTTPConfiguration.direct
        let accepted = try #require(HTTPFingerprint(String(repeating: "00", count: 32)))
        configuration.trust.accepted[request.address.origin] = accepted
        let error = await failure { _ = try await HTTPClient(configuration).send(request) }
        guard case .untrustedCertificate(_, let refused) = error else { throw Unexpected(error: error) }
        #expect(refused.accepted == accepted)
        #expect(refused.fingerprint?.description == (try await certificate.fingerprint))
        // Nothing of the request was sent.
        configuration.trust.accepted[request.address.origin] = refused.fingerprint
        let response = try await HTTPClient(configuration).send(server.request(.get, "/log"))
        #expect(!String(decoding: response.body, as: UTF8.self).contains("bearer"))
    }

    @Test func `an accepted certificate is accepted for one server only`() async throws {
        let certificate = try await TestCertificate()
        let (first, second) = (try await TestServer(certificate), try await TestServer(certificate))
        var configuration = HTTPConfiguration.direct
        let fingerprint = try #require(HTTPFingerprint(try await certificate.fingerprint))
        configuration.trust.accepted[try first.address("/").origin] = fingerprint
        let client = try HTTPClient(configuration)
        #expect(try await client.send(first.request(.get, "/file/1")).isSuccess)
        let error = await failure { _ = try await client.send(second.request(.get, "/file/1")) }
        guard case .untrustedCertificate = error else { throw Unexpected(error: error) }
    }

    @Test func `an authority is trusted for its names`() async throws {
        let certificate = try await TestCertificate()
        let server = try await TestServer(certificate)
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = try certificate.bytes
        #expect(try await HTTPClient(configuration).send(server.request(.get, "/file/1")).isSuccess)

        let other = try await TestCertificate(name: "other.example")
        let misnamed = try await TestServer(other)
        configuration.trust.authorities = try other.bytes
        let error = await failure { _ = try await HTTPClient(configuration).send(misnamed.request(.get, "/file/1")) }
        guard case .untrustedCertificate(_, let refused) = error else { throw Unexpected(error: error) }
        #expect(refused.reason == "it is for another name")
        #expect(refused.fingerprint?.description == (try await other.fingerprint))
        // A fingerprint that is accepted does not turn off the check of the name.
        configuration.trust.accepted[try misnamed.address("/").origin] = HTTPFingerprint(
            String(repeating: "00", count: 32))
        let second = await failure { _ = try await HTTPClient(configuration).send(misnamed.request(.get, "/file/1")) }
        guard case .untrustedCertificate = second else { throw Unexpected(error: second) }
    }

    @Test func `authorities that are no certificates are an error`() async throws {
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = Array("nothing".utf8)
        let client = try HTTPClient(configuration)
        let error = await failure { _ = try await client.send(HTTPRequest(.get, HTTPAddress("https://127.0.0.1:1/"))) }
        guard case .secureConnection = error else { throw Unexpected(error: error) }
    }

    @Test func `a server without encryption is named`() async throws {
        let server = try await TestServer()
        let address = try HTTPAddress("https" + server.origin.dropFirst(4) + "/file/1")
        let error = await failure { _ = try await HTTPClient(.direct).send(HTTPRequest(.get, address)) }
        guard case .secureConnection = error else { throw Unexpected(error: error) }
    }

    @Test func `a redirect does not leave encryption`() async throws {
        let certificate = try await TestCertificate()
        let (server, plain) = (try await TestServer(certificate), try await TestServer())
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = try certificate.bytes
        let target = try plain.address("/file/1").description.percentEncoded
        let error = await failure {
            _ = try await HTTPClient(configuration).send(server.request(.get, "/redirect/302?to=\(target)"))
        }
        guard case .redirect = error else { throw Unexpected(error: error) }
        #expect(try await plain.log("/file").isEmpty)
    }
}
