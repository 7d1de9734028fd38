import HTTPTransport

/// A record of the directory that a probe makes at the server, for the case that the process is killed.
public protocol DAVProbeRecording: Sendable {
    /// Records the directory. Called before the request that makes it.
    func begin(_ directory: HTTPAddress) async throws(DAVError)
    /// Ends the record. Called when the server does not have the directory any more.
    func end() async
}

extension DAVClient {
    /// The beginning of the name of a probe's directory.
    public static let probePrefix = ".purvey-probe-"

    /// Tests the behaviour of a server, in a directory that the probe makes and removes again, even if the task is
    /// cancelled or the server fails meanwhile. Takes about 70 small requests, and up to 3 seconds of pauses.
    ///
    /// - Parameters:
    ///   - root: the directory in which the probe makes its own directory.
    ///   - recording: the record of the probe's directory.
    /// - Throws: the error of the server, unless a refusal is itself a finding.
    public func probe(
        _ root: HTTPAddress, recordedBy recording: (any DAVProbeRecording)? = nil
    ) async throws(DAVError) -> DAVServerProfile {
        let (directory, features) = try await examine(root)
        let scratch: HTTPAddress
        do {
            let number = UInt64.random(in: .min ... .max)
            scratch = try directory.address.appending(Self.probePrefix + String(number, radix: 16)).asDirectory
        } catch {
            throw DAVError(error)
        }
        var probe = DAVProbe(client: self, scratch: scratch)
        probe.profile.server = features.server
        probe.profile.classes = features.classes
        probe.profile.clockOffset = features.clockOffset
        probe.profile.quota = directory.quota
        try await recording?.begin(scratch)
        let failure: DAVError?
        do {
            try await makeDirectory(scratch)
            try await probe.run()
            failure = nil
        } catch {
            failure = error
        }
        // The directory is removed in a separate task, because the caller's task may be cancelled.
        let isRemoved = await Task { [probe] in
            var rest = probe
            await rest.unlock()
            let isRemoved = await removeProbe(scratch, attempts: 5)
            if isRemoved { await recording?.end() }
            return isRemoved
        }.value
        if let failure { throw failure }
        if !isRemoved { probe.profile.remains = DAVError.name(of: scratch) }
        return probe.profile
    }

    /// Removes the directory of a probe.
    ///
    /// - Returns: whether the server does not have it any more.
    public func removeProbe(_ directory: HTTPAddress, attempts: Int = 1) async -> Bool {
        for attempt in 1...attempts {
            do {
                try await deleteTree(directory)
                return true
            } catch {
                if case .notFound = error { return true }
                guard error.isTransient else { return await isMissing(directory) }
                // A cancelled request may go on at the server for a while.
                if attempt < attempts { try? await clock.sleep(for: .milliseconds(200 << attempt)) }
            }
        }
        return false
    }

    /// Whether the server says that it has nothing at an address. A server may refuse to delete what does not exist.
    private func isMissing(_ address: HTTPAddress) async -> Bool {
        do {
            _ = try await entry(at: address)
            return false
        } catch {
            if case .notFound = error { return true }
            return false
        }
    }
}
