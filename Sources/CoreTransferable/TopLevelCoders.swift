import Foundation

/// Encodes values of any type to one kind of output. On Apple's platforms it is Combine's.
public protocol TopLevelEncoder<Output>: SendableMetatype {
    associatedtype Output
    /// Encodes a value.
    func encode<T>(_ value: T) throws -> Output where T: Encodable
}

/// Decodes values of any type from one kind of input. On Apple's platforms it is Combine's.
public protocol TopLevelDecoder<Input>: SendableMetatype {
    associatedtype Input
    /// Decodes a value.
    func decode<T>(_ type: T.Type, from: Input) throws -> T where T: Decodable
}

extension JSONEncoder: TopLevelEncoder {
    /// Its output is data.
    public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
    /// Its input is data.
    public typealias Input = Data
}

extension PropertyListEncoder: TopLevelEncoder {
    /// Its output is data.
    public typealias Output = Data
}

extension PropertyListDecoder: TopLevelDecoder {
    /// Its input is data.
    public typealias Input = Data
}
