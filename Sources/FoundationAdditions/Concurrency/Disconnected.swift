/// A value that is handed from one thread to another.
///
/// The code that creates this wrapper does not use the value afterwards, and keeps no reference to any part of it.
/// Therefore no two threads use the value at the same time: the value is in a disconnected region (SE-0414). For
/// `sending` parameters and results, the compiler checks this rule. This type is for parameters and results that are
/// not declared as `sending`: those of Foundation, and those of the functions that a program implements.
package struct Disconnected<Value>: @unchecked Sendable {
    // Sendable: only one thread at a time uses the value, as described above.
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// A metatype that several threads use, such as a class of the type `any NSCoding.Type`.
///
/// The compiler treats a metatype as Sendable only if its conformances are not isolated to an actor (SE-0470). The
/// protocols of Foundation and of this package cannot require such conformances.
package struct SendableType<Metatype>: @unchecked Sendable {
    // Sendable: a metatype has no state. Code of the type that is isolated to an actor is called on that actor.
    package let type: Metatype

    package init(_ type: Metatype) {
        precondition(type is any Any.Type, "a metatype")
        self.type = type
    }
}
