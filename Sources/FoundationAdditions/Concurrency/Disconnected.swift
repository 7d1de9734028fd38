/// A value that is handed from one thread to another.
///
/// The code that creates this wrapper does not use the value afterwards, and keeps no reference to any part of it.
/// Therefore no two threads use the value at the same time: it is alone in its region (SE-0414). For a parameter or
/// result that is `sending`, the compiler checks that itself. This type is for other values, which come from or go to
/// functions of a client or of Foundation.
package struct Disconnected<Value>: @unchecked Sendable {
    // Sendable: only one thread at a time uses the value, as described above.
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

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
