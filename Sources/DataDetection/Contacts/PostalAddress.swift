/// The parts of a postal address.
struct PostalAddress: Equatable, Sendable {
    var street: String?
    var city: String?
    var state: String?
    var postalCode: String?
    var country: String?
}
