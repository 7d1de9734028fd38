import CGIO

/// A call of a method that somebody on the bus waits for, to be answered once.
struct Invocation: @unchecked Sendable {
    // Sendable: GLib gives it away for good when the method is called, its functions may be called on any thread, and the answer,
    // which lets go of it, is given by the one actor that keeps it.
    private let pointer: OpaquePointer

    /// - Parameter pointer: as the callback of a method has it.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    func answer(_ result: Result<BusValue, BusError>) {
        switch result {
        case .success(let value): g_dbus_method_invocation_return_value(pointer, value.variant)
        case .failure(let error): g_dbus_method_invocation_return_dbus_error(pointer, error.name, error.message)
        }
    }
}

/// Which method of which object is called, by whom.
struct MethodCall: Sendable {
    /// The caller's own name on the bus.
    let sender: String
    let path: String
    let interface: String
    let method: String
    var paths: [String] = []
    /// How many paths there were, which may be too many to be looked at.
    var pathCount = 0
    var isWanted = false

    init(
        _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
        _ method: UnsafePointer<CChar>?, _ arguments: BusArguments
    ) {
        self.sender = sender.map { String(cString: $0) } ?? ""
        self.path = path.map { String(cString: $0) } ?? ""
        self.interface = interface.map { String(cString: $0) } ?? ""
        self.method = method.map { String(cString: $0) } ?? ""
        guard self.interface == BusNames.files else { return }
        pathCount = arguments.count(0)
        if pathCount <= DesktopBus.mostPaths { paths = arguments.strings(0) }
        if self.method == "Keep" { isWanted = arguments.boolean(1) }
    }
}
