/// A value that is handed from one thread to another.
///
/// The side that makes one does not use the value any more, and keeps no reference through which it would. So no two
/// threads use the value at the same time: it is alone in its region (SE-0414). The compiler checks that itself for a
/// value that is `sending`. This type is for other values, which come from or go to functions of a client or of
/// Foundation.
package struct Disconnected<Value>: @unchecked Sendable {
    // Sendable: only one thread at a time uses the value, as described above.
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
