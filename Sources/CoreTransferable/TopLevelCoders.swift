import Foundation

/// A type that encodes values of any type to one kind of output. On Apple's platforms it is part of Combine.
public protocol TopLevelEncoder<Output>: SendableMetatype {
    associatedtype Output
    /// Encodes a value.
    func encode<T>(_ value: T) throws -> Output where T: Encodable
}

/// A type that decodes values of any type from one kind of input. On Apple's platforms it is part of Combine.
public protocol TopLevelDecoder<Input>: SendableMetatype {
    associatedtype Input
    /// Decodes a value.
    func decode<T>(_ type: T.Type, from: Input) throws -> T where T: Decodable
}

extension JSONEncoder: TopLevelEncoder {
    /// The output, which is data.
    public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
    /// The input, which is data.
    public typealias Input = Data
}

extension PropertyListEncoder: TopLevelEncoder {
    /// The output, which is data.
    public typealias Output = Data
}

extension PropertyListDecoder: TopLevelDecoder {
    /// The input, which is data.
    public typealias Input = Data
}
