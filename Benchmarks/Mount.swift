import Glibc
import LinuxSystem

extension Section {
    /// Materialized files, read through a mount, against the disk and against other mounts of the same directory.
    static let mount = Section(name: "mount") { report in
        Measure.warmMemory(byteCount: 2 << 30)
        let source = try ScratchFolder()
        var noise = IncompressibleBytes()
        try noise.write(size, to: try source.file("large"))
        for name in smallFileNames { try noise.write(4096, to: try source.file(name)) }

        let cloud = try CloudFolder(over: source.path)
        // The files are materialized before the measurement.
        try cloud.purvey(["download", cloud.mount])
        KernelCaches.forgetPages()
        try Rival.each(over: source.path, &report) { rival, report in
            try measureLarge(cloud.mount, rival, &report)
        }
        for line in try BenchmarkChild.output(of: .smallFileReading, [source.path]).split(separator: "\n") {
            let words = line.split(separator: "\t")
            guard words.count == 3, let ours = Double(words[1]), let theirs = Double(words[2]) else {
                throw MeasurementError("no times of small files: \(line)")
            }
            report.add(
                "open, read and close of 4 KiB, one processor", ours, .seconds,
                peer: .init(name: String(words[0]), value: theirs),
                target: words[0] == Rival.nativeName ? .atMost(100e-6) : .ratioAtMost(1))
        }
    }

    private static let size = 256 << 20
    fileprivate static let smallFileNames = (0..<1_000).map { "small-\($0)" }

    /// Measures sequential and random reads of a large file. Many rounds are needed against the disk, because the
    /// differences are only a few percent.
    private static func measureLarge(
        _ mount: String, _ rival: Rival, _ report: inout Report
    ) throws {
        let (ours, theirs) = (try OpenedLarge(mount), try OpenedLarge(rival.folder))
        let rounds = rival.isNative ? 31 : 5
        let sequential = try Measure.medians(rounds: rounds) {
            try ours.readAll()
        } _: {
            try theirs.readAll()
        }
        report.add(
            "sequential read through the mount", Double(size) / sequential.ours, .bytesPerSecond,
            peer: .init(name: rival.name, value: Double(size) / sequential.theirs),
            target: rival.isNative ? .ratioAtLeast(0.9) : .none)
        let random = try Measure.medians(rounds: rounds) {
            try ours.readHere()
        } _: {
            try theirs.readHere()
        }
        report.add(
            "random read of 4 KiB", random.ours / Double(OpenedLarge.reads), .seconds,
            peer: .init(name: rival.name, value: random.theirs / Double(OpenedLarge.reads)),
            target: rival.isNative ? .ratioAtMost(1.2) : .none)
    }
}

extension ChildRole {
    /// Opens, reads and closes small files of a source directory through a mount, one after the other. Prints for each
    /// view to compare with its name and the medians in seconds per file, of the mount and of that view.
    ///
    /// All processes run on one processor. On several, the times depend on whether the kernel wakes a mount's server on
    /// the processor of the reader, and differ by a factor of two from run to run.
    static let smallFileReading = ChildRole(name: "small-file-reading") { words in
        guard let source = words.first else { throw MeasurementError("no source directory") }
        try Processor.pinThread(to: 0)
        let cloud = try CloudFolder(over: source)
        try cloud.purvey(["download", cloud.mount])
        let names = Section.smallFileNames
        // The parent reports the peers that are missing.
        var unused = Report()
        try Rival.each(over: source, &unused) { rival, _ in
            let (ours, theirs) = (names.map { "\(cloud.mount)/\($0)" }, names.map { "\(rival.folder)/\($0)" })
            let times = try Measure.medians(rounds: 5) {
                try readEach(ours)
            } _: {
                try readEach(theirs)
            }
            let count = Double(names.count)
            print(rival.name, times.ours / count, times.theirs / count, separator: "\t")
        }
    }

    private static func readEach(_ paths: [String]) throws {
        try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            for path in paths {
                let file = try FileDescriptor.open(path, [.readOnly])
                guard try file.read(into: buffer) == 4096 else { throw MeasurementError("\(path) is not whole") }
            }
        }
    }
}

/// An open large file.
private final class OpenedLarge {
    private let file: FileDescriptor
    private let size: Int
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    static let reads = 20_000

    init(_ folder: String) throws {
        file = try .open(folder + "/large", [.readOnly])
        size = Int(try FileStatus.of(folder + "/large", followingLinks: false).size)
    }

    deinit { buffer.deallocate() }

    func readAll() throws {
        var position = 0
        while position < size {
            let count = try file.read(into: buffer, at: position)
            guard count > 0 else { throw MeasurementError("the file ends at \(position)") }
            position += count
        }
    }

    /// Reads pages at random positions, the same ones each time.
    func readHere() throws {
        var state: UInt64 = 1
        let page = UnsafeMutableRawBufferPointer(rebasing: buffer[..<4096])
        for _ in 0..<Self.reads {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let offset = Int(state >> 33) % (size / 4096) * 4096
            guard try file.read(into: page, at: offset) == 4096 else { throw MeasurementError("a page is not whole") }
        }
    }
}
