/// The transfers that are under way.
struct ContentTransfers {
    init() {}
}
