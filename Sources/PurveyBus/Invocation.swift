import CGIO

/// A method call that waits for a reply. It must be answered exactly once.
struct Invocation: @unchecked Sendable {
    // Sendable: GLib transfers ownership of the invocation to the callee, and GLib's functions may be called on any
    // thread. Only the actor that owns the invocation sends the reply. The reply releases the invocation.
    private let pointer: OpaquePointer

    /// Wraps the invocation that GLib passes to the callback of a method.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    func answer(_ result: Result<BusValue, BusError>) {
        switch result {
        case .success(let value): g_dbus_method_invocation_return_value(pointer, value.variant)
        case .failure(let error): g_dbus_method_invocation_return_dbus_error(pointer, error.name, error.message)
        }
    }
}

/// A method call: its caller, object, method and arguments.
struct MethodCall: Sendable {
    /// The caller's unique name on the bus.
    let sender: String
    let path: String
    let interface: String
    let method: String
    /// The paths, or the words or results of a search.
    var paths: [String] = []
    /// The number of paths, which may exceed the limit.
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
        guard [BusNames.files, ShellSearch.interface].contains(self.interface) else { return }
        guard self.method != "ActivateResult" else {
            paths = [arguments.string(0)]
            return
        }
        // In a call of `GetSubsearchResultSet`, the results of an earlier search precede the words.
        let index = self.method == "GetSubsearchResultSet" ? 1 : 0
        pathCount = arguments.count(index)
        if pathCount <= DesktopBus.mostPaths { paths = arguments.strings(index) }
        if self.method == "Keep" { isWanted = arguments.boolean(1) }
    }
}
