import AppExtension
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

extension Section {
    /// A million items that an extension enumerates in a confined process, until they are in the engine's index: once
    /// from a provider that only generates items, and once from the provider of a directory.
    static let provider = Section(name: "provider") { report in
        for (role, words) in [(ChildRole.providerListing, "a provider"), (.folderListing, "the provider of a folder")] {
            let output = try BenchmarkChild.output(of: role).split(whereSeparator: \.isWhitespace)
            let values = output.compactMap { Double($0) }
            guard values.count == 6 else { throw MeasurementError("the child said \(output)") }
            let isFolder = role.name == ChildRole.folderListing.name
            report.add(
                "a million items listed by \(words)", values[0], .seconds, target: .atMost(isFolder ? 8 : 5))
            report.add("peak resident of the engine", values[1], .bytes, target: .atMost(200 * 1_048_576))
            report.add("processor time of the engine", values[2], .seconds)
            // The memory limit of an extension that requests no other limit.
            report.add("peak resident of \(words)", values[3], .bytes, target: .atMost(512 * 1_048_576))
            report.add("processor time of \(words)", values[4], .seconds)
            if isFolder {
                report.add(
                    "one more file in the folder, until it is in the index", values[5], .seconds, target: .atMost(1))
            }
        }
    }
}

extension ChildRole {
    static let providerListing = ChildRole(name: "provider-listing") { _ in
        let folder = try ScratchFolder()
        let identifier = try MillionItems.install(in: folder)
        printAll(try MillionListing(of: identifier, path: nil, in: folder).run())
    }

    static let folderListing = ChildRole(name: "folder-listing") { _ in
        let folder = try ScratchFolder()
        // The directory is in memory, because its file system is not measured.
        let files = try ScratchFolder(in: "/dev/shm")
        for number in 0..<MillionItems.count {
            _ = try files.file("A file with a name of usual length \(number).txt")
        }
        try ExtensionLibrary(data: folder.path + "/data").install(
            path: try CloudFolder.makeBundle(in: folder), link: true)
        let listing = try MillionListing(of: CloudFolder.providerIdentifier, path: files.path, in: folder)
        printAll(try listing.run { _ = try files.file(MillionListing.addedName) })
    }
}

private func printAll(_ values: [Double]) { print(values.map { "\($0)" }.joined(separator: " ")) }

/// An engine whose provider enumerates a million items.
private final class MillionListing {
    static let addedName = "one more"

    private let provider: ExtensionProvider
    private let engine: DomainEngine

    /// Creates an engine with a provider's process.
    ///
    /// - Parameters:
    ///   - path: the path of the directory that the provider serves, or `nil`.
    ///   - folder: the directory for all data.
    init(of extensionIdentifier: String, path: String?, in folder: ScratchFolder) throws {
        provider = ExtensionProvider(
            domain: ProviderDomain(identifier: "million", displayName: "Million", path: path),
            extensionIdentifier: extensionIdentifier, data: folder.path + "/data"
        ) { _ in }
        engine = try DomainEngine(
            configuration: DomainConfiguration(
                identifier: "million", displayName: "Million", dataFolder: folder.path + "/domain",
                cacheFolder: folder.path + "/cache"), provider: provider)
    }

    /// Enumerates the items. Returns the seconds, the engine's peak resident bytes and processor seconds, those of the
    /// provider's process, and the seconds until a change is in the index.
    ///
    /// - Parameter change: adds an item with the name ``addedName`` at the provider.
    func run(_ change: (() throws -> Void)? = nil) throws -> [Double] {
        let seconds = try list()
        guard try engine.index.childCount(of: .root) == MillionItems.count else {
            throw MeasurementError("not all items are in the index")
        }
        var usage = rusage()
        try retrying { getrusage(RUSAGE_SELF.rawValue, &usage) }
        let peak = try Measure.peakResident()
        let first = try providerProcess()
        var changed = 0.0
        if let change {
            try change()
            changed = try Measure.seconds(awaitOneMore)
        }
        let last = try providerProcess()
        guard first.number == last.number else { throw MeasurementError("the provider's process was started again") }
        wait { [provider, engine] in
            await engine.close()
            await provider.close()
        }
        return [seconds, Double(peak), usage.seconds, Double(last.peak), first.seconds, changed]
    }

