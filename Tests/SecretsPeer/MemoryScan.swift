import Glibc
import LinuxSystem
import SecretStorage
import Secrets

let peerGroups = AccessGroups(["test"])

/// Makes a call with the password of the item in the store. Returns whether the password was found in memory during the
/// call. No reference to the password remains.
@inline(never)
func useSecret(of store: SecretStore, _ call: String, _ reversed: [UInt8]) throws -> Bool {
    let search = SecretSearch(itemClass: .genericPassword, attributes: [.service: .text("a")])
    let found = try store.find(FindSecretsCall(search: search, limit: 1, wantsValues: true), groups: peerGroups)
    let value = found.first?.value
    switch call {
    case "set":
        try store.update(UpdateSecretsCall(search: search, attributes: [:], value: value), groups: peerGroups)
    case "add":
        _ = try store.add(
            AddSecretCall(itemClass: .genericPassword, attributes: [.service: .text("b")], value: value),
            groups: peerGroups)
    default: break
    }
    let isInUse = try MemoryScan.contains(reversed: reversed)
    withExtendedLifetime(value) {}
    return isInUse
}

/// A search of this process's memory.
enum MemoryScan {
    /// Returns the bytes of hexadecimal digits in reverse order, so that a scan does not find its own argument.
    static func reversed(_ digits: String) -> [UInt8] {
        let digits = Array(digits)
        return stride(from: digits.count - 2, through: 0, by: -2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }

    /// Whether bytes are anywhere in the writable memory of this process.
    ///
    /// - Parameter reversed: the bytes in reverse order.
    static func contains(reversed: [UInt8]) throws -> Bool {
        let maps = try FileDescriptor.open("/proc/self/maps", [.readOnly]).readToEnd(limit: 1 << 20)
        let memory = try FileDescriptor.open("/proc/self/mem", [.readOnly])
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw"), words.last != "[vvar]" else { continue }
            if try contains(reversed: reversed, in: ends[0]..<ends[1], of: memory) { return true }
        }
        return false
    }

    private static func contains(reversed: [UInt8], in range: Range<Int>, of memory: FileDescriptor) throws -> Bool {
        // A page at a time, with the end of the one before.
        var window = [UInt8](repeating: 0, count: 4096 + reversed.count)
        defer { window.withUnsafeMutableBytes { SecretBytes.erase($0) } }
        for page in stride(from: range.lowerBound, to: range.upperBound, by: 4096) {
            window.replaceSubrange(..<reversed.count, with: window.suffix(reversed.count))
            let count = try? window.withUnsafeMutableBytes {
                try memory.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[reversed.count...]), at: page)
            }
            guard count == 4096 else { continue }
            for end in window.indices where end + 1 >= reversed.count && window[end] == reversed[0] {
                var matched = 1
                while matched < reversed.count, window[end - matched] == reversed[matched] { matched += 1 }
                if matched == reversed.count { return true }
            }
        }
        return false
    }
}
