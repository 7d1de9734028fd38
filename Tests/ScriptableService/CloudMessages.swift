/// What a provider asks the service. Contents come after it, or after the answer, as the body.
package enum CloudRequest: Codable, Sendable, Equatable {
    case item(String)
    /// - Parameter after: where the page before ended.
    case page(of: String, after: Int?, limit: Int)
    case anchor
    case changes(since: Int, limit: Int)
    case contents(of: String)
    /// - Parameter version: the one that the bytes have to be of.
    case part(of: String, version: Int, start: Int, count: Int)
    case thumbnail(of: String)
    /// - Parameter identifier: chosen by the provider; one that exists already is answered with the item that has it.
    case create(CloudItem)
    /// - Parameter base: the version that the change began with; `nil` replaces whatever is there.
    case replace(String, base: Int?, modified: Double)
    case move(String, to: String, named: String)
    case delete(String)
    case set(CloudFact, of: String)
    case trash(String)
    /// - Parameter to: the folder that it goes to; `nil` is the one that it was in.
    case untrash(String, to: String?)
    case signIn(password: String)
    case act(String, on: [String])
    /// Items anywhere whose names have a word in them.
    ///
    /// - Parameter after: where the page before ended.
    case search(String, after: Int?, limit: Int)

    /// What a rule names it by.
    package var kind: CloudRule.Request {
        switch self {
        case .item: .item
        case .page: .page
        case .anchor: .anchor
        case .changes: .changes
        case .contents: .contents
        case .part: .part
        case .thumbnail: .thumbnail
        case .create: .create
        case .replace: .replace
        case .move: .move
        case .delete: .delete
        case .set: .set
        case .trash: .trash
        case .untrash: .untrash
        case .signIn: .signIn
        case .act: .act
        case .search: .search
        }
    }

    /// The identifier of what it is about; `nil` where it is about none.
    package var item: String? {
        switch self {
        case .item(let item), .page(let item, _, _), .contents(let item), .part(let item, _, _, _),
            .thumbnail(let item),
            .replace(let item, _, _), .move(let item, _, _), .delete(let item), .set(_, of: let item), .trash(let item),
            .untrash(let item, _):
            item
        case .create(let item): item.identifier
        case .act(_, let items): items.first
        case .anchor, .changes, .signIn, .search: nil
        }
    }
}

/// A request with the right to make it.
package struct SignedRequest: Codable, Sendable {
    package var request: CloudRequest
    /// What the last sign-in gave.
    package var token: String?

    package init(_ request: CloudRequest, token: String?) {
        self.request = request
        self.token = token
    }
}

package enum CloudAnswer: Codable, Sendable {
    case done
    case item(CloudItem)
    case page([CloudItem], next: Int?)
    case anchor(Int)
    case changes(updated: [CloudItem], deleted: [String], anchor: Int, moreComing: Bool)
    case token(String)
    case failed(CloudFailure)
}

/// Why the service did not do what it was asked.
package enum CloudFailure: Codable, Sendable, Equatable, Error {
    case noSuchItem
    case taken(CloudItem)
    /// The item has another version than the change began with.
    case outdated
    case overQuota
    case notSignedIn
    case wrongPassword
    case anchorExpired
    /// The service has no such thing.
    case unsupported
    /// What is wrong with the service itself, which may pass.
    case broken
}

/// What a test tells the service at its control socket.
package enum CloudCommand: Codable, Sendable {
    /// Puts the body to a path, with the folders on the way; a file that is there gets another version.
    case put(path: String)
    /// Makes so many small files in a folder, named after their number.
    case fill(path: String, count: Int, prefix: String, suffix: String)
    case remove(path: String)
    case move(path: String, to: String)
    case fact(CloudFact, path: String)
    /// The body is what the service has for a thumbnail of the file, or of each in the folder.
    case thumbnail(path: String)
    case settings(CloudSettings)
    case currentSettings
    case add(CloudRule)
    case removeRules
    /// Nobody is signed in any more.
    case endSessions
    /// Every anchor that was given has expired.
    case expireAnchors
    case snapshot
    /// The same, and in the body the contents of its files, one after the other in the order of their paths.
    case everything
    case requests
    case held
    case forgetRequests
    case contents(path: String)
    case stop
}

package enum CloudReport: Codable, Sendable {
    case done
    /// All items, by their paths.
    case snapshot([String: CloudItem])
    /// What was asked since the last time that it was forgotten, in order.
    case requests([CloudRequest])
    case settings(CloudSettings)
    /// How many requests are held.
    case held(Int)
    case failed(String)
}
