import CSwiftRuntime

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
        notes.contains(.isStandingIn) ? nil : read(.isStandingIn, member)
    }

    private struct Notes: OptionSet {
        let rawValue: UInt8
        static let isMissing = Notes(rawValue: 1 << 0)
        static let isStandingIn = Notes(rawValue: 1 << 1)
    }

    /// Those of the calling thread.
    private static var notes: Notes {
        get { Notes(rawValue: cswift_notes_of_thread()) }
        set { cswift_set_notes_of_thread(newValue.rawValue) }
    }
}
