import Conduit
import TestThreads
import Testing

@Suite(.ownThreads) struct CBORTests {
    private func decode(_ bytes: [UInt8]) throws(CBORError) -> CBORValue {
        let result: Result<CBORValue, CBORError> = bytes.withUnsafeBytes { bytes in
            do throws(CBORError) {
                return .success(try CBORValue(decoding: bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func problem(of bytes: [UInt8]) -> CBORError.Problem? {
        do throws(CBORError) {
            _ = try decode(bytes)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test func appendixAIsComplete() {
        #expect(AppendixA.all.count == 81)
    }

    @Test(arguments: AppendixA.all) func anExampleOfTheSpecificationIsRead(example: Example) throws {
        #expect(try decode(example.bytes) == example.value)
        example.bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            #expect(throws: Never.self) { try reader.skip() }
            #expect(reader.isAtEnd)
        }
    }

    @Test(arguments: AppendixA.all.filter(\.isPreferred)) func anExampleOfTheSpecificationIsWritten(example: Example) {
        #expect(example.value.encoded == example.bytes)
    }

    @Test(arguments: AppendixA.all) func writtenValuesReadBackEqual(example: Example) throws {
        #expect(try decode(example.value.encoded) == example.value)
    }

    @Test(arguments: AppendixA.all) func everyBeginningOfAnExampleIsRefused(example: Example) {
        for length in 0..<example.bytes.count {
            let problem = problem(of: [UInt8](example.bytes.prefix(length)))
            #expect(problem == .endOfInput || problem == .countExceedsInput)
        }
    }

    @Test(arguments: [
        ([0x1C], CBORError.Problem.reservedInformation), ([0x5D], .reservedInformation), ([0xFE], .reservedInformation),
        ([0x1F], .indefiniteLength), ([0x3F], .indefiniteLength), ([0xDF, 0x00], .indefiniteLength),
        ([0xFF], .unexpectedBreak), ([0x81, 0xFF], .unexpectedBreak), ([0xA1, 0x00, 0xFF], .unexpectedBreak),
        ([0xBF, 0x00, 0xFF], .unexpectedBreak), ([0xC0, 0xFF], .unexpectedBreak),
        ([0x5F, 0x61, 0x61, 0xFF], .invalidChunk), ([0x5F, 0x5F, 0xFF, 0xFF], .invalidChunk),
        ([0x7F, 0x00, 0xFF], .invalidChunk), ([0xF8, 0x00], .invalidSimpleValue), ([0xF8, 0x1F], .invalidSimpleValue),
        ([0x62, 0xC3, 0x28], .invalidText), ([0x61, 0xFF], .invalidText), ([0x63, 0xED, 0xA0, 0x80], .invalidText),
        // Each chunk must be valid UTF-8, so a character must not be split between two chunks.
        ([0x7F, 0x61, 0xC3, 0x61, 0xBC, 0xFF], .invalidText),
        ([0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .countExceedsInput),
        ([0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .countExceedsInput),
        ([0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .endOfInput),
        ([0x00, 0x00], .trailingBytes), ([], .endOfInput), ([0x19, 0x01], .endOfInput),
    ]) func bytesThatAreNotCBORAreRefused(bytes: [UInt8], expected: CBORError.Problem) {
        #expect(problem(of: bytes) == expected)
    }

    @Test func nestingIsReadUpToTheLimitAndNotBeyond() throws {
        let limit = CBORReader.defaultDepthLimit
        for opening: UInt8 in [0x81, 0xC0, 0x9F] {
            let closing = [UInt8](repeating: 0xFF, count: opening == 0x9F ? limit : 0)
            let deepest = [UInt8](repeating: opening, count: limit) + [0x00] + closing
            #expect(problem(of: deepest) == nil)
            #expect(problem(of: [opening] + deepest) == .tooDeep)
        }
        // A depth at which unlimited recursion would crash the process.
        #expect(problem(of: [UInt8](repeating: 0x81, count: 1_000_000)) == .tooDeep)
        let skipped = [UInt8](repeating: 0x9F, count: 1_000_000)
        skipped.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            #expect(throws: CBORError(.tooDeep, at: limit)) { try reader.skip() }
        }
    }

    @Test func integersOutsideOfTheTypeAskedForAreRefused() throws {
        func read<Value: FixedWidthInteger & Sendable>(_ value: CBORValue, as: Value.Type) -> Result<Value, CBORError> {
            value.encoded.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                do throws(CBORError) {
                    return .success(try reader.readInteger())
                } catch {
                    return .failure(error)
                }
            }
        }
        #expect(try read(.unsigned(127), as: Int8.self).get() == 127)
        #expect(try read(.negative(127), as: Int8.self).get() == -128)
        #expect(try read(.negative(UInt64(Int64.max)), as: Int64.self).get() == .min)
        #expect(try read(.unsigned(.max), as: UInt64.self).get() == .max)
        let outOfRange = CBORError(.outOfRange, at: 0)
        #expect(read(.unsigned(128), as: Int8.self) == .failure(outOfRange))
        #expect(read(.negative(128), as: Int8.self) == .failure(outOfRange))
        #expect(read(.negative(0), as: UInt8.self) == .failure(outOfRange))
        #expect(read(.negative(UInt64(Int64.max) + 1), as: Int64.self) == .failure(outOfRange))
        #expect(read(.negative(.max), as: Int64.self) == .failure(outOfRange))
        #expect(read(.unsigned(.max), as: Int64.self) == .failure(outOfRange))
        #expect(read(.text("1"), as: Int64.self) == .failure(CBORError(.unexpectedType, at: 0)))
    }

    @Test func theWriterGoesOnWhenTheMemoryLentToItIsFull() {
        withUnsafeTemporaryAllocation(byteCount: 5, alignment: 1) { scratch in
            var writer = CBORWriter(scratch: scratch)
            for number in 0..<1000 { writer.write(integer: number - 500) }
            writer.withBytes { bytes in
                var reader = CBORReader(bytes)
                for number in 0..<1000 { #expect((try? reader.readInteger()) == number - 500) }
                #expect(reader.isAtEnd)
            }
        }
    }
}
