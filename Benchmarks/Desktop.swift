import Foundation
import Glibc
import LinuxSystem

extension Section {
    /// The window of the file browser beside Nautilus, on a display without a graphics processor, and the emblems that
    /// file managers show.
    static let desktop = Section(name: "desktop") { report in
        let display = try VirtualDisplay()
        let source = try ScratchFolder()
        for (name, count) in [(fewName, 1_000), (manyName, 100_000)] {
            let folder = try source.folder(name)
            for number in 0..<count {
                _ = try folder.open(
                    "an entry with a name of usual length \(number).txt", [.readWrite, .create, .exclusive],
                    permissions: 0o644)
            }
        }
        var daemon = display.environment.filter { ["DBUS_SESSION_BUS_ADDRESS"].contains($0.key) }
        daemon["PURVEY_BUS"] = "session"
        let cloud = try CloudFolder(over: source.path, environment: daemon)
        for name in [fewName, manyName] { try MountedFiles.list(cloud.mount + "/" + name, "-f", atLeast: 1_000) }
        try cloud.waitUntilIdle()
        try measureEmblems(cloud, display, &report)
        try measureStart(cloud, display, source.path, &report)
        try addMillion(to: cloud)
        try cloud.waitUntilIdle()
        try measureUse(cloud, display, &report)
    }

    private static let (fewName, manyName) = ("few", "many")
    /// The largest number of bytes that the window may use.
    private static let mostMemory = 80e6

    /// Measures how long states of 1,000 files take on their way to a file manager.
    private static func measureEmblems(
        _ cloud: CloudFolder, _ display: VirtualDisplay, _ report: inout Report
    ) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let desktop = script.appendingPathComponent("../Desktop")
        let output = try BenchmarkChild.output(
            ofProgram: "/usr/bin/python3",
            [script.appendingPathComponent("emblems.py").path, desktop.path, cloud.mount + "/" + fewName],
            environment: display.environment)
        let times = output.split(separator: "\n").compactMap { Double($0) }
        report.add("states of 1,000 files, for emblems", Measure.median(times), .seconds, target: .atMost(0.05))
    }

    /// Measures the start of the window with a folder of 1,000 files, and its memory.
    private static func measureStart(
        _ cloud: CloudFolder, _ display: VirtualDisplay, _ source: String, _ report: inout Report
    ) throws {
        let ours = { try display.timeOfWindow(window, ["measured:" + fewName], environment: cloud.environment) }
        _ = try ours()
        let times = try (0..<5).map { _ in try ours() }
        KernelCaches.forgetPages()
        let cold = try ours()
        let start = Measure.median(times.map(\.seconds))
        let peak = Double(times.map(\.peak).max() ?? 0)
        report.add("window drawn, kernel's caches dropped", cold.seconds, .seconds)
        let nautilus = "/usr/bin/nautilus"
        guard access(nautilus, X_OK) == 0 else {
            report.add("window drawn", start, .seconds, target: .atMost(0.4))
            report.add("peak resident", peak, .bytes, target: .atMost(mostMemory))
            return report.miss("nautilus", because: "it is not installed (Debian package nautilus)")
        }
        let theirs = {
            try display.timeOfWindow(nautilus, ["--new-window", source + "/" + fewName], environment: [:])
        }
        _ = try theirs()
        let others = try (0..<5).map { _ in try theirs() }
        report.add(
            "window drawn", start, .seconds,
            peer: .init(name: "nautilus", value: Measure.median(others.map(\.seconds))), target: .atMost(0.4))
        report.add(
            "peak resident", peak, .bytes,
            peer: .init(name: "nautilus", value: Double(others.map(\.peak).max() ?? 0)), target: .atMost(mostMemory))
    }

    private static var window: String {
        get throws { try BenchmarkChild.sibling("purvey-files") }
    }

    /// Adds a domain with a million files, and waits until a search finds the last of them.
    private static func addMillion(to cloud: CloudFolder) throws {
        let bundle = try ScratchFolder()
        try cloud.purvey(["extensions", "install", MillionItems.makeBundle(in: bundle)])
        try cloud.purvey(["domains", "add", MillionItems.identifier, "million"])
        _ = try BenchmarkChild.output(
            ofProgram: "/bin/sh", ["-c", "exec ls -f \"$1\" >/dev/null", "sh", cloud.mount(of: "million")])
        let last = "\(MillionItems.count - 1)"
        for _ in 0..<600 {
            if try cloud.purvey(["search", last]).contains(last) { return }
            usleep(100_000)
        }
        throw MeasurementError("a search does not find the last of a million files")
    }

    /// Measures folders that are opened, frames while the user scrolls, and results as the user types.
    private static func measureUse(_ cloud: CloudFolder, _ display: VirtualDisplay, _ report: inout Report) throws {
        var times: [String: [Double]] = [:]
        for (word, folder) in [("usual", fewName), ("length", manyName), ("99999", fewName)] {
            let output = try BenchmarkChild.output(
                ofProgram: window, ["--measure", "measured", word, folder],
                environment: display.environment.merging(cloud.environment) { $1 })
            for line in output.split(separator: "\n") {
                let values = line.split(separator: "\t")
                guard values.count == 2, let value = Double(values[1]) else {
                    throw MeasurementError("purvey-files printed \(line)")
                }
                let isSearch = values[0] == "search"
                times[isSearch ? "search" : "\(folder) \(values[0])", default: []].append(value)
            }
        }
        func add(_ words: String, _ name: String, at share: Double = 0.5, target: Figure.Target = .none) {
            let sorted = (times[name] ?? []).sorted()
            guard !sorted.isEmpty else { return report.fail(words, because: "purvey-files printed no \(name)") }
            report.add(words, sorted[Int(Double(sorted.count - 1) * share)], .seconds, target: target)
        }
        add("a folder of 1,000 files opened, first rows drawn", "\(fewName) rows", target: .atMost(0.05))
        add("the same, all rows", "\(fewName) folder")
        add("a folder of 100,000 files opened, first rows drawn", "\(manyName) rows", target: .atMost(0.05))
        add("the same, all rows", "\(manyName) folder")
        add("a frame while 100,000 rows scroll", "\(manyName) frame")
        add("the slowest of a hundred such frames", "\(manyName) frame", at: 0.99, target: .atMost(1 / 60.0))
        add("results of a search of a million names, after a key", "search", target: .atMost(0.03))
        add("the slowest of them", "search", at: 1)
    }
}
