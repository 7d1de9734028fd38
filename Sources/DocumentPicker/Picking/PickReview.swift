import Foundation

/// The decisions of a program about the user's picks. The functions may be called on any thread, and must not block.
/// Each calls `reply` once.
package struct PickReview: Sendable {
    /// A function that replies with the name to use for a new file instead of `name`, or with `nil` to refuse the name.
    let acceptedName: @Sendable (_ name: String, _ reply: @escaping @Sendable (String?) -> Void) -> Void
    /// A function that replies with the reason why the program refuses the picked items, or with `nil` if the program
    /// accepts them.
    let refusal: @Sendable (_ urls: [URL], _ reply: @escaping @Sendable (String?) -> Void) -> Void

    init(
        acceptedName: @escaping @Sendable (String, @escaping @Sendable (String?) -> Void) -> Void,
        refusal: @escaping @Sendable ([URL], @escaping @Sendable (String?) -> Void) -> Void
    ) {
        self.acceptedName = acceptedName
        self.refusal = refusal
    }
}
