import Foundation
import LinuxSystem
import Runtime

/// Where a coordinator was called, for messages about deadlocks.
///
/// Every claim keeps it, so taking it costs next to nothing and cannot fail: it is a few addresses from the thread's own stack.
/// What they stand for is looked up only when there is a deadlock to tell.
enum CallSite: Sendable {
    /// The return addresses on the way there, the innermost first.
    case addresses([UInt])
    /// As the caller was compiled: what a task has come through is not on a stack.
    case source(file: StaticString, line: UInt, function: StaticString)

    /// What lies between a program's call and the place where it is noted, without optimisation, is less than this.
    private static let depth = 20

    static func here() -> CallSite { .addresses(CallStack.returnAddresses(atMost: depth)) }

    /// The place in words: a file and a line where the program has its debugging information, else a function. Reads the
    /// files of programs and libraries, which takes a while.
    var words: String {
        switch self {
        case .source(let file, let line, let function):
            let path = "\(file)"
            return "\(path.split(separator: "/").last.map(String.init) ?? path):\(line) (\(function))"
        case .addresses(let addresses): return Self.words(for: addresses) ?? "a place without symbols"
        }
    }

    private static func words(for addresses: [UInt]) -> String? {
        // Names alone, which the tables of symbols have. Lines take seconds to find in a large program: only of the one call. To
        // know which functions the compiler has put into which takes as long again, so the name is the one of the whole.
        guard !addresses.isEmpty, let frames = symbolicated(addresses, [.useSymbolCache])?.frames,
            frames.count == addresses.count
        else { return nil }
        var isInside = false
        for (frame, address) in zip(frames, addresses) {
            guard let symbol = frame.symbol, !symbol.isSwiftThunk else { continue }
            let isOurs = symbol.rawName.hasPrefix("$s16FileCoordination")
            if isInside, !isOurs { return words(for: symbol, at: address) }
            // A member of the class that programs call, rather than what is called by it.
            isInside = isOurs && (isInside || symbol.name.contains("NSFileCoordinator."))
        }
        return nil
    }

    private static func words(for symbol: SymbolicatedBacktrace.Symbol, at address: UInt) -> String {
        let frames = symbolicated([address], [.showSourceLocations, .useSymbolCache])?.frames
        guard let place = frames?.first?.symbol?.sourceLocation else { return symbol.name }
        let file = place.path.split(separator: "/").last.map(String.init) ?? place.path
        return "\(file):\(place.line) (\(symbol.name))"
    }

    // MARK: Looking up

    /// The runtime finds out itself what is loaded by reading the memory of this process, which ends it where other threads
    /// unmap memory meanwhile. So it is told, in the form in which it keeps that (swift.org, "Compact Backtrace Format" and
    /// "Compact ImageMap Format", version 0): the system's loader knows.
    private struct Recorded: Encodable {
        let architecture: String
        let backtrace: String
        let imageMap: String
    }

    private static func symbolicated(
        _ addresses: [UInt], _ options: Backtrace.SymbolicationOptions
    ) -> SymbolicatedBacktrace? {
        #if arch(x86_64)
            let architecture = "x86_64"
        #else
            let architecture = "arm64"
        #endif
        let recorded = Recorded(
            architecture: architecture, backtrace: text(compact(addresses)), imageMap: text(compact(LoadedImage.all)))
        guard let data = try? JSONEncoder().encode(recorded),
            let backtrace = try? JSONDecoder().decode(Backtrace.self, from: data), backtrace.images != nil
        else { return nil }
        return backtrace.symbolicated(options: options)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "=", with: "")
    }

    /// Words of 64 bits, version 0.
    private static let format: UInt8 = 0b10

    private static func compact(_ addresses: [UInt]) -> [UInt8] {
        // Each an absolute return address of eight bytes, and then the end.
        [format] + addresses.flatMap { [0b0010_1111] + bytes($0) } + [0]
    }

    private static func compact(_ images: [LoadedImage]) -> [UInt8] {
        let platform = Array("Linux".utf8)
        var result = [format] + counted(platform.count) + platform + counted(images.count)
        for image in images {
            // Both numbers have eight bytes; no build identifier.
            result += [0b0011_1111] + bytes(image.start) + bytes(image.textEnd - image.start) + counted(0)
            let path = Array(image.path.utf8)
            for start in stride(from: 0, to: path.count, by: 63) {
                let part = path[start..<min(start + 63, path.count)]
                result += [UInt8(part.count)] + part
            }
            result.append(0)
        }
        return result
    }

    private static func bytes(_ value: UInt) -> [UInt8] {
        withUnsafeBytes(of: UInt64(value).bigEndian) { Array($0) }
    }

    /// Seven bits a byte, the highest first.
    private static func counted(_ count: Int) -> [UInt8] {
        var bytes = [UInt8(count & 0x7f)]
        var left = count >> 7
        while left > 0 {
            bytes.insert(UInt8(left & 0x7f) | 0x80, at: 0)
            left >>= 7
        }
        return bytes
    }
}
