import LinuxSystem

/// The memory files and the anonymous shared memory that a process has mapped.
struct MappedFiles {
    /// The maximum number of mappings of a process. A program with a thousand threads has about four thousand mappings.
    /// A process that has many more is treated as an attacker, because reading them takes long.
    static let mostMappings = 16_384
    /// The maximum size in bytes of the kernel's list of a process's mappings, including their paths.
    private static let longestList = mostMappings * 256

    /// The number of mappings of any kind. If it is greater than ``mostMappings``, the exact number is unknown.
    private(set) var count = 0
    /// The number of mapped bytes of each file, used or not, by inode number.
    private(set) var lengths: [UInt64: Int] = [:]
    /// The number of mapped bytes of each file that the process has used, including swapped-out bytes, by inode number.
    private(set) var used: [UInt64: Int] = [:]

    /// Reads the list of mappings, without the number of used bytes, which would take longer. Blocks on the system.
    ///
    /// - Parameter process: The path of the process's directory, such as `/proc/PID`.
    init(of process: String) throws(Errno) {
        var bytes = 0
        try SystemFile.forEachLine(process + "/maps") { line in
            bytes += line.count
            count = bytes > Self.longestList ? Self.mostMappings + 1 : count + 1
            if let (inode, length) = Self.memoryFile(line) { lengths[inode, default: 0] += length }
            return count <= Self.mostMappings
        }
    }

    /// Reads the number of used bytes of the mappings. Blocks on the system, for tens of milliseconds if there are very
    /// many mappings.
    mutating func measure(_ process: String) throws(Errno) {
        var (number, inode): (Int, UInt64?) = (0, nil)
        try SystemFile.forEachLine(process + "/smaps") { line in
            // ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH, and under it "Key: number kB".
            if let first = line.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
                number += 1
                inode = Self.memoryFile(line)?.inode
            } else if let inode, line.starts(with: Self.resident) || line.starts(with: Self.swapped) {
                used[inode, default: 0] += (Self.number(line.drop { !Self.digits.contains($0) }, radix: 10) ?? 0) << 10
            }
            return number <= Self.mostMappings
        }
        count = max(count, number)
    }

    /// Parses the line that describes a mapping. Returns `nil` if the mapping is not of a memory file or of shared
    /// memory.
    private static func memoryFile(_ line: ArraySlice<UInt8>) -> (inode: UInt64, length: Int)? {
        let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard columns.count == 6, let inode = number(columns[4], radix: 10) else { return nil }
        let path = columns[5].drop { $0 == UInt8(ascii: " ") }
        guard path.starts(with: memoryFile) || path.elementsEqual(sharedMemory) else { return nil }
        let addresses = columns[0].split(separator: UInt8(ascii: "-"))
        guard addresses.count == 2, let begin = number(addresses[0], radix: 16),
            let end = number(addresses[1], radix: 16)
        else { return nil }
        return (UInt64(inode), end - begin)
    }

    /// Parses the digits at the beginning of the text; `nil` if there are none.
    private static func number(_ text: ArraySlice<UInt8>, radix: Int) -> Int? {
        let digits = text.prefix { Self.digits.contains($0) || radix == 16 && hexDigits.contains($0) }
        return Int(String(decoding: digits, as: UTF8.self), radix: radix)
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    private static let hexDigits = UInt8(ascii: "a")...UInt8(ascii: "f")
    private static let memoryFile = Array("/memfd:".utf8)
    private static let sharedMemory = Array("/dev/zero (deleted)".utf8)
    private static let resident = Array("Rss:".utf8)
    private static let swapped = Array("Swap:".utf8)
}
