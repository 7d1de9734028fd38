import HTTPTransport

/// A persistent record of the directory that a probe creates at the server. If the process is killed during the probe,
/// the next process uses the record to remove the directory.
public protocol DAVProbeRecording: Sendable {
    /// Records the directory. Called before the request that creates it.
    func begin(_ directory: HTTPAddress) async throws(DAVError)
    /// Removes the record. Called when the directory no longer exists at the server.
    func end() async
}

extension DAVClient {
    /// The prefix of the names of probes' directories.
    public static let probePrefix = ".purvey-probe-"

    /// Tests the behaviour of a server in a directory that the probe creates. Removes the directory afterwards, even if
    /// the task is cancelled or the server fails meanwhile. Takes about 70 small requests, and up to 3 seconds of
    /// pauses.
    ///
    /// - Parameters:
    ///   - root: the directory in which the probe creates its own directory.
    ///   - recording: the record of the probe's directory.
    /// - Throws: the error that ended the probe. If the server refuses a tested request, the refusal is a finding, not
    ///   an error.
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
    /// - Returns: whether the directory no longer exists at the server.
    public func removeProbe(_ directory: HTTPAddress, attempts: Int = 1) async -> Bool {
        for attempt in 1...attempts {
            do {
                try await deleteTree(directory)
                return true
            } catch {
                if case .notFound = error { return true }
                guard error.isTransient else { return await isMissing(directory) }
                // The server may continue a cancelled request for a while.
                if attempt < attempts { try? await clock.sleep(for: .milliseconds(200 << attempt)) }
            }
        }
        return false
    }

    /// Whether the server reports that nothing exists at an address. A server may refuse to delete an item that does
    /// not exist.
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
