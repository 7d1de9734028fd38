/// A deviation of the service from its normal behaviour.
package struct CloudRule: Codable, Sendable {
    package enum Request: String, Codable, Sendable, CaseIterable {
        case item, page, anchor, changes, contents, part, thumbnail, create, replace, move, delete, set, trash, untrash
        case signIn, act, search
    }

    package enum Effect: Codable, Sendable {
        /// The connection is dropped, and the request is not performed.
        case drop
        /// The request is performed, and the connection is dropped before the reply.
        case dropAfterwards
        /// The reply is delayed by a number of seconds.
        case delay(Double)
        /// The body is sent at this rate.
        case slow(bytesPerSecond: Int)
        /// The connection is dropped after a number of bytes of the body.
        case truncate(after: Int)
        /// Half of the body is sent, and announced as the whole body.
        case halve
        /// The item is reported with this size.
        case claim(size: Int)
        /// The body consists of a number of zero bytes.
        case bloat(size: Int)
        case fail(CloudError)
        /// From now on, the service has no space for further contents.
        case fillUp
        /// All sessions end, and the password becomes this one.
        case signOut(password: String)
        /// The request is not performed and gets no reply until the rules change.
        case hold
        /// The request is performed, and gets no reply until the rules change.
        case holdAfterwards
    }

    /// The kind of requests that the rule concerns; `nil` for any.
    package var request: Request?
    /// The name or the identifier of the item in the request; `nil` for any item.
    package var item: String?
    /// The number of matching requests that the rule ignores at first.
    package var skipping: Int
    /// The number of subsequent matching requests that the rule affects; `nil` for all.
    package var times: Int?
    package var effect: Effect

    package init(
        _ effect: Effect, on request: Request? = nil, of item: String? = nil, skipping: Int = 0, times: Int? = nil
    ) {
        self.request = request
        self.item = item
        self.skipping = skipping
        self.times = times
        self.effect = effect
    }
}

package struct CloudSettings: Codable, Sendable {
    /// The maximum number of bytes of all contents; `nil` for no limit.
    package var quota: Int?
    /// The password; `nil` if no sign-in is needed.
    package var password: String?
    /// The maximum number of items in a page.
    package var pageLimit = 1000
    /// The maximum number of changes in a reply.
    package var changeLimit = 1000
    /// Whether an item's identifier is its path, as with most small services. When an item is moved, its identifier and
    /// those of its descendants change.
    package var identifiersArePaths = false

    package init() {}
}
