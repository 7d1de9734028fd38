import Foundation
import LinuxSystem
import Runtime

/// The place of a call to a coordinator, for error messages about deadlocks.
///
/// Every claim records its place, so recording must be cheap and cannot fail. Therefore only a few return addresses are
/// copied from the thread's stack. They are converted to a file and line only when a deadlock is reported.
enum CallSite: Sendable {
    /// The return addresses of the call, the innermost first.
    case addresses([UInt])
    /// The source location that the compiler supplied. It is used for calls in tasks, because a task's callers are not
    /// on the thread's stack.
    case source(file: StaticString, line: UInt, function: StaticString)

    /// The number of recorded addresses. It is larger than the number of stack frames between the program's call and
    /// the function that records it, even without optimization.
    private static let depth = 20

    static func here() -> CallSite { .addresses(CallStack.returnAddresses(atMost: depth)) }

    /// The place as text: file and line if the program has debugging information, otherwise the function. The getter
    /// reads the files of programs and libraries, which is slow.
    var words: String {
        switch self {
        case .source(let file, let line, let function):
            let path = "\(file)"
            return "\(path.split(separator: "/").last.map(String.init) ?? path):\(line) (\(function))"
        case .addresses(let addresses): return Self.words(for: addresses) ?? "a place without symbols"
        }
    }

    private static func words(for addresses: [UInt]) -> String? {
        // First, only names are looked up in the symbol tables. Finding a source line takes seconds in a large program,
        // so it is done only for the program's call. Finding inlined functions would take as long again, so it is not
        // done. If the call is in an inlined function, the name is that of the function that contains the inlined one.
        guard !addresses.isEmpty, let frames = symbolicated(addresses, [.useSymbolCache])?.frames,
            frames.count == addresses.count
        else { return nil }
        var isInside = false
        for (frame, address) in zip(frames, addresses) {
            guard let symbol = frame.symbol, !symbol.isSwiftThunk else { continue }
            let isOurs = symbol.rawName.hasPrefix("$s16FileCoordination")
            if isInside, !isOurs { return words(for: symbol, at: address) }
            // The program's frame is the first one outside of this module after a frame of a member of
            // `NSFileCoordinator`. All frames before it are skipped.
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

    // MARK: Symbolication

    /// A backtrace in the runtime's encoding (swift.org, "Compact Backtrace Format" and "Compact ImageMap Format",
    /// version 0). The list of loaded images comes from the dynamic loader. The runtime's own function would read the
    /// list from this process's memory, and crash if another thread unmapped memory at the same time.
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

    /// The first byte of both encodings: version 0 with 64-bit words.
    private static let format: UInt8 = 0b10

    private static func compact(_ addresses: [UInt]) -> [UInt8] {
        // Each address is encoded as an absolute return address of eight bytes. The end mark follows.
        [format] + addresses.flatMap { [0b0010_1111] + bytes($0) } + [0]
    }

    private static func compact(_ images: [LoadedImage]) -> [UInt8] {
        let platform = Array("Linux".utf8)
        var result = [format] + counted(platform.count) + platform + counted(images.count)
        for image in images {
            // The start and the length of the text have eight bytes each. The build identifier is empty.
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

    /// Encodes a count with seven bits per byte, the most significant bits first.
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
