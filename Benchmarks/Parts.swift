import Glibc
import LinuxSystem

extension Section {
    /// Dataless files of which programs read one byte, or all bytes, without a download beforehand.
    static let parts = Section(name: "parts") { report in
        let source = try ScratchFolder()
        do {
            // The file is sparse, because the path to one byte is measured, and not the disk.
            let large = try source.file("large")
            try large.truncate(to: largeSize)
            try [UInt8](repeating: 7, count: 1 << 20).withUnsafeBytes { try large.writeAll($0, at: largeSize / 2) }
        }
        var noise = IncompressibleBytes()
        try noise.write(wholeSize, to: try source.file("whole"))
        let cloud = try CloudFolder(over: source.path)
        try measureByte(cloud, &report)
        try measureWhole(cloud, in: source, &report)
    }

    private static let largeSize = 1 << 30
    private static let wholeSize = 256 << 20

    private static func measureByte(_ cloud: CloudFolder, _ report: inout Report) throws {
        let path = cloud.mount + "/large"
        var times: [Double] = []
        var fetched = 0
        for _ in 0..<21 {
            try cloud.purvey(["evict", path])
            let start = Measure.now()
            try readByte(path)
            times.append(Double(Measure.now() - start) / 1e9)
            fetched = max(fetched, try FileStatus.of(path, followingLinks: false).allocatedSize)
        }
        report.add(
            "a byte in the middle of 1 GiB that is not here", Measure.median(times), .seconds, target: .atMost(0.02))
        report.add("what is fetched for it", Double(fetched), .bytes, target: .atMost(Double(512 << 10)))
    }

    private static func readByte(_ path: String) throws {
        let file = try FileDescriptor.open(path, [.readOnly])
        try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
            guard try file.read(into: buffer, at: largeSize / 2) == 1, buffer[0] == 7 else {
                throw MeasurementError("\(path) is not what it was")
            }
        }
    }

    /// Measures a copy of a dataless file, which reads it from start to end, compared with a download of the file
    /// followed by a copy of the local contents.
    private static func measureWhole(
        _ cloud: CloudFolder, in source: ScratchFolder, _ report: inout Report
    ) throws {
        let target = try ScratchFolder()
        let path = cloud.mount + "/whole"
        func copy() throws { _ = try BenchmarkChild.output(ofProgram: "/bin/cp", [path, target.path + "/copy"]) }
        func forget() {
            try? target.remove("copy")
            _ = try? cloud.purvey(["evict", path])
        }
        let times = try Measure.medians(rounds: 5, cleanUp: forget) {
            try copy()
        } _: {
            try cloud.purvey(["download", path])
            try copy()
        }
        report.add(
            "cp of 256 MiB that are not here", Double(wholeSize) / times.ours, .bytesPerSecond,
            peer: .init(name: "download, then cp", value: Double(wholeSize) / times.theirs), target: .ratioAtLeast(0.7))
    }
}
