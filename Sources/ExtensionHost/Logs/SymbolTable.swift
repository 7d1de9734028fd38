import Glibc
import LinuxSystem

/// The functions of a program or library by their offsets, from the symbol table of a 64-bit little-endian ELF file
/// (elf(5)).
///
/// The file may be malformed. A table that extends past the end of the file, or exceeds the size limit, counts as
/// missing.
struct SymbolTable {
    private struct Function {
        let start: UInt64
        let size: UInt64
        let name: UInt32
    }

    private let functions: [Function]
    private let names: [UInt8]

    /// The maximum size in bytes of the symbol table, and of the table of names.
    private static let largest: UInt64 = 256 << 20
    private static let (headerSize, sectionSize, symbolSize) = (64, 64, 24)
    private static let (symbols, dynamicSymbols): (UInt64, UInt64) = (2, 11)
    private static let functionType: UInt8 = 2

    /// Reads the symbol table of the file at the given path. Returns `nil` if the file has no symbol table. Blocks on
    /// the file system.
    init?(path: String) {
        guard let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]), let status = try? file.status(),
            status.kind == .regular
        else { return nil }
        let size = UInt64(status.size)
        func read(_ count: UInt64, at offset: UInt64) -> [UInt8]? {
            guard count <= Self.largest, offset <= size, count <= size - offset else { return nil }
            return file.bytes(Int(count), at: Int(offset))
        }
        guard let header = read(UInt64(Self.headerSize), at: 0),
            header.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2, 1])
        else { return nil }
        let count = header.number(at: 60, bytes: 2)
        guard header.number(at: 58, bytes: 2) == Self.sectionSize,
            let sections = read(count * UInt64(Self.sectionSize), at: header.number(at: 40, bytes: 8))
        else { return nil }
        func section(_ index: Int) -> (type: UInt64, offset: UInt64, size: UInt64, link: Int) {
            let start = index * Self.sectionSize
            return (
                sections.number(at: start + 4, bytes: 4), sections.number(at: start + 24, bytes: 8),
                sections.number(at: start + 32, bytes: 8), Int(sections.number(at: start + 40, bytes: 4))
            )
        }
        let all = (0..<Int(count)).map(section)
        // A stripped program has only the table of dynamic symbols.
        guard
            let table = all.first(where: { $0.type == Self.symbols })
                ?? all.first(where: { $0.type == Self.dynamicSymbols }),
            all.indices.contains(table.link), let entries = read(table.size, at: table.offset),
            let names = read(all[table.link].size, at: all[table.link].offset)
        else { return nil }
        self.names = names
        functions = stride(from: 0, to: entries.count - Self.symbolSize + 1, by: Self.symbolSize).compactMap { start in
            guard entries[start + 4] & 0xF == Self.functionType else { return nil }
            let address = entries.number(at: start + 8, bytes: 8)
            guard address > 0 else { return nil }
            return Function(
                start: address, size: entries.number(at: start + 16, bytes: 8),
                name: UInt32(entries.number(at: start, bytes: 4)))
        }.sorted { $0.start < $1.start }
    }

    /// Returns the mangled name of the function at the given offset from the file's load address; `nil` if there is no
    /// function at the offset.
    func name(at offset: UInt64) -> String? {
        var (low, high) = (0, functions.count)
        while low < high {
            let middle = (low + high) / 2
            if functions[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let function = functions[low - 1]
        guard offset - function.start < max(function.size, 1), function.name < names.count else { return nil }
        let rest = names[Int(function.name)...]
        return String(decoding: rest.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension FileDescriptor {
    /// Returns `count` bytes of the file at the given offset, or `nil` if the file has fewer bytes.
    fileprivate func bytes(_ count: Int, at offset: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = bytes.withUnsafeMutableBytes { buffer in try? fill(buffer, at: offset) }
        return filled == count ? bytes : nil
    }
}

extension [UInt8] {
    /// Returns the little-endian number in the given bytes of this array. The bytes must exist.
    fileprivate func number(at start: Int, bytes: Int) -> UInt64 {
        self[start..<start + bytes].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
