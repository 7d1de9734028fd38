import HTTPTransport
import XMLStream

extension DAVClient {
    /// Locks a file against writes by all other clients. If nothing exists at the address, most servers create an empty
    /// file there.
    ///
    /// - Parameters:
    ///   - owner: the owner of the lock, which other clients show to their users.
    ///   - timeout: the duration after which the server removes the lock; the server may choose another one.
    public func lock(
        _ address: HTTPAddress, owner: String, timeout: Duration = .seconds(300)
    ) async throws(DAVError) -> DAVLock {
        let kind = "<D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>"
        var request = request(
            .lock, address,
            xml: "<D:lockinfo xmlns:D=\"DAV:\">\(kind)<D:owner>\(owner.xmlEscaped)</D:owner></D:lockinfo>")
        request.headers["Depth"] = "0"
        request.headers["Timeout"] = "Second-\(timeout.components.seconds)"
        let response = try await send(request)
        let found = try? activeLocks(response)
        // The header field contains the token of the new lock. The body may also contain older, shared locks.
        let header = response.headers["Lock-Token"]?.trimmed.drop { $0 == "<" }.prefix { $0 != ">" }
        guard let token = header.map({ String($0) }) ?? found?.last?.token, Self.isToken(token) else {
            throw .invalidReply(response.address.origin, "it grants a lock without a token")
        }
        return DAVLock(
            address: address, token: token, timeout: (found?.first { $0.token == token } ?? found?.last)?.timeout,
            hasCreated: response.status == 201)
    }

    /// Prolongs a lock.
    ///
    /// - Returns: the lock with its new timeout.
    /// - Throws: ``DAVError/requirementFailed(_:)`` if the lock has ended.
    public func refresh(_ lock: DAVLock, timeout: Duration = .seconds(300)) async throws(DAVError) -> DAVLock {
        var request = request(.lock, lock.address)
        DAVRequirements(locks: [lock]).apply(to: &request)
        request.headers["Timeout"] = "Second-\(timeout.components.seconds)"
        let response = try await send(request)
        let found = try activeLocks(response)
        let renewed = found.first { $0.token == lock.token } ?? found.first
        return DAVLock(
            address: lock.address, token: lock.token, timeout: renewed?.timeout, hasCreated: lock.hasCreated)
    }

    /// Removes a lock.
    ///
    /// - Throws: an error if the lock has ended. The status of this error differs between servers.
    public func unlock(_ lock: DAVLock) async throws(DAVError) {
        var request = request(.unlock, lock.address)
        request.headers["Lock-Token"] = "<\(lock.token)>"
        _ = try await send(request)
    }

    private func activeLocks(_ response: HTTPResponse) throws(DAVError) -> [DAVActiveLock] {
        do {
            let element = try DAVTreeBuilder.document(response.body)
            return element.child("lockdiscovery").map { DAVActiveLock.all(in: $0) } ?? []
        } catch {
            throw .unreadable(response, beginning: response.body, error.description)
        }
    }

    /// Whether a token can be sent in a header field.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ">") }
    }
}
