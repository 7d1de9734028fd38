import CRuntimeSupport

/// Tests whether a class implements an optional member of a protocol.
///
/// On Apple's platforms, the Objective-C runtime provides this test. On Linux, an optional member is a requirement with
/// a default implementation. The default sets a flag of the calling thread, which ``read(_:)`` checks after the call.
enum OptionalMember {
    /// Returns a member's value; `nil` if the class does not declare the member.
    static func read<Value>(_ member: @autoclosure () -> Value) -> Value? { read([], member) }

    private static func read<Value>(_ first: Flags, _ member: () -> Value) -> Value? {
        // While the program's code computes the member, it may read members of other items. Therefore each read has its
        // own flags.
        let outer = flags
        flags = first
        defer { flags = outer }
        let value = member()
        return flags.contains(.isMissing) ? nil : value
    }

    /// Sets the flag for a missing member. Default implementations call this function. Its result is not used.
    static func missing<Value>(_ value: Value) -> Value {
        flags.insert(.isMissing)
        return value
    }

    /// Returns the value of a member that substitutes for a missing member: `contentType` substitutes for
    /// `typeIdentifier`, and vice versa. Returns `nil` if the class declares neither of the two.
    static func other<Value>(_ member: @autoclosure () -> Value) -> Value? {
        flags.contains(.isStandingIn) ? nil : read(.isStandingIn, member)
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let isMissing = Flags(rawValue: 1 << 0)
        static let isStandingIn = Flags(rawValue: 1 << 1)
    }

    /// The flags of the calling thread.
    private static var flags: Flags {
        get { Flags(rawValue: cswift_notes_of_thread()) }
        set { cswift_set_notes_of_thread(newValue.rawValue) }
    }
}