    private func list() throws -> Double {
        let listed = Latch()
        let failure = Lock<ProviderError?>(nil)
        let seconds = Measure.seconds {
            engine.list(.root, needs: .complete) { result in
                if case .failure(let error) = result { failure.withLock { $0 = error } }
                listed.open()
            }
            listed.wait()
        }
        if let failure = failure.withLock({ $0 }) { throw MeasurementError(failure.message) }
        return seconds
    }

    private func awaitOneMore() throws {
        engine.signal(container: ProviderItem.rootIdentifier)
        for _ in 0..<60_000 {
            if try engine.index.item(named: Self.addedName, in: .root) != nil { return }
            usleep(10_000)
        }
        throw MeasurementError("the change did not come")
    }

    /// Returns the PID of the provider's process, its peak resident bytes, and its processor seconds.
    private func providerProcess() throws -> (number: Int32, peak: Int, seconds: Double) {
        let found = Lock<Int32?>(nil)
        wait { [provider] in
            let number = await provider.processID
            found.withLock { $0 = number }
        }
        guard let number = found.withLock({ $0 }) else { throw MeasurementError("the provider's process has ended") }
        let peak = try Measure.peakResident(ofProcess: "\(number)")
        return (number, peak, try Measure.processorSeconds(ofProcess: "\(number)"))
    }

    private func wait(for work: @escaping @Sendable () async -> Void) {
        let done = Latch()
        Task.detached {
            await work()
            done.open()
        }
        done.wait()
    }
}

extension rusage {
    /// The processor seconds, in the program and in the kernel.
    fileprivate var seconds: Double {
        let microseconds: Int = ru_utime.tv_usec + ru_stime.tv_usec
        return Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(microseconds) / 1e6
    }
}

/// A provider with a million items in one directory. The benchmark's program is also the extension's executable.
final class MillionItems: NSFileProviderExtension {
    static let count = 1_000_000
    static let identifier = "org.purvey.benchmark"

    private static let program = "million"

    /// Whether this process is the provider's.
    static var isThisProcess: Bool { CommandLine.arguments.first?.hasSuffix(".appex/" + program) ?? false }

    /// Installs a bundle with this program, and returns its identifier.
    static func install(in folder: ScratchFolder) throws -> String {
        try ExtensionLibrary(data: folder.path + "/data").install(path: makeBundle(in: folder), link: true)
        return identifier
    }

    /// Creates a bundle with this program in a directory, and returns its path.
    static func makeBundle(in folder: ScratchFolder) throws -> String {
        let bundle = folder.path + "/Million.appex"
        try retrying { mkdir(bundle, 0o755) }
        let list: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleName": "Million", "CFBundleExecutable": program,
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
                "NSExtensionPrincipalClass": "PurveyBenchmark.MillionItems",
            ],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        let running = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        _ = try BenchmarkChild.output(ofProgram: "/bin/cp", [running, bundle + "/" + program])
        return bundle
    }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        throw NSFileProviderError(.noSuchItem)
    }

    override func enumerator(
        for container: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        MillionEnumerator()
    }
}

private final class MillionEnumerator: NSObject, NSFileProviderEnumerator {
    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let start = Int(String(decoding: page.rawValue, as: UTF8.self)) ?? 0
        let end = min(start + (observer.suggestedPageSize ?? 100), MillionItems.count)
        observer.didEnumerate((start..<end).map { MillionItem($0) })
        observer.finishEnumerating(
            upTo: end < MillionItems.count ? NSFileProviderPage(Data("\(end)".utf8)) : nil)
    }
}

private final class MillionItem: NSObject, NSFileProviderItemProtocol {
    private let number: Int

    init(_ number: Int) { self.number = number }

    var itemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier("item-\(number)") }
    var parentItemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var filename: String { "A file with a name of usual length \(number).txt" }
    var documentSize: NSNumber? { NSNumber(value: number % 100_000) }
    var contentModificationDate: Date? { Date(timeIntervalSince1970: 1_600_000_000 + Double(number)) }
    var versionIdentifier: Data? { Data("\(number)".utf8) }
}
