/// The listings that are under way.
struct Listings {
    init() {}
}
