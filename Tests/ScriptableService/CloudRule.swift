/// What the service does otherwise than it should.
package struct CloudRule: Codable, Sendable {
    package enum Request: String, Codable, Sendable, CaseIterable {
        case item, page, anchor, changes, contents, part, thumbnail, create, replace, move, delete, set, trash, untrash
        case signIn, act, search
    }

    package enum Effect: Codable, Sendable {
        /// The connection is dropped, and nothing is done.
        case drop
        /// It is done, and the connection is dropped before the answer.
        case dropAfterwards
        /// The answer takes so many seconds longer.
        case delay(Double)
        /// The body comes at this rate.
        case slow(bytesPerSecond: Int)
        /// The connection is dropped after so many bytes of the body.
        case truncate(after: Int)
        /// Half of the body comes, and is said to be all of it.
        case halve
        /// The item is said to have so many bytes.
        case claim(size: Int)
        /// The body is so many zero bytes.
        case bloat(size: Int)
        case fail(CloudFailure)
        /// From now on there is no room for anything more.
        case fillUp
        /// From now on nobody is signed in, and this is the password.
        case signOut(password: String)
        /// No answer comes for as long as the rule is there.
        case hold
        /// It is done, and no answer comes for as long as the rule is there.
        case holdAfterwards
    }

    /// `nil` is any.
    package var request: Request?
    /// The name or the identifier of what is asked about; `nil` is anything.
    package var item: String?
    /// How many of them it leaves alone first.
    package var skipping: Int
    /// How many it meets after those; `nil` is all.
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
    /// The most bytes of all contents; `nil` is any number.
    package var quota: Int?
    /// `nil` where nobody needs to sign in.
    package var password: String?
    /// The most items of a page.
    package var pageLimit = 1000
    /// The most changes of an answer.
    package var changeLimit = 1000
    /// Whether an item's identifier is its path, as with most small services: what is moved has another one, and so has all that is in
    /// it.
    package var identifiersArePaths = false

    package init() {}
}
