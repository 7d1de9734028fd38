/// The calls and notices that one side of a connection serves. It is a table of handlers, which is complete before the
/// connection is created.
///
/// Handlers run on the thread that serves connections, and must not block. For work that takes long, a handler starts a
/// task that replies later.
package struct Service: Sendable {
    typealias CallHandler =
        @Sendable (_ request: inout MessageDecoder, _ record: ServedCallRecord) throws(MessageError) -> Void
    typealias NoticeHandler =
        @Sendable (_ notice: inout MessageDecoder, _ connection: Connection) throws(MessageError) -> Void

    typealias NoticeFaultHandler =
        @Sendable (_ notice: inout MessageDecoder, _ error: MessageError, _ connection: Connection) throws(MessageError)
        -> Void

    private(set) var calls: [UInt64: CallHandler] = [:]
    private(set) var notices: [UInt64: NoticeHandler] = [:]
    private(set) var noticeFaults: [UInt64: NoticeFaultHandler] = [:]

    /// Creates a service without handlers.
    package init() {}

    /// Sets the handler for a type of call. The handler replies once, immediately or later, with a function of its
    /// argument `exchange`.
    ///
    /// - Precondition: no handler is set for a call with the same number.
    package mutating func on<C: Call>(
        _: C.Type, _ handler: @escaping @Sendable (_ request: C, _ exchange: ServedCall<C>) -> Void
    ) {
        let decoding: CallHandler = { (decoder: inout MessageDecoder, record: ServedCallRecord) throws(MessageError) in
            let request: C = try decoder.readMap()
            handler(request, ServedCall(record))
        }
        let other = calls.updateValue(decoding, forKey: C.method)
        precondition(other == nil, "\(C.self) has the number \(C.method) of another call")
    }

    /// Sets the handler for a type of notice.
    ///
    /// - Precondition: no handler is set for a notice with the same number.
    package mutating func on<N: Notice>(
        _: N.Type, _ handler: @escaping @Sendable (_ notice: N, _ connection: Connection) -> Void
    ) {
        let decoding: NoticeHandler = { (decoder: inout MessageDecoder, connection: Connection) throws(MessageError) in
            handler(try decoder.readMap(), connection)
        }
        let other = notices.updateValue(decoding, forKey: N.method)
        precondition(other == nil, "\(N.self) has the number \(N.method) of another notice")
    }

    /// Sets a handler for notices that cannot be decoded as a whole. The handler gets the part of the notice that can
    /// be decoded as `Part`, so that it can notify the sender. If this part cannot be decoded, either, the notice is
    /// dropped.
    package mutating func onFault<N: Notice, Part: Message>(
        _: N.Type, _: Part.Type,
        _ handler: @escaping @Sendable (_ part: Part, _ error: MessageError, _ connection: Connection) -> Void
    ) {
        let decoding: NoticeFaultHandler = {
            (decoder: inout MessageDecoder, error: MessageError, connection: Connection) throws(MessageError) in
            handler(try decoder.readMap(), error, connection)
        }
        noticeFaults[N.method] = decoding
    }
}
