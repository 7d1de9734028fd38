/// The contents of an executable file (elf(5)) that does nothing, but states the directories of its libraries.
package enum SampleProgram {
    /// Returns the file's contents.
    ///
    /// - Parameters:
    ///   - runPath: The value of DT_RUNPATH; omitted if `nil`.
    ///   - path: The value of DT_RPATH; omitted if `nil`.
    package static func bytes(runPath: String? = nil, path: String? = nil) -> [UInt8] {
        var strings: [UInt8] = [0]
        var entries: [(tag: UInt64, value: UInt64)] = []
        for (tag, text) in [(UInt64(29), runPath), (15, path)] {
            guard let text else { continue }
            entries.append((tag, UInt64(strings.count)))
            strings += Array(text.utf8) + [0]
        }
        let dynamic = UInt64(64 + 2 * 56)
        let stringsPlace = dynamic + UInt64(entries.count + 3) * 16
        entries += [(5, loadAddress + stringsPlace), (10, UInt64(strings.count)), (0, 0)]
        let size = stringsPlace + UInt64(strings.count)

        var bytes: [UInt8] = [0x7F] + Array("ELF".utf8) + [2, 1, 1] + [UInt8](repeating: 0, count: 9)
        append([(3, 2), (62, 2), (1, 4), (0, 8), (64, 8), (0, 8), (0, 4), (64, 2), (56, 2), (2, 2)], to: &bytes)
        append([(64, 2), (0, 2), (0, 2)], to: &bytes)
        for (type, start, length) in [(UInt64(1), UInt64(0), size), (2, dynamic, stringsPlace - dynamic)] {
            append([(type, 4), (4, 4), (start, 8), (loadAddress + start, 8), (loadAddress + start, 8)], to: &bytes)
            append([(length, 8), (length, 8), (8, 8)], to: &bytes)
        }
        for entry in entries { append([(entry.tag, 8), (entry.value, 8)], to: &bytes) }
        return bytes + strings
    }

    /// The address is not 0, so that addresses differ from offsets in the file.
    private static let loadAddress: UInt64 = 0x1_0000

    private static func append(_ numbers: [(value: UInt64, bytes: Int)], to bytes: inout [UInt8]) {
        for number in numbers {
            for index in 0..<number.bytes {
                bytes.append(UInt8(truncatingIfNeeded: number.value >> (8 * UInt64(index))))
            }
        }
    }
}
