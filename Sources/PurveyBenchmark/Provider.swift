import AppExtension
import ExtensionHost
import FileProvider
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem

extension Section {
    /// A million items that an extension lists in a process of its own, confined as every provider is, until they are in the
    /// engine's index.
    static let provider = Section(name: "provider") { report in
        let words = try Child.output(of: .providerListing).split(whereSeparator: \.isWhitespace)
        let values = words.compactMap { Double($0) }
        guard values.count == 3 else { throw MountFailure("the child said \(words)") }
        report.add("a million items listed by a provider's process", values[0], .seconds, target: .atMost(5))
        report.add("peak resident of the engine", values[1], .bytes, target: .atMost(200 * 1_048_576))
        report.add("processor time of the engine", values[2], .seconds)
    }
}

extension ChildRole {
    /// Lists a million items and prints the seconds, the peak of resident bytes, and the processor's seconds.
    static let providerListing = ChildRole(name: "provider-listing") { _ in
        let folder = try ScratchFolder()
        let provider = ExtensionProvider(
            domain: ProviderDomain(identifier: "million", displayName: "Million"),
            extensionIdentifier: try MillionItems.install(in: folder), data: folder.path + "/data"
        ) { _ in }
        let engine = try DomainEngine(
            configuration: DomainConfiguration(
                identifier: "million", displayName: "Million", dataFolder: folder.path + "/domain",
                cacheFolder: folder.path + "/cache"), provider: provider)
        let listed = Latch()
        let failure = Lock<ProviderFailure?>(nil)
        let seconds = Measure.seconds {
            engine.list(.root, needs: .complete) { result in
                if case .failure(let error) = result { failure.withLock { $0 = error } }
                listed.open()
            }
            listed.wait()
        }
        if let failure = failure.withLock({ $0 }) { throw MountFailure(failure.message) }
        guard try engine.index.childCount(of: .root) == MillionItems.count else {
            throw MountFailure("not all items are in the index")
        }
        var usage = rusage()
        try retrying { getrusage(RUSAGE_SELF.rawValue, &usage) }
        let closed = Latch()
        Task.detached {
            await engine.close()
            await provider.close()
            closed.open()
        }
        closed.wait()
        print(seconds, usage.ru_maxrss << 10, usage.seconds)
    }
}

extension rusage {
    /// Of the processor, in the program and in the kernel.
    fileprivate var seconds: Double {
        [ru_utime, ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

/// A provider with a million items in one folder. Its program is this one.
final class MillionItems: NSFileProviderExtension {
    static let count = 1_000_000
    private static let identifier = "org.purvey.benchmark"

    private static let program = "million"

    /// Whether this process was started as the provider's.
    static var isThisProcess: Bool { CommandLine.arguments.first?.hasSuffix(".appex/" + program) ?? false }

    /// Installs a bundle with this program, and returns its identifier.
    static func install(in folder: ScratchFolder) throws -> String {
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
        _ = try Child.output(ofProgram: "/bin/cp", [running, bundle + "/" + program])
        try ExtensionLibrary(data: folder.path + "/data").install(path: bundle, link: true)
        return identifier
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
