import CLinux
import Glibc
import LinuxSystem

/// A checker that makes the same random changes in two directories, one of which is on a trusted file system. It
/// compares the results of each call and finally the trees.
///
/// The paths consist of few names, so that most calls meet the results of earlier ones. A temporary difference is a
/// fault, too.
package struct RandomTreeChecker {
    /// A failure, with the seed and the last operations before it.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    private static let names = ["a", "b", "c", "d"]
    private static let deepest = 3

    private let seed: UInt64
    private let checked: FileDescriptor
    private let model: FileDescriptor
    private let pauses: Bool
    private var generator: RandomNumbers
    private var log: [String] = []
    /// Files that are open in both directories, regardless of their current names.
    private var open: [(checked: FileDescriptor, model: FileDescriptor)] = []

    /// - Parameters:
    ///   - checked: An empty directory to be checked.
    ///   - model: An empty directory on a trusted file system.
    ///   - pauses: Whether short pauses let earlier changes take effect elsewhere.
    package init(checked: String, model: String, seed: UInt64, pauses: Bool = true) throws {
        self.seed = seed
        self.pauses = pauses
        self.checked = try .open(checked, [.readOnly, .directory])
        self.model = try .open(model, [.readOnly, .directory])
        generator = RandomNumbers(seed: seed)
    }

    package mutating func run(steps: Int) throws {
        for number in 1...max(1, steps) {
            try step()
            // Contents are compared less often, because reading them opens every file.
            try compareTrees(withBytes: number % 8 == 0 || number == steps)
            if pauses { pause() }
        }
    }

    /// Pauses at random, so that at the next change the earlier ones have been sent or are still being sent.
    private mutating func pause() {
        switch generator.below(100) {
        case 0..<5: usleep(UInt32(generator.below(400_000)))
        case 5..<30: usleep(UInt32(generator.below(20_000)))
        default: break
        }
    }

    // MARK: Changes

    private mutating func step() throws {
        let path = path()
        switch generator.below(100) {
        case 0..<18:
            try change("mkdir \(path)") { folder in
                try retrying { mkdirat(folder.rawValue, path, 0o755) }
            }
        case 18..<30:
            try change("rmdir \(path)") { folder in
                try retrying { unlinkat(folder.rawValue, path, AT_REMOVEDIR) }
            }
        case 30..<46:
            try change("unlink \(path)") { folder in
                try retrying { unlinkat(folder.rawValue, path, 0) }
            }
        case 46..<60: try write(path)
        case 60..<74: try rename(path)
        case 74..<79: try truncate(path)
        case 79..<83:
            let target = self.path()
            try change("symlink \(path) to \(target)") { folder in
                try retrying { symlinkat(target, folder.rawValue, path) }
            }
        case 83..<87:
            let mode: mode_t = generator.below(2) == 0 ? 0o700 : 0o755
            try change("chmod \(path) \(String(mode, radix: 8))") {
                let file = try $0.open(path, [.readOnly, .noFollow])
                // The provider learns only at the creation of a file whether it is executable.
                let isFolder = try file.status().kind == .directory
                try retrying { fchmod(file.rawValue, isFolder ? mode : mode & 0o666) }
            }
        case 87..<91: try hold(path)
        case 91..<96: try writeToHeld()
        default: try removeAll(path)
        }
    }

    private mutating func path() -> String {
        (0...generator.below(Self.deepest)).map { _ in Self.names[generator.below(Self.names.count)] }
            .joined(separator: "/")
    }

    private mutating func text() -> [UInt8] { generator.bytes(generator.below(200)) }

    private mutating func write(_ path: String) throws {
        let text = text()
        let options: FileDescriptor.OpenOptions =
            switch generator.below(6) {
            case 0: [.writeOnly]
            case 1: [.writeOnly, .append]
            case 2: [.writeOnly, .create, .truncate]
            case 3: [.writeOnly, .create]
            default: [.writeOnly, .create, .exclusive]
            }
        try change("write \(text.count) bytes to \(path) (\(String(options.rawValue, radix: 8)))") {
            let file = try $0.open(path, options, permissions: 0o644)
            try text.withUnsafeBytes { try file.writeAll($0) }
        }
    }

    private mutating func rename(_ path: String) throws {
        let other = self.path()
        let flags: UInt32 =
            switch generator.below(6) {
            case 0: clinux_rename_noreplace
            case 1: clinux_rename_exchange
            default: 0
            }
        try change("rename \(path) to \(other) (\(flags))") { folder in
            try retrying { clinux_renameat2(folder.rawValue, path, folder.rawValue, other, flags) }
        }
    }

    private mutating func truncate(_ path: String) throws {
        let size = generator.below(300)
        try change("truncate \(path) to \(size)") { try $0.open(path, .writeOnly).truncate(to: size) }
    }

    private mutating func hold(_ path: String) throws {
        if open.count >= 3 {
            let index = generator.below(open.count)
            log.append("close \(index)")
            open.remove(at: index)
        }
        var held: [FileDescriptor] = []
        try change("hold \(path)") { held.append(try $0.open(path, [.readWrite, .noFollow])) }
        if held.count == 2 { open.append((held[0], held[1])) }
    }

    private mutating func writeToHeld() throws {
        guard !open.isEmpty else { return }
        let index = generator.below(open.count)
        let (text, offset) = (text(), generator.below(100))
        let pair = open[index]
        try compare("write \(text.count) bytes at \(offset) to what is held as \(index)") { isChecked in
            let file = isChecked ? pair.checked : pair.model
            try text.withUnsafeBytes { try file.writeAll($0, at: offset) }
            return "\(try file.status().size) bytes, \(try file.status().linkCount) names"
        }
    }

    /// Removes a tree, as `rm -r` does.
    private mutating func removeAll(_ path: String) throws {
        try change("remove all of \(path)") { try Self.removeAll(path, in: $0) }
    }

    private static func removeAll(_ path: String, in folder: FileDescriptor) throws {
        guard try folder.status(of: path).kind == .directory else {
            try retrying { unlinkat(folder.rawValue, path, 0) }
            return
        }
        let inner = try folder.open(path, [.readOnly, .directory, .noFollow])
        for entry in try inner.entries() { try removeAll(entry.name.description, in: inner) }
        try retrying { unlinkat(folder.rawValue, path, AT_REMOVEDIR) }
    }

    private mutating func change(_ words: String, _ body: (FileDescriptor) throws -> Void) throws {
        let (checked, model) = (checked, model)
        try compare(words) { isChecked in
            try body(isChecked ? checked : model)
            return "done"
        }
    }

    /// Performs an operation in both directories, and compares the results.
    private mutating func compare(_ words: String, _ body: (_ isChecked: Bool) throws -> String) throws {
        func outcome(_ isChecked: Bool) -> String {
            do { return try body(isChecked) } catch { return "\(error)" }
        }
        let (found, expected) = (outcome(true), outcome(false))
        log.append("\(words): \(expected)")
        guard found == expected else { throw fault("\(words): \(found) instead of \(expected)") }
    }

    // MARK: Trees

    private func compareTrees(withBytes: Bool) throws {
        let expected = try Self.lines(of: model, withBytes: withBytes)
        let found = try Self.lines(of: checked, withBytes: withBytes)
        guard found != expected else { return }
        // The duration of the difference helps to find its cause.
        var looks = 0
        while looks < 2_000, try Self.lines(of: checked, withBytes: withBytes) != expected {
            usleep(5_000)
            looks += 1
        }
        let wrong =
            Set(found).subtracting(expected).map { "+ " + $0 } + Set(expected).subtracting(found).map { "- " + $0 }
        let twice = Dictionary(grouping: found) { $0 }.values.filter { $0.count > 1 }.map { "twice " + $0[0] }
        let duration = looks < 2_000 ? "for about \(looks * 5) ms" : "and stays so"
        throw fault("the trees differ \(duration):\n" + (wrong + twice).sorted().joined(separator: "\n"))
    }

    /// Returns a line for each item beneath a directory.
    private static func lines(of folder: FileDescriptor, withBytes: Bool, under prefix: String = "") throws -> [String]
    {
        var lines: [String] = []
        for entry in try folder.open(".", [.readOnly, .directory]).entries() {
            let name = entry.name.description
            let path = prefix + name
            do {
                let status = try folder.status(of: name)
                let mode = String(status.permissions, radix: 8)
                switch status.kind {
                case .directory:
                    lines.append("\(path)/ \(mode)")
                    let inner = try folder.open(name, [.readOnly, .directory, .noFollow])
                    lines += try Self.lines(of: inner, withBytes: withBytes, under: path + "/")
                case .symbolicLink:
                    let target = try FileName(name).map { try folder.target(ofLink: $0) } ?? []
                    lines.append("\(path) -> \(String(decoding: target, as: UTF8.self))")
                default:
                    let bytes = withBytes ? try folder.open(name, [.readOnly, .noFollow]).everything() : []
                    lines.append("\(path) \(mode) \(status.size) bytes, \(status.linkCount) names \(sum(bytes))")
                }
            } catch {
                lines.append("\(path): \(error)")
            }
        }
        return lines.sorted()
    }

    /// Returns a hash that distinguishes contents (FNV-1a).
    private static func sum(_ bytes: [UInt8]) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }

    private func fault(_ words: String) -> Fault {
        Fault(
            description: "seed \(seed), step \(log.count): \(words)\nlast:\n" + log.suffix(40).joined(separator: "\n"))
    }
}
