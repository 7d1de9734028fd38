/// What the engine knows of edits that are on their way to the provider.
struct EditState {
    init() {}
}
