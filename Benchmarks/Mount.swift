import Glibc
import LinuxSystem

extension Section {
    /// Materialized files, read through a mount, against the disk and against other mounts of the same directory.
    static let mount = Section(name: "mount") { report in
        Measure.warmMemory(byteCount: 2 << 30)
        let source = try ScratchFolder()
        var noise = IncompressibleBytes()
        try noise.write(size, to: try source.file("large"))
        let names = (0..<smallFiles).map { "small-\($0)" }
        for name in names { try noise.write(4096, to: try source.file(name)) }

        let cloud = try CloudFolder(over: source.path)
        // The files are materialized before the measurement.
        try cloud.purvey(["download", cloud.mount])
        KernelCaches.forgetPages()
        try Rival.each(over: source.path, &report) { rival, report in
            try measureLarge(cloud.mount, rival, &report)
            try measureSmall(names, cloud.mount, rival, &report)
        }
    }

    private static let size = 256 << 20
    private static let smallFiles = 1_000

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

    /// Measures opening, reading and closing of small files, one after the other.
    private static func measureSmall(
        _ names: [String], _ mount: String, _ rival: Rival, _ report: inout Report
    ) throws {
        let (ours, theirs) = (names.map { "\(mount)/\($0)" }, names.map { "\(rival.folder)/\($0)" })
        let times = try Measure.medians(rounds: 5) {
            try readEach(ours)
        } _: {
            try readEach(theirs)
        }
        report.add(
            "open, read and close of 4 KiB", times.ours / Double(names.count), .seconds,
            peer: .init(name: rival.name, value: times.theirs / Double(names.count)),
            target: rival.isNative ? .atMost(100e-6) : .ratioAtMost(1))
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
