import Conduit
import FileTesting
import TestThreads
import Testing

/// Random bytes. Decoding ends with a value or an error, and a decoded value can be encoded again.
@Suite(.ownThreads) struct CBORFuzzTests {
    private func read(_ bytes: [UInt8]) -> CBORValue? {
        bytes.withUnsafeBytes { bytes in
            let value = try? CBORValue(decoding: bytes)
            var reader = CBORReader(bytes)
            let isWellFormed = (try? reader.skip()) != nil && reader.isAtEnd
            // Skipping finds the same fault as reading, except for text that is not UTF-8.
            if value != nil { #expect(isWellFormed) }
            return value
        }
    }

    @Test func randomBytesAreReadOrRefused() {
        var random = RandomNumbers(seed: 1)
        for _ in 0..<100_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let value = read(bytes) else { continue }
            #expect(read(value.encoded) == value)
        }
    }

    @Test func mutationsOfValidItemsAreReadOrRefused() {
        var random = RandomNumbers(seed: 2)
        let seeds = AppendixA.all.map(\.bytes)
        for _ in 0..<100_000 {
            let seed = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            guard let value = read(seed.mutated(using: &random)) else { continue }
            #expect(read(value.encoded) == value)
        }
    }
}
