import Distributed
import Foundation

/// The arguments of a call that is being sent.
public struct ServiceInvocationEncoder: DistributedTargetInvocationEncoder {
    /// The requirement on arguments.
    public typealias SerializationRequirement = any Codable

    var arguments: [[UInt8]] = []

    /// Accepts the stub type in a call through a protocol. The type has no meaning for the other side.
    ///
    /// - Throws: ``ServiceCallError/genericFunction`` for any other type.
    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        guard type is any _DistributedActorStub.Type else { throw ServiceCallError.genericFunction }
    }

    /// Encodes the next argument.
    public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
        arguments.append(try ServiceValue.encode(argument.value))
    }

    /// Does nothing: the other side knows the return type.
    public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}

    /// Does nothing: errors are sent as domain, code and message.
    public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}

    /// Does nothing.
    public mutating func doneRecording() throws {}
}

/// The arguments of a received call.
public struct ServiceInvocationDecoder: DistributedTargetInvocationDecoder {
    /// The requirement on arguments.
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

    /// Returns the type of the actor, which a call through a protocol needs. Functions themselves are not generic.
    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [actor] }

    /// Decodes the next argument.
    ///
    /// - Throws: ``ServiceCallError/mismatch(_:)`` if no argument is left, or if it has another type.
    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard let bytes = arguments.popFirst() else { throw ServiceCallError.mismatch("an argument is missing") }
        return try ServiceValue.decode(bytes)
    }

    /// Returns `nil`: errors are sent as domain, code and message.
    public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }

    /// Returns `nil`: the function determines the type.
    public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
}

/// The handler that replies to a received call.
public struct ServiceResultHandler: DistributedTargetInvocationResultHandler {
    /// The requirement on results.
    public typealias SerializationRequirement = any Codable

    let call: ServedCall<ServiceInvocationCall>
    let describe: @Sendable (any Error) -> RemoteError

    /// Replies with the value that the function returned.
    public func onReturn<Success: Codable>(value: Success) async throws {
        call.reply(.init(value: try ServiceValue.encode(value)))
    }

    /// Replies that the function returned.
    public func onReturnVoid() async throws { call.reply(.init(value: [])) }

    /// Replies with the error that the function threw.
    public func onThrow<Err: Error>(error: Err) async throws { call.fail(describe(error)) }
}

/// The coding of arguments and results: JSON, with each value in a separate array.
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

/// The reason why a call of a service was not made, or why its outcome is unknown.
public enum ServiceCallError: DistributedActorSystemError, LocalizedError, Hashable, CustomStringConvertible {
    /// The connection to the service ended. The call may have been carried out.
    case connectionLost(String)
    /// The arguments or the reply are larger than the maximum size of a message.
    case tooLarge(String)
    /// The maximum number of calls of one connection that wait for their replies is reached.
    case tooManyCalls(limit: Int)
    /// The function is generic.
    case genericFunction
    /// An argument or the result is an actor.
    case actorAsValue
    /// The actor does not exist any more.
    case noSuchActor
    /// The service does not have such a function, or the function has other arguments. The two sides were built with
    /// different protocols.
    case mismatch(String)

    /// A description in one sentence.
    public var description: String {
        switch self {
        case .connectionLost(let reason): "The connection to the service is lost: \(reason)."
        case .tooLarge(let words): "The service cannot be called with that much: \(words)."
        case .tooManyCalls(let limit): "\(limit) calls of the service wait for their answers already."
        case .genericFunction: "Functions of services are not generic."
        case .actorAsValue: "Actors are neither arguments nor results of services."
        case .noSuchActor: "There is no such actor any more."
        case .mismatch(let words): "The service does not have that function: \(words)."
        }
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }
}
