import Glibc
import LinuxSystem

extension Section {
    /// A directory of 100,000 entries, listed by `ls` with cold caches of the kernel.
    static let listing = Section(name: "listing") { report in
        let source = try ScratchFolder()
        for number in 0..<entries { _ = try source.file("an entry with a name of usual length \(number)") }
        let cloud = try CloudFolder(over: source.path)
        // The first listing fetches the items from the provider. Later listings are measured.
        let first = try Measure.seconds { try list(cloud.mount, "-f") }
        report.add("ls -f of 100,000 entries, the first time", first, .seconds, target: .atMost(1))
        report.add("ls -f of 100,000 entries", try time(cloud.mount, "-f"), .seconds, target: .atMost(0.5))
        let long = try time(cloud.mount, "-l")
        report.add("ls -l of 100,000 entries", long, .seconds, target: .atMost(4))
        try Rival.each(over: source.path, &report) { rival, report in
            try list(rival.folder, "-f")
            report.add(
                "ls -f", try time(cloud.mount, "-f"), .seconds,
                peer: .init(name: rival.name, value: try time(rival.folder, "-f")))
            report.add(
                "ls -l", long, .seconds, peer: .init(name: rival.name, value: try time(rival.folder, "-l")),
                target: rival.isNative ? .none : .ratioAtMost(1.0 / 3))
        }
    }

    private static let entries = 100_000

    private static func time(_ folder: String, _ option: String) throws -> Double {
        var times: [Double] = []
        for _ in 0..<3 {
            KernelCaches.forgetNames()
            times.append(try Measure.seconds { try list(folder, option) })
        }
        return Measure.median(times)
    }

    private static func list(_ folder: String, _ option: String) throws {
        try MountedFiles.list(folder, option, atLeast: entries)
    }
}
