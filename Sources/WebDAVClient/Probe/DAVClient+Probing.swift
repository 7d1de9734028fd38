import HTTPTransport

extension DAVClient {
    /// Tests the behaviour of a server, in a directory that the probe makes and removes again, even if the task is
    /// cancelled or the server fails meanwhile. Takes about 70 small requests, and up to 3 seconds of pauses.
    ///
    /// - Parameter root: the directory in which the probe makes its own directory.
    /// - Throws: the error of the server, unless a refusal is itself a finding.
    public func probe(_ root: HTTPAddress) async throws(DAVError) -> DAVServerProfile {
        let (directory, features) = try await examine(root)
        let scratch: HTTPAddress
        do {
            let number = UInt64.random(in: .min ... .max)
            scratch = try directory.address.appending(".purvey-probe-\(String(number, radix: 16))").asDirectory
        } catch {
            throw DAVError(error)
        }
        var probe = DAVProbe(client: self, scratch: scratch)
        probe.profile.server = features.server
        probe.profile.classes = features.classes
        probe.profile.clockOffset = features.clockOffset
        probe.profile.quota = directory.quota
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
            return await removed(scratch)
        }.value
        if let failure { throw failure }
        if !isRemoved { probe.profile.remains = DAVError.name(of: scratch) }
        return probe.profile
    }

    private func removed(_ directory: HTTPAddress) async -> Bool {
        for attempt in 1...5 {
            do {
                try await deleteTree(directory)
                return true
            } catch {
                if case .notFound = error { return true }
                // A cancelled request may go on at the server for a while.
                guard error.isTransient, attempt < 5 else { return false }
                try? await clock.sleep(for: .milliseconds(200 << attempt))
            }
        }
        return false
    }
}
