/// What the engine knows of changes that were signalled.
struct ChangeState {
    init() {}
}
