import FileProvider
import Foundation
import FoundationNetworking
import LinuxSystem
import ScriptableService

/// The provider's connection to its service. Calls block, and throw errors that a provider may return.
struct ServiceClient: Sendable {
    /// The path of the directory in which the service publishes its port.
    let folder: String
    /// The file that stores the token of the last sign-in.
    let tokenFile: URL

    private func connect() throws -> CloudSocket {
        if let address = try? String(contentsOfFile: folder + "/asks-web", encoding: .utf8) { try askWeb(address) }
        let port = UInt16((try? String(contentsOfFile: CloudService.portFile(in: folder), encoding: .utf8)) ?? "")
        guard let port, let socket = try? CloudSocket.connect(port: port) else {
            throw NSFileProviderError(.serverUnreachable)
        }
        return socket
    }

    /// Makes an HTTP request to the address that a file in the test's directory contains.
    private func askWeb(_ address: String) throws {
        guard let url = URL(string: address) else { throw CocoaError(.fileReadUnknown) }
        let result = Lock<(any Error)?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let task = URLSession.shared.dataTask(with: url) { _, _, error in
            result.withLock { $0 = error }
            isOver.signal()
        }
        task.resume()
        isOver.wait()
        if let error = result.withLock({ $0 }) { throw error }
    }

    private static let pieceSize = 1 << 16

    private var token: String? { try? String(contentsOf: tokenFile, encoding: .utf8) }

    /// Sends a request and waits for the reply.
    ///
    /// - Parameters:
    ///   - body: A file that is sent as the body.
    ///   - sent: A closure that receives the number of bytes sent and their total.
    ///   - take: A closure that receives the pieces of the reply's body.
    func ask(
        _ request: CloudRequest, sending body: URL? = nil, sent: (Int, Int) -> Void = { _, _ in },
        receiving take: (ArraySlice<UInt8>) throws -> Void = { _ in }
    ) throws -> CloudAnswer {
        let socket = try connect()
        do {
            let bytes = try body.map { [UInt8](try Data(contentsOf: $0, options: .alwaysMapped)) } ?? []
            try socket.send(SignedRequest(request, token: token), bodySize: bytes.count)
            for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
                let end = min(bytes.count, start + Self.pieceSize)
                try socket.send(bytes[start..<end])
                sent(end, bytes.count)
            }
            let (answer, size) = try socket.receive(CloudAnswer.self)
            try socket.receive(size, take)
            if case .failed(let failure) = answer { throw failure }
            return answer
        } catch let failure as CloudError {
            throw failure
        } catch is CloudSocket.Ended {
            throw NSFileProviderError(.serverUnreachable)
        } catch let error as Errno where error == .connectionReset || error == .brokenPipe {
            throw NSFileProviderError(.serverUnreachable)
        }
    }

    func item(
        _ request: CloudRequest, sending body: URL? = nil, sent: (Int, Int) -> Void = { _, _ in }
    ) throws -> CloudItem {
        guard case .item(let item) = try ask(request, sending: body, sent: sent) else { throw CloudError.broken }
        return item
    }

    /// Fetches the body of a reply to a file. The file exists only if the body is complete.
    @discardableResult
    func fetch(_ request: CloudRequest, to url: URL) throws -> CloudItem {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let partial = url.path + ".partial-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: partial) }
        let file = try FileDescriptor.open(partial, [.writeOnly, .create, .exclusive])
        let answer = try ask(request, receiving: { piece in try piece.withUnsafeBytes { try file.writeAll($0) } })
        guard case .item(let item) = answer else { throw CloudError.broken }
        guard rename(partial, url.path) == 0 else { throw Errno.current }
        return item
    }

    /// Fetches the body of a reply to an offset of a new file.
    func fetchPart(_ request: CloudRequest, to url: URL, at offset: Int) throws -> (item: CloudItem, count: Int) {
        let file = try FileDescriptor.open(url.path, [.writeOnly, .create, .exclusive])
        var place = offset
        let answer = try ask(
            request,
            receiving: { piece in
                try piece.withUnsafeBytes { try file.writeAll($0, at: place) }
                place += piece.count
            })
        guard case .item(let item) = answer else { throw CloudError.broken }
        return (item, place - offset)
    }

    func signIn(_ password: String) throws {
        guard case .token(let token) = try ask(.signIn(password: password)) else { throw CloudError.broken }
        try Data(token.utf8).write(to: tokenFile)
    }

    /// Returns the error that the system receives for a failure.
    static func error(_ error: any Error) -> any Error {
        guard let failure = error as? CloudError else { return error }
        switch failure {
        case .noSuchItem: return NSFileProviderError(.noSuchItem)
        case .taken(let item): return NSError.fileProviderErrorForCollision(with: ServiceItem(item))
        case .overQuota:
            return NSFileProviderError(
                .insufficientQuota,
                userInfo: [
                    NSLocalizedDescriptionKey: "The service has no room left.",
                    NSLocalizedRecoverySuggestionErrorKey: "Remove files there, or buy more room.",
                ])
        case .notSignedIn:
            return NSFileProviderError(
                .notAuthenticated, userInfo: [NSLocalizedDescriptionKey: "Nobody is signed in."])
        case .wrongPassword:
            return NSFileProviderError(
                .notAuthenticated, userInfo: [NSLocalizedDescriptionKey: "The password is wrong."])
        case .anchorExpired: return NSFileProviderError(.syncAnchorExpired)
        case .unsupported: return CocoaError(.featureUnsupported)
        case .outdated, .broken:
            return NSError(domain: "ScriptableService", code: 500)
        }
    }
}
