import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import Images
import ItemValues
import LinuxSystem

extension Section {
    /// Thumbnails of a thousand dataless photographs for the desktop. The duration from the listing of their directory
    /// to the last thumbnail in the shared cache is compared with the duration in which the provider alone generates
    /// its thumbnails.
    static let thumbnails = Section(name: "thumbnails") { report in
        let source = try ScratchFolder()
        try writePhotographs(to: source)
        let alone = try BenchmarkChild.output(of: .thumbnailMaking, [source.path])
        guard let theirs = Double(alone.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw MeasurementError("the child said \(alone)")
        }
        let cloud = try CloudFolder(over: source.path)
        let ours = try Measure.seconds {
            _ = try BenchmarkChild.output(ofProgram: "/bin/ls", [cloud.mount])
            try waitForAll(in: cloud.thumbnails)
        }
        let rate = (ours: Double(photographs) / ours, theirs: Double(photographs) / theirs)
        report.add(
            "photographs drawn in a second, in all sizes", rate.ours, .count,
            peer: .init(name: "the provider alone", value: rate.theirs), target: .ratioAtLeast(0.8))
        report.add("photographs that were fetched for it", try fetched(cloud), .count, target: .atMost(0))
    }

    fileprivate static let photographs = 1_000

    /// Writes copies of a picture with a usual camera's proportions, each in a file of its own.
    private static func writePhotographs(to folder: ScratchFolder) throws {
        let (width, height) = (1280, 960)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                pixels += [UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x * y) >> 8 & 255), 255]
            }
        }
        let picture = try ImageCodec.encode(Data(pixels), width: width, height: height, as: .jpeg)
        for number in 0..<photographs {
            let file = try folder.file("Photograph \(number).jpeg")
            try [UInt8](picture).withUnsafeBytes { try file.writeAll($0) }
        }
    }

    private static func waitForAll(in cache: String) throws {
        let limit = Measure.now() + 600_000_000_000
        // The directory of the thumbnail size that is written last.
        let folder = cache + "/xx-large"
        while Measure.now() < limit {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            if names.count(where: { $0.hasSuffix(".png") }) == photographs { return }
            // Polls at long intervals, since the directory is long and the measured work takes all processors.
            usleep(50_000)
        }
        throw MeasurementError("not all pictures were drawn")
    }

    /// Returns the number of files with local contents.
    private static func fetched(_ cloud: CloudFolder) throws -> Double {
        let list = try JSONSerialization.jsonObject(with: Data(try cloud.purvey(["ls", "--json", cloud.mount]).utf8))
        let states = (list as? [[String: Any]] ?? []).compactMap { $0["state"] as? String }
        guard states.count == photographs else { throw MeasurementError("\(states.count) files are listed") }
        return Double(states.count { $0 != "dataless" })
    }
}

extension ChildRole {
    /// Requests the thumbnails of a directory's files from a provider, and prints the seconds.
    static let thumbnailMaking = ChildRole(name: "thumbnail-making") { arguments in
        guard let source = arguments.first else { return }
        let folder = try ScratchFolder()
        try ExtensionLibrary(data: folder.path + "/data").install(
            path: try CloudFolder.makeBundle(in: folder), link: true)
        let provider = ExtensionProvider(
            domain: ProviderDomain(identifier: "alone", displayName: "Alone", path: source),
            extensionIdentifier: CloudFolder.providerIdentifier, data: folder.path + "/data"
        ) { _ in }
        let ended = Latch()
        let result = Lock<Result<Double, any Error>>(.success(0))
        Task.detached {
            let seconds: Result<Double, any Error>
            do { seconds = .success(try await secondsOfAll(provider)) } catch { seconds = .failure(error) }
            result.withLock { $0 = seconds }
            await provider.close()
            ended.open()
        }
        ended.wait()
        print(try result.withLock { $0 }.get())
    }

    private static func secondsOfAll(_ provider: ExtensionProvider) async throws -> Double {
        var identifiers: [String] = []
        var next: [UInt8]?
        repeat {
            let page = try await provider.page(
                of: ProviderItem.rootIdentifier, after: next, suggestedSize: Section.photographs)
            identifiers += page.items.map(\.identifier)
            next = page.next
        } while next != nil
        guard identifiers.count == Section.photographs else {
            throw MeasurementError("the provider lists \(identifiers.count) files")
        }
        let start = Measure.now()
        // The size of the batches and the side of the thumbnails are the same as in the daemon's requests.
        for first in stride(from: 0, to: identifiers.count, by: 24) {
            let batch = Array(identifiers[first..<min(first + 24, identifiers.count)])
            let pictures = try await provider.thumbnails(of: batch, side: 1024)
            guard pictures.count(where: { $0.picture != nil }) == batch.count else {
                throw MeasurementError("the provider made only \(pictures.count) of \(batch.count) pictures")
            }
        }
        return Double(Measure.now() - start) / 1e9
    }
}
