import Foundation
import Glibc
import Testing

/// `make run`: a folder as a cloud, mounted.
@Suite(.timeLimit(.minutes(10))) struct FileProviderDemonstrationTests {
    @Test func aFileThatWasNotHereIsFetchedAndAnEditArrives() async throws {
        let ending = try await demonstrate(stay: false) { _ in }
        #expect(ending.status == 0, "\(ending.output)")
        #expect(ending.output.contains("dataless  156515      "), "\(ending.output)")
        #expect(ending.output.contains("state       current"))
        #expect(ending.output.contains("Written through the mount."))
        #expect(!ending.output.contains("Ctrl-C"))
    }

    @Test func itStaysUntilItIsInterruptedAndLeavesNothing() async throws {
        let ending = try await demonstrate(stay: true) { kill($0, SIGTERM) }
        #expect(ending.status == 0, "\(ending.output)")
        let home = try #require(
            ending.output.split(separator: "\n").compactMap { $0.firstMatch(of: /PURVEY_HOME=([^ ]+)/) }.first)
        #expect(!FileManager.default.fileExists(atPath: String(home.1)))
    }

    /// Runs the script to its end.
    ///
    /// - Parameter whileItStays: called with its process when it has said how to end it.
    private func demonstrate(
        stay: Bool, whileItStays: @escaping @Sendable (pid_t) -> Void
    ) async throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        let programs = try BuiltProgram.path(of: "purveyd").deletingLastPathComponent()
        process.executableURL = BuiltProgram.repository.appendingPathComponent("Scripts/demonstrate-file-provider")
        process.arguments = [programs.path, BuiltProgram.repository.appendingPathComponent("Examples").path]
        process.environment = ProcessInfo.processInfo.environment.merging(["STAY": stay ? "yes" : "no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var text = Data()
                var hasStayed = false
                while true {
                    let more = output.fileHandleForReading.availableData
                    if more.isEmpty { break }
                    text += more
                    if !hasStayed, text.range(of: Data("Ctrl-C".utf8)) != nil {
                        hasStayed = true
                        whileItStays(process.processIdentifier)
                    }
                }
                process.waitUntilExit()
                continuation.resume(
                    returning: (process.terminationStatus, String(decoding: text, as: UTF8.self)))
            }
        }
    }
}
