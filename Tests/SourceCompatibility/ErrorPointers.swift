// swift-format-ignore-file

import Foundation

/// Errors through pointers, as older interfaces return them, in all four forms of a call.
enum ErrorPointers {
    static func read(_ url: URL, error: NSErrorPointer) -> Data? {
        do {
            return try Data(contentsOf: url)
        } catch let caught as NSError {
            error?.pointee = caught
            return nil
        }
    }

    static func readThrough(_ url: URL, error: NSErrorPointer) -> Data? {
        return read(url, error: error)
    }

    static func readOrThrow(_ url: URL) throws -> Data {
        var error: NSError?
        let data = readThrough(url, error: &error)
        if let error = error { throw error }
        return data!
    }

    static func readQuietly(_ url: URL) -> Data? {
        let pointer: NSErrorPointer = nil
        return read(url, error: pointer) ?? read(url, error: nil)
    }
}
