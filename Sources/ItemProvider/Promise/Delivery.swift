/// The form in which a consumer requests a representation: the columns of the bridging matrix.
package enum Delivery: Int, Sendable, CaseIterable {
    /// The bytes, in memory.
    case data = 0
    /// A file of the consumer's own, copied from the provider's.
    case copy = 1
    /// The provider's file itself if that is allowed and possible, else a copy.
    case inPlace = 2
}
