import HTTPTransport

/// One run of the probe of a server.
///
/// Each check uses its own files, so that it does not depend on the result of another check.
struct DAVProbe {
    let client: DAVClient
    let scratch: HTTPAddress
    var profile = DAVServerProfile()
    /// The locks that the server has granted.
    var locks: [DAVLock] = []

    /// The names of the probe's files, without the extension `.txt`. The extension is needed because some servers send
    /// no tags for files of unknown types.
    private static let files = [
        "put", "new", "move", "overwrite", "over", "replace", "replaced", "delete", "lock", "locked", "copy", "leave",
    ]

    mutating func run() async throws(DAVError) {
        for name in Self.files { _ = try await client.put(.text("one of \(name)"), to: file(name)) }
        try await checkTags()
        try await checkWriting()
        try await checkMoving()
        try await checkRemoving()
        try await checkLocks()
        try await checkReading()
        try await checkDirectories()
        try await checkDates()
        try await checkNames()
        try await checkRemovingOfTrees()
    }

    /// Returns the address of a file of the probe.
    func file(_ name: String) throws(DAVError) -> HTTPAddress { try child("\(name).txt") }

    /// Returns the address of the entry with the given name in a directory; `nil` means the probe's own directory.
    func child(_ name: String, of directory: HTTPAddress? = nil) throws(DAVError) -> HTTPAddress {
        do {
            return try (directory ?? scratch).appending(name)
        } catch {
            throw DAVError(error)
        }
    }

    /// Returns the tag of a file, from its properties, or else from the reply to a request for its contents; `nil` if
    /// the server sends no tag.
    func tag(_ address: HTTPAddress) async throws(DAVError) -> DAVEntityTag? {
        if let tag = try await client.entry(at: address).tag { return tag }
        return try await client.get(address, to: .nowhere).tag
    }

    /// Sends a request that the server may refuse.
    ///
    /// - Returns: whether the server has carried out the request; `false` if the server refused it.
    /// - Throws: errors that do not show how the server treats such a request, such as a lost connection.
    func isDone(_ request: () async throws(DAVError) -> Void) async throws(DAVError) -> Bool {
        do {
            try await request()
            return true
        } catch {
            switch error {
            case .transport, .untrustedCertificate, .notSignedIn, .signInPage, .noSpace, .tooManyRequests, .unavailable:
                throw error
            default: return false
            }
        }
    }

    /// Tests a condition: first with a request whose condition is false, then with one whose condition is true.
    func adherence(
        _ violating: () async throws(DAVError) -> Void, _ holding: () async throws(DAVError) -> Void
    ) async throws(DAVError) -> DAVServerProfile.Adherence {
        if try await isDone(violating) { return .ignored }
        return try await isDone(holding) ? .honoured : .refused
    }

    /// A tag that no file has.
    static let wrongTag = DAVEntityTag(opaque: "purvey-no-such-tag")

    // MARK: Tags

    private mutating func checkTags() async throws(DAVError) {
        let file = try file("put")
        let uploaded = try await client.put(.text("two of put"), to: file).tag
        profile.repliesWithTag = uploaded != nil
        let listed = try await client.entry(at: file).tag
        profile.listsTags = listed != nil
        let first: DAVEntityTag?
        if let listed { first = listed } else { first = try await tag(file) }
        guard let first else { return }
        profile.tagging = first.isWeak || uploaded?.isWeak == true ? .weak : .strong
        if profile.tagging == .weak {
            // Apache's tags are strong when the file is older than a second.
            for _ in 0..<3 where try await tag(file)?.isWeak == true { try await pause() }
            if try await tag(file)?.isWeak == false { profile.tagging = .weakAtFirst }
        }
        // Several writes are compared, because two consecutive ones may happen to fall into different seconds.
        var tags: [String] = []
        for round in 0..<6 {
            _ = try await client.put(.text("round \(round)"), to: file)
            guard let found = try await tag(file) else { continue }
            tags.append(found.opaque)
            // If the server or the connection is slow, the first tag was perhaps read only after it had become strong.
            if found.isWeak, profile.tagging == .strong { profile.tagging = .weakAtFirst }
        }
        profile.distinguishesQuickChanges = Set(tags).count == 6
        if profile.tagging == .weakAtFirst { try await pause() }
    }

    private func pause() async throws(DAVError) {
        do {
            try await client.clock.sleep(for: .milliseconds(1_100))
        } catch {
            throw .transport(.cancelled)
        }
    }

    /// Waits until the tag of a file that was just written can be used in a condition.
    func settle() async throws(DAVError) {
        if profile.tagging == .weakAtFirst { try await pause() }
    }
}
