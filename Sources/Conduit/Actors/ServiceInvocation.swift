import Distributed
import Foundation

/// Encodes the arguments of a call that is sent.
public struct ServiceInvocationEncoder: DistributedTargetInvocationEncoder {
    /// The protocol to which arguments must conform.
    public typealias SerializationRequirement = any Codable

    var arguments: [[UInt8]] = []

    /// Accepts the stub type that a call through a protocol has as its generic parameter. The type is not sent, because
    /// the other side does not need it.
    ///
    /// - Throws: ``ServiceCallError/genericFunction`` for any other type.
    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        guard type is any _DistributedActorStub.Type else { throw ServiceCallError.genericFunction }
    }

    /// Encodes the next argument.
    public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
        arguments.append(try ServiceValue.encode(argument.value))
    }

    /// Does nothing, because the other side knows the return type.
    public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}

    /// Does nothing, because errors are sent as domain, code and message.
    public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}

    /// Does nothing, because each argument has been encoded when it was recorded.
    public mutating func doneRecording() throws {}
}

/// Decodes the arguments of a received call.
public struct ServiceInvocationDecoder: DistributedTargetInvocationDecoder {
    /// The protocol to which arguments must conform.
    public typealias SerializationRequirement = any Codable

    private var arguments: ArraySlice<[UInt8]>
    private let actor: any Any.Type

    /// Creates the decoder of a call's arguments.
    ///
    /// - Parameter actor: the type of the actor that is called.
    init(_ arguments: [[UInt8]], of actor: any Any.Type) {
        self.arguments = arguments[...]
        self.actor = actor
    }

    /// Returns the type of the called actor, which is the only generic parameter of a call through a protocol. The
    /// functions themselves have none.
    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [actor] }

    /// Decodes the next argument.
    ///
    /// - Throws: ``ServiceCallError/mismatch(_:)`` if no argument is left, or if the next argument has another type.
    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard let bytes = arguments.popFirst() else { throw ServiceCallError.mismatch("an argument is missing") }
        return try ServiceValue.decode(bytes)
    }

    /// Returns `nil`, because errors are sent as domain, code and message.
    public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }

    /// Returns `nil`, because the called function determines the return type.
    public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
}

/// Replies to a received call.
public struct ServiceResultHandler: DistributedTargetInvocationResultHandler {
    /// The protocol to which results must conform.
    public typealias SerializationRequirement = any Codable

    let call: ServedCall<ServiceInvocationCall>
    let describe: @Sendable (any Error) -> RemoteError

    /// Replies with the value that the function returned.
    public func onReturn<Success: Codable>(value: Success) async throws {
        call.reply(.init(value: try ServiceValue.encode(value)))
    }

    /// Replies that the function returned without a value.
    public func onReturnVoid() async throws { call.reply(.init(value: [])) }

    /// Replies with the error that the function threw.
    public func onThrow<Err: Error>(error: Err) async throws { call.fail(describe(error)) }
}

/// Encodes and decodes arguments and results as JSON. Each value is encoded in its own JSON array.
enum ServiceValue {
    private static let infinite = (positive: "+infinity", negative: "-infinity", none: "nan")

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinite.positive, negativeInfinity: infinite.negative, nan: infinite.none)
        return [UInt8](try encoder.encode([value]))
    }

    static func decode<Value: Decodable>(_ bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinite.positive, negativeInfinity: infinite.negative, nan: infinite.none)
        do {
            if let value = try decoder.decode([Value].self, from: Data(bytes)).first { return value }
        } catch let error as DecodingError {
            throw ServiceCallError.mismatch("a value is no \(Value.self): \(error)")
        }
        throw ServiceCallError.mismatch("there is no value")
    }
}

/// A call of a distributed actor's function.
struct ServiceInvocationCall: Call, SchemaMessage {
    static var method: UInt64 { 1 }
    /// The mangled name of the function.
    let target: String
    let arguments: [[UInt8]]

    init(target: String, arguments: [[UInt8]]) {
        self.target = target
        self.arguments = arguments
    }

    static let schema = Schema(
        { ServiceInvocationCall(target: $0, arguments: $1.map(\.bytes)) }, Field(0, \ServiceInvocationCall.target),
        Field(1, { $0.arguments.map { ByteString($0) } }))

    struct Reply: SchemaMessage {
        /// The encoded result; empty if the function returns nothing.
        let value: [UInt8]

        init(value: [UInt8]) { self.value = value }

        static let schema = Schema(Self.init, Field(0, bytes: \.value))
    }
}
