/// What one side of a connection does for the other: a table of handlers, made before the connection.
///
/// Handlers run on the connections' thread and must not block. Long work is handed to a queue or task, and answered
/// from there.
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

    /// Serves nothing yet.
    package init() {}

    /// Serves a call. The handler answers through the exchange, now or later, once.
    ///
    /// - Precondition: no call of the same number is served yet: it could not be told from this one.
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

    /// Takes a notice.
    ///
    /// - Precondition: no notice of the same number is taken yet.
    package mutating func on<N: Notice>(
        _: N.Type, _ handler: @escaping @Sendable (_ notice: N, _ connection: Connection) -> Void
    ) {
        let decoding: NoticeHandler = { (decoder: inout MessageDecoder, connection: Connection) throws(MessageError) in
            handler(try decoder.readMap(), connection)
        }
        let other = notices.updateValue(decoding, forKey: N.method)
        precondition(other == nil, "\(N.self) has the number \(N.method) of another notice")
    }

    /// Takes what can be read of a notice that cannot be read as a whole, so that its sender can be told. One of which not even
    /// that can be read is dropped.
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
