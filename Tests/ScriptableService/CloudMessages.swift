/// A provider's request to the service. Contents are sent as the body after the request or the reply.
package enum CloudRequest: Codable, Sendable, Equatable {
    case item(String)
    /// - Parameter after: The position of the last item of the previous page.
    case page(of: String, after: Int?, limit: Int)
    case anchor
    case changes(since: Int, limit: Int)
    case contents(of: String)
    /// - Parameter version: The version to which the bytes must belong.
    case part(of: String, version: Int, start: Int, count: Int)
    case thumbnail(of: String)
    /// - Parameter identifier: The identifier that the provider chose. If it exists already, the reply is the
    ///   existing item.
    case create(CloudItem)
    /// - Parameter base: The version that the change is based on; `nil` replaces any version.
    case replace(String, base: Int?, modified: Double)
    case move(String, to: String, named: String)
    case delete(String)
    case set(CloudMetadata, of: String)
    case trash(String)
    /// - Parameter to: The directory to move the item to; `nil` for its former directory.
    case untrash(String, to: String?)
    case signIn(password: String)
    case act(String, on: [String])
    /// A search of all items for names that contain a word.
    ///
    /// - Parameter after: The position of the last item of the previous page.
    case search(String, after: Int?, limit: Int)

    /// The kind of the request, by which rules select it.
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

    /// The identifier of the item that the request concerns; `nil` if it concerns none.
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

/// A request with the token that authorizes it.
package struct SignedRequest: Codable, Sendable {
    package var request: CloudRequest
    /// The token from the last sign-in.
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
    case failed(CloudError)
}

/// The reason for which the service did not perform a request.
package enum CloudError: Codable, Sendable, Equatable, Error {
    case noSuchItem
    case taken(CloudItem)
    /// The item's version is not the one that the change is based on.
    case outdated
    case overQuota
    case notSignedIn
    case wrongPassword
    case anchorExpired
    /// The service does not support the request.
    case unsupported
    /// The service has an internal failure, which may be temporary.
    case broken
}

/// A test's command to the service, at its control socket.
package enum CloudCommand: Codable, Sendable {
    /// Writes a file with the body as its contents, and creates missing parent directories. An existing file gets a new
    /// version.
    case put(path: String)
    /// Creates a number of small files in a directory, named after their numbers.
    case fill(path: String, count: Int, prefix: String, suffix: String)
    case remove(path: String)
    case move(path: String, to: String)
    case fact(CloudMetadata, path: String)
    /// Sets the thumbnail of a file, or of each file in a directory. The body contains its bytes.
    case thumbnail(path: String)
    case settings(CloudSettings)
    case currentSettings
    case add(CloudRule)
    case removeRules
    /// Ends all sessions, after which every provider has to sign in again.
    case endSessions
    /// Expires every anchor that was issued.
    case expireAnchors
    case snapshot
    /// Requests a snapshot, with the contents of all files in the body, concatenated in the order of their paths.
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
    /// The requests since the last ``CloudCommand/forgetRequests``, in order.
    case requests([CloudRequest])
    case settings(CloudSettings)
    /// The number of held requests.
    case held(Int)
    case failed(String)
}
