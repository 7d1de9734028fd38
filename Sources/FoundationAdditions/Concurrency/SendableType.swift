/// A class or another type as a value, such as `any NSCoding.Type`, that is used on several threads.
///
/// The compiler takes it for Sendable only if the conformances of the type are not isolated (SE-0470), which cannot be
/// declared for the protocols of Foundation and of this package.
package struct SendableType<Metatype>: @unchecked Sendable {
    // Sendable: a metatype has no state. Code of its type that belongs to an actor is called on that actor.
    package let type: Metatype

    package init(_ type: Metatype) {
        assert(type is any Any.Type, "a metatype")
        self.type = type
    }
}
