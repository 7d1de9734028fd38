import FileProvider

/// The working set as the provider lists it: items that the provider considers useful to the user, in any directory.
extension DomainEngine {
    /// The maximum number of pages. Items beyond them are found when their directories are listed.
    private static let mostPages = 500

    /// The maximum number of listings that begin anew because a page expired.
    private static let beginnings = 3

    /// The setting that is present once the working set was listed completely, or cannot be.
    static let workingSetSetting = "workingSet.listed"

    func isWorkingSetListed() throws(ProviderFailure) -> Bool {
        try onRecord { () throws(IndexFailure) in try index.setting(Self.workingSetSetting) != nil }
    }

    /// Whether the change feed covers everything from now on, if the provider has one. A listing from before that
    /// would have to be repeated.
    var isChangeFeedBegun: Bool {
        switch changes.workingSet {
        case .available, .missing: true
        case .beginning: false
        case .unknown: (try? anchor(of: ProviderItem.workingSetIdentifier)) ?? nil != nil
        }
    }

    /// Whether the provider has no change feed.
    var isChangeFeedMissing: Bool { changes.workingSet == .missing }

    /// Lists the working set into the index, so that it is available offline. This is a convenience: a provider that
    /// cannot list it, or crashes on the request, is still asked for changes.
    ///
    /// - Throws: A failure that may pass, or one of this machine. The listing is to be repeated.
    func enumerateWorkingSet() async throws(ProviderFailure) {
        var after: [UInt8]?
        var seen: Set<[UInt8]> = []
        var beginning = 1
        for _ in 0..<Self.mostPages {
            let (items, question): ([ProviderItem], AnswerOrder.Question)
            let era = signIn.epoch
            do throws(ProviderFailure) {
                let answer = try await resources.page(of: ProviderItem.workingSetIdentifier, after: after)
                // A directory's listing defines its items' place. For other items, the ancestors must be known.
                (items, question) = (try await withAncestors(answer.page.items), answer.question)
                after = answer.page.next
            } catch {
                if error.kind == .expired, beginning < Self.beginnings {
                    beginning += 1
                    (after, seen) = (nil, [])
                    continue
                }
                guard error.isForGood else {
                    if error.kind == .transient { changes.workingSetFailures += 1 }
                    guard changes.mayListWorkingSet else { return }
                    throw error
                }
                signIn.noteFailure(error, askedIn: era)
                break
            }
            guard !isClosed else { throw .closed }
            try apply(items, listedIn: nil, answering: question)
            guard let next = after, next.count <= 500, seen.insert(next).inserted else { break }
        }
        guard !isClosed else { throw .closed }
        try writeMakingRoom { writer throws(IndexFailure) in try writer.setSetting(Self.workingSetSetting, [1]) }
    }
}

extension ProviderFailure {
    /// Whether this failure shows that the provider cannot list its working set at any time.
    fileprivate var isForGood: Bool {
        switch kind {
        // The request was already repeated several times after the process ended: the process crashes on it.
        case .unsupported, .noSuchItem, .notPermitted, .badAnswer, .cannotSynchronize, .expired, .processEnded: true
        default: false
        }
    }
}
