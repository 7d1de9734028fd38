import CLinux
import FileTesting
import Foundation
import Images
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests that a service's thumbnails are shown without a fetch of contents, across a daemon, a provider, a service
/// and a mount.
@Suite(.timeLimit(.minutes(20))) struct ThumbnailTests {
    private static func picture(_ width: Int, _ height: Int) throws -> [UInt8] {
        let pixels = Data((0..<width * height).flatMap { [UInt8(truncatingIfNeeded: $0), 80, 160, 255] })
        return [UInt8](try ImageCodec.encode(pixels, width: width, height: height, as: .jpeg))
    }

    private static let folders = ["normal", "large", "x-large", "xx-large"]

    private func count(_ place: ServiceFixture, in folder: String) -> Int {
        let path = place.place.home + "/thumbnails/" + folder
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).count { $0.hasSuffix(".png") }
    }

    /// Lists a directory as a file manager does.
    private func look(_ place: ServiceFixture, into folder: String) async throws -> Int {
        let path = place.mount + "/" + folder
        return try await onThread { try FileManager.default.contentsOfDirectory(atPath: path).count }
    }

    @Test func aThousandPicturesAreDrawnAndNoneIsFetched() async throws {
        try await ServiceFixture.run { place in
            let picture = try Self.picture(128, 96)
            try await place.tell {
                try $0.fill("pictures", count: 1000, prefix: "a b#", suffix: ".jpg")
                try $0.setThumbnail(picture, of: "pictures")
            }
            #expect(try await look(place, into: "pictures") == 1000)
            try await place.eventually("all of them are drawn") {
                Self.folders.allSatisfy { count(place, in: $0) == 1000 }
            }
            #expect(try await place.tell { try $0.count(.contents) } == 0)
            #expect(try await place.tell { try $0.count(.thumbnail) } == 1000)

            let path = place.mount + "/pictures/a b#7.jpg"
            let uri = "file://" + path.replacingOccurrences(of: "a b#7", with: "a%20b%237")
            let digest = try await place.place.shell("printf %s '\(uri)' | md5sum").text.prefix(32)
            let modified = try await onThread { try FileStatus.of(path).modified.tv_sec }
            for folder in Self.folders {
                let file = place.place.home + "/thumbnails/\(folder)/\(digest).png"
                let data = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(try ImageCodec.header(of: data).width == 128)
                #expect(data.range(of: Data("tEXtThumb::URI\0\(uri)".utf8)) != nil)
                #expect(data.range(of: Data("tEXtThumb::MTime\0\(modified)".utf8)) != nil)
                #expect(try FileStatus.of(file).permissions == 0o600)
            }
            // Known thumbnails are not requested again.
            #expect(try await look(place, into: "pictures") == 1000)
            try await place.tell {
                try $0.put("pictures/new.jpg", "new"); try $0.setThumbnail(picture, of: "pictures/new.jpg")
            }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("the new one is drawn") {
                _ = try await look(place, into: "pictures")
                return count(place, in: "normal") == 1001
            }
            #expect(try await place.tell { try $0.count(.thumbnail) } == 1001)
        }
    }

    @Test func sizesAreThoseOfTheFolders() async throws {
        try await ServiceFixture.run { place in
            let (large, small) = (try Self.picture(1600, 800), try Self.picture(300, 200))
            try await place.tell {
                try $0.put("large.jpg", "a")
                try $0.setThumbnail(large, of: "large.jpg")
                try $0.put("small.jpg", "b")
                try $0.setThumbnail(small, of: "small.jpg")
            }
            _ = try await look(place, into: "")
            try await place.eventually("both are drawn") { Self.folders.allSatisfy { count(place, in: $0) == 2 } }
            let widths = try Self.folders.map { folder in
                let path = place.place.home + "/thumbnails/" + folder
                return try FileManager.default.contentsOfDirectory(atPath: path).map { name in
                    try ImageCodec.header(of: Data(contentsOf: URL(fileURLWithPath: path + "/" + name))).width
                }.sorted()
            }
            // A small picture is not enlarged.
            #expect(widths == [[128, 128], [256, 256], [300, 512], [300, 1024]])
        }
    }

    @Test(.enabled(if: TestDisk.isWanted(.tmpfs)))
    func aFullDiskKeepsThumbnailsAwayUntilThereIsRoom() async throws {
        try await ServiceFixture.run { place in
            let picture = try Self.picture(128, 96)
            try await place.tell {
                try $0.put("a.jpg", "a")
                try $0.setThumbnail(picture, of: "a.jpg")
            }
            let disk = try TestDisk(.tmpfs, megabytes: 1)
            let (root, cache) = (disk.path, place.place.home + "/thumbnails")
            let filler = root + "/filler"
            try await onThread {
                for folder in Self.folders {
                    try FileManager.default.createDirectory(
                        atPath: root + "/" + folder, withIntermediateDirectories: true)
                }
                let file = try FileDescriptor.open(filler, [.writeOnly, .create])
                let piece = [UInt8](repeating: 1, count: 4096)
                while (try? piece.withUnsafeBytes({ try file.writeAll($0) })) != nil {}
                try FileManager.default.createSymbolicLink(atPath: cache, withDestinationPath: root)
            }
            _ = try await look(place, into: "")
            try await place.eventually("it was asked for") { try await place.tell { try $0.count(.thumbnail) } == 1 }
            // Listing the directory again retries.
            try await place.eventually("it is tried again") {
                _ = try await look(place, into: "")
                return try await place.tell { try $0.count(.thumbnail) } >= 3
            }
            #expect(count(place, in: "normal") == 0)
            try await onThread { try FileManager.default.removeItem(atPath: filler) }
            try await place.eventually("it is drawn") {
                _ = try await look(place, into: "")
                return Self.folders.allSatisfy { count(place, in: $0) == 1 }
            }
            #expect(try await place.tell { try $0.count(.contents) } == 0)
            withExtendedLifetime(disk) {}
        }
    }

    @Test func otherFilesThanPicturesDoNotHinderTheRest() async throws {
        try await ServiceFixture.run { place in
            let picture = try Self.picture(64, 64)
            try await place.tell {
                try $0.fill("pictures", count: 40, suffix: ".png")
                try $0.setThumbnail(picture, of: "pictures")
                try $0.setThumbnail(Array("no picture".utf8), of: "pictures/file 1.png")
                try $0.setThumbnail(Array(picture.prefix(200)), of: "pictures/file 2.png")
                try $0.setThumbnail([], of: "pictures/file 3.png")
                try $0.add(CloudRule(.bloat(size: 500 << 20), on: .thumbnail, of: "file 4.png"))
                try $0.add(CloudRule(.drop, on: .thumbnail, of: "file 5.png", times: 1))
            }
            _ = try await look(place, into: "pictures")
            try await place.eventually("the others are drawn") { count(place, in: "normal") == 35 }
            // The lack of a thumbnail is recorded, but a failure that may pass is not.
            try await place.eventually("the rest is noted") { count(place, in: "fail/purvey") == 4 }
            #expect(try await place.tell { try $0.count(.contents) } == 0)
            #expect(try await place.item("pictures/file 4.png")["state"] as? String == "dataless")
        }
    }
}
