import Foundation
import LinuxSystem
import ProgramTesting
import Testing
import ZipArchive

/// A directory for one test: the tree to archive, the archive, and programs that read it.
final class ArchiveFolder {
    let url: URL

    /// - Parameter parent: `/dev/shm` for a sparse file of gigabytes, which takes no memory there while it is read,
    ///   or for very many files.
    init(in parent: String = "/var/tmp") throws {
        url = URL(fileURLWithPath: "\(parent)/zip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var archivePath: String { url.appendingPathComponent("archive.zip").path }

    @discardableResult
    func file(_ relative: String, _ contents: Data = Data()) throws -> URL {
        let file = url.appendingPathComponent(relative)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.write(to: file)
        return file
    }

    func link(_ relative: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: url.appendingPathComponent(relative).path, withDestinationPath: target)
    }

    func open(_ relative: String) throws -> FileDescriptor {
        try .open(url.appendingPathComponent(relative).path, [.readOnly])
    }

    /// Archives a subdirectory and returns the report.
    @discardableResult
    func archive(
        _ relative: String = "tree", options: ZipArchiver.Options = .init(),
        progress: ((Int, Int) -> Void)? = nil, isCancelled: () -> Bool = { false }
    ) throws -> ZipArchiver.Report {
        let output = try FileDescriptor.open(archivePath, [.readWrite, .create, .truncate], permissions: 0o600)
        return try ZipArchiver.archive(
            directory: try open(relative), named: relative, to: output, options: options, progress: progress,
            isCancelled: isCancelled)
    }

    var archiveSize: Int { (try? FileStatus.of(archivePath).size) ?? 0 }

    /// Runs a program in this directory and returns its output.
    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let run = try RunningProgram("/usr/bin/env", [program] + arguments, in: url.path).waitForEnd()
        return (run.status, run.text)
    }

    /// Runs shell commands in this directory, all at once, and returns the status of each.
    func runAtOnce(_ commands: [String]) throws -> [Int32] {
        try commands.map { try RunningProgram("/bin/sh", ["-c", $0], in: url.path) }.map {
            try $0.waitForEnd().status
        }
    }
}
