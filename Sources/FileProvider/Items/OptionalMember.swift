import Glibc

/// Tells whether a class has a member of a protocol that may be left out.
///
/// On Apple's platforms the runtime of Objective-C knows. Here, a member that is left out is the default implementation of a
/// requirement, and that one says so: it leaves a note on its thread, which the reader finds.
enum OptionalMember {
    /// What a member gives; `nil` where the class has no such member.
    static func read<Value>(_ member: @autoclosure () -> Value) -> Value? { read([], member) }

    private static func read<Value>(_ first: Notes, _ member: () -> Value) -> Value? {
        // A member of a program may read those of other items, so each reading has its own notes.
        let outer = notes
        notes = first
        defer { notes = outer }
        let value = member()
        return notes.contains(.isMissing) ? nil : value
    }

    /// Called by a default implementation: the class has no such member. The value is one that nobody sees.
    static func missing<Value>(_ value: Value) -> Value {
        notes.insert(.isMissing)
        return value
    }

    /// For two members each of which stands for the other: what the other one gives, or `nil` when the class has neither.
    static func other<Value>(_ member: @autoclosure () -> Value) -> Value? {
        key == nil || notes.contains(.isStandingIn) ? nil : read(.isStandingIn, member)
    }

    private struct Notes: OptionSet {
        let rawValue: Int
        static let isMissing = Notes(rawValue: 1 << 0)
        static let isStandingIn = Notes(rawValue: 1 << 1)
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Those of the calling thread: bits in place of a pointer, so that nothing has to be freed.
    private static var notes: Notes {
        get { key.map { Notes(rawValue: Int(bitPattern: pthread_getspecific($0))) } ?? [] }
        set { if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue.rawValue)) } }
    }
}
