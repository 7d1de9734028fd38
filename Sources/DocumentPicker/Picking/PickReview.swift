import Foundation

/// The decisions of a program about what the user picks. The functions are called on any thread, and must not block.
/// They call `reply` once.
package struct PickReview: Sendable {
    /// Replies with the name to use for a new file instead of `name`, or with `nil` to refuse the name.
    let acceptedName: @Sendable (_ name: String, _ reply: @escaping @Sendable (String?) -> Void) -> Void
    /// Replies with the reason why the program refuses the picked items, or with `nil` if it accepts them.
    let refusal: @Sendable (_ urls: [URL], _ reply: @escaping @Sendable (String?) -> Void) -> Void

    init(
        acceptedName: @escaping @Sendable (String, @escaping @Sendable (String?) -> Void) -> Void,
        refusal: @escaping @Sendable ([URL], @escaping @Sendable (String?) -> Void) -> Void
    ) {
        self.acceptedName = acceptedName
        self.refusal = refusal
    }
}
