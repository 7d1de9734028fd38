import Glibc
import LinuxSystem

extension Section {
    /// A tree of 10,000 files in 100 directories, searched by `find` with a request for each file's size, with cold
    /// caches of the kernel.
    static let finding = Section(name: "finding") { report in
        let source = try ScratchFolder()
        for folder in 0..<folders {
            _ = try source.folder("folder-\(folder)")
            for file in 0..<files { _ = try source.file("folder-\(folder)/file-\(file)") }
        }
        let cloud = try CloudFolder(over: source.path)
        // The first run fetches the listings from the provider. Later runs are measured.
        report.add("find in 10,000 files, the first time", try Measure.seconds { try find(cloud.mount) }, .seconds)
        try Rival.each(over: source.path, &report) { rival, report in
            try find(rival.folder)
            let times = try Measure.medians(rounds: 3, cleanUp: KernelCaches.forgetNames) {
                try find(cloud.mount)
            } _: {
                try find(rival.folder)
            }
            report.add(
                "find in 10,000 files", times.ours, .seconds, peer: .init(name: rival.name, value: times.theirs))
        }
    }

    private static let folders = 100
    private static let files = 100

    private static func find(_ folder: String) throws {
        let lines = try BenchmarkChild.output(ofProgram: "/usr/bin/find", [folder, "-type", "f", "-size", "-1"])
        let count = lines.utf8.count { $0 == UInt8(ascii: "\n") }
        guard count == folders * files else { throw MeasurementError("\(count) files were found in \(folder)") }
    }
}
