import CGTK

/// Calls a closure on the main thread whenever a GTK object emits a signal. The closure is retained as long as the
/// object exists.
///
/// - Parameters:
///   - signal: a signal without arguments or return value, such as `clicked`.
///   - object: a `GObject`.
@MainActor public func onSignal(
    _ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor () -> Void
) {
    let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in SignalAction.run(data) }
    // SAFETY: GTK calls the handler with the arguments of the signal, which are the object and the connection's data.
    SignalAction.connect(object.gtkAddress, signal, unsafeBitCast(handler, to: GCallback.self), action)
}

/// Calls a closure like ``onSignal(_:of:_:)``, for a signal with a Boolean result, such as `close-request`. The result
/// is always true, so that GTK does not handle the signal itself.
@MainActor func onSignalFinally(
    _ signal: String, of object: some GTKPointer, _ action: @escaping @MainActor () -> Void
) {
    let handler: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
        SignalAction.run(data)
        return 1
    }
    // SAFETY: GTK calls the handler with the same two arguments, and reads its Boolean result.
    SignalAction.connect(object.gtkAddress, signal, unsafeBitCast(handler, to: GCallback.self), action)
}

/// A pointer to a GTK object. Swift imports complete C types as `UnsafeMutablePointer`, others as `OpaquePointer`.
public protocol GTKPointer {
    /// The address of the object.
    var gtkAddress: UnsafeMutableRawPointer { get }
}

extension OpaquePointer: GTKPointer {
    /// The address of the object.
    public var gtkAddress: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension UnsafeMutablePointer: GTKPointer {
    /// The address of the object.
    public var gtkAddress: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension GTKPointer {
    /// Returns the object as another GTK class: the object's own class, or a class from which it inherits.
    public func object<Object>(as type: Object.Type) -> UnsafeMutablePointer<Object> {
        gtkAddress.assumingMemoryBound(to: type)
    }
}

/// The closure of a signal, retained by the connection.
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

    /// Calls the closure. GTK emits signals on the main thread only.
    static func run(_ data: gpointer?) {
        guard let data else { return }
        let action = Unmanaged<SignalAction>.fromOpaque(data).takeUnretainedValue().action
        MainActor.assumeIsolated { action() }
    }
}
