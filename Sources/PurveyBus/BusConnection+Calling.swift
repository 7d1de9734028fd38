import CGIO

/// An object of another program on the bus.
struct RemoteObject: Sendable, Equatable {
    /// The name of the program on the bus.
    let name: String
    let path: String
}

/// The reason why a call to another program failed.
enum BusCallError: Error, Equatable {
    /// No program owns the name, and the bus cannot start one.
    case noService
    /// There was no reply in time, or the program has ended.
    case noReply
    /// The program replied with an error. The value is the error's name.
    case refused(String)
}

/// A reply of another program, or a part of one.
final class BusReply: @unchecked Sendable {
    // Sendable: values are immutable, and their reference counts are atomic.
    private let variant: OpaquePointer

    /// Creates a reply from a value.
    ///
    /// - Parameter variant: the value. This object takes ownership of a reference to it.
    init(owning variant: OpaquePointer) { self.variant = variant }

    deinit { g_variant_unref(variant) }

    var count: Int { g_variant_is_container(variant) != 0 ? Int(g_variant_n_children(variant)) : 0 }

    /// Returns the element of the tuple or array at the given index; `nil` if there is no such element.
    subscript(index: Int) -> BusReply? {
        guard index < count else { return nil }
        return g_variant_get_child_value(variant, gsize(index)).map { BusReply(owning: $0) }
    }

    /// The value inside a variant; `nil` if this value is not a variant.
    var boxed: BusReply? {
        guard isOf("v") else { return nil }
        return g_variant_get_variant(variant).map { BusReply(owning: $0) }
    }

    /// The text, or the path of an object; `nil` if the value has another type.
    var text: String? {
        guard isOf("s") || isOf("o") else { return nil }
        return g_variant_get_string(variant, nil).map { String(cString: $0) }
    }

    /// The texts or paths of an array; `nil` if the value has another type.
    var texts: [String]? {
        guard isOf("as") || isOf("ao") else { return nil }
        return (0..<count).compactMap { self[$0]?.text }
    }

    var boolean: Bool? { isOf("b") ? g_variant_get_boolean(variant) != 0 : nil }

    var number: UInt32? { isOf("u") ? g_variant_get_uint32(variant) : nil }

    /// Calls a function with the bytes of an array of bytes. Returns `nil` if the value has another type.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
        guard isOf("ay") else { return nil }
        var count: gsize = 0
        let bytes = g_variant_get_fixed_array(variant, &count, 1)
        return body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    private func isOf(_ signature: String) -> Bool {
        g_variant_get_type_string(variant).map { String(cString: $0) == signature } ?? false
    }
}

extension BusConnection {
    /// Connects to another bus. Returns `nil` if it cannot be reached.
    static func connect(
        _ address: String, isolation: isolated (any Actor)? = #isolation
    ) async -> BusConnection? {
        await withCheckedContinuation { (continuation: CheckedContinuation<BusConnection?, Never>) in
            final class Waiting {
                let continuation: CheckedContinuation<BusConnection?, Never>

                init(_ continuation: CheckedContinuation<BusConnection?, Never>) { self.continuation = continuation }
            }
            g_dbus_connection_new_for_address(
                address, flags, nil, nil,
                { _, result, data in
                    guard let data else { return }
                    let connection = g_dbus_connection_new_for_address_finish(result, nil)
                    Unmanaged<Waiting>.fromOpaque(data).takeRetainedValue().continuation.resume(
                        returning: connection.flatMap { BusConnection($0) })
                }, Unmanaged.passRetained(Waiting(continuation)).toOpaque())
        }
    }

    /// Calls a method of another program.
    ///
    /// - Parameters:
    ///   - method: the name of the interface, a dot, and the name of the method.
    ///   - signature: the type of the reply, which is a tuple. A reply of another type is an error.
    ///   - timeLimit: the time in milliseconds for the reply.
    func call(
        _ object: RemoteObject, _ method: String, _ arguments: [BusValue] = [], reply signature: String,
        timeLimit: CInt = 10_000, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusCallError) -> BusReply {
        guard let dot = method.lastIndex(of: ".") else { throw .refused(method) }
        let type = g_variant_type_new(signature)
        defer { g_variant_type_free(type) }
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<CallResult, Never>) in
            let waiting = Unmanaged.passRetained(WaitingCall(continuation)).toOpaque()
            g_dbus_connection_call(
                pointer, object.name, object.path, String(method[..<dot]), String(method[method.index(after: dot)...]),
                BusValue.tuple(arguments).variant, type, G_DBUS_CALL_FLAGS_NONE, timeLimit, nil,
                { source, result, data in
                    guard let source, let data else { return }
                    var error: UnsafeMutablePointer<GError>?
                    let reply = g_dbus_connection_call_finish(OpaquePointer(source), result, &error)
                    defer { if let error { g_error_free(error) } }
                    let waiting = Unmanaged<WaitingCall>.fromOpaque(data).takeRetainedValue()
                    waiting.continuation.resume(
                        returning: reply.map { .success(BusReply(owning: $0)) } ?? .failure(BusCallError(error)))
                }, waiting)
        }
        return try result.get()
    }

    private typealias CallResult = Result<BusReply, BusCallError>

    private final class WaitingCall {
        let continuation: CheckedContinuation<CallResult, Never>

        init(_ continuation: CheckedContinuation<CallResult, Never>) { self.continuation = continuation }
    }
}

extension BusCallError {
    fileprivate init(_ error: UnsafeMutablePointer<GError>?) {
        guard let error else {
            self = .noReply
            return
        }
        let name = g_dbus_error_get_remote_error(error)
        defer { g_free(name) }
        guard let name else {
            self = .noReply
            return
        }
        let text = String(cString: name)
        let isOfNoService = ["ServiceUnknown", "NameHasNoOwner"].contains { text.hasSuffix(".DBus.Error." + $0) }
        self =
            if isOfNoService || text.contains(".DBus.Error.Spawn.") {
                .noService
            } else if text.hasSuffix(".DBus.Error.NoReply") {
                .noReply
            } else {
                .refused(text)
            }
    }
}
