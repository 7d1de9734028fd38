import CGTK

/// Has something done when an object of GTK's emits a signal, on the main thread, for as long as the object lives.
///
/// - Parameters:
///   - signal: one that has no arguments and no answer, such as `clicked`.
///   - object: a `GObject`.
@MainActor public func onSignal(
    _ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor () -> Void
) {
    let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in SignalAction.run(data) }
    // SAFETY: GTK calls it with the arguments of the signal, which are the object and what it was connected with.
    SignalAction.connect(object.gtkAddress, signal, unsafeBitCast(handler, to: GCallback.self), action)
}

/// As ``onSignal(_:of:_:)``, for a signal that wants to know whether it was dealt with, and was, such as `close-request`.
@MainActor func onSignalFinally(
    _ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor () -> Void
) {
    let handler: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
        SignalAction.run(data)
        return 1
    }
    // SAFETY: as above, with an answer.
    SignalAction.connect(object.gtkAddress, signal, unsafeBitCast(handler, to: GCallback.self), action)
}

/// A pointer to an object of GTK's: Swift has those whose C structure it sees as `UnsafeMutablePointer`, others as `OpaquePointer`.
public protocol GTKPointer {
    /// Where the object is.
    var gtkAddress: UnsafeMutableRawPointer { get }
}

extension OpaquePointer: GTKPointer {
    /// Where the object is.
    public var gtkAddress: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension UnsafeMutablePointer: GTKPointer {
    /// Where the object is.
    public var gtkAddress: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension GTKPointer {
    /// The same object as one of another class of GTK's: its own, or one that it inherits from.
    public func object<Object>(as type: Object.Type) -> UnsafeMutablePointer<Object> {
        gtkAddress.assumingMemoryBound(to: type)
    }
}

/// What a signal does, kept by its connection.
private final class SignalAction {
    private let action: @MainActor () -> Void

    private init(_ action: @escaping @MainActor () -> Void) { self.action = action }

    static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ callback: GCallback?,
        _ action: @escaping @MainActor () -> Void
    ) {
        g_signal_connect_data(
            object, signal, callback, Unmanaged.passRetained(SignalAction(action)).toOpaque(),
            { data, _ in if let data { Unmanaged<SignalAction>.fromOpaque(data).release() } },
            GConnectFlags(rawValue: 0))
    }

    /// GTK emits signals on the main thread only.
    static func run(_ data: gpointer?) {
        guard let data else { return }
        let action = Unmanaged<SignalAction>.fromOpaque(data).takeUnretainedValue().action
        MainActor.assumeIsolated { action() }
    }
}
