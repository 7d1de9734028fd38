import AttackTesting
import Conduit
import CoordinationService
import FileCoordination
import FileProvider
import FileProviderWire
import LinuxSystem

extension Line {
    /// Examples of the frames that the other end understands.
    var samples: [FrameSample] {
        get throws {
            switch self {
            case .call: try Self.ofProviders
            case .scopes: try Self.ofScopes
            case .coordination: try Self.ofCoordination
            }
        }
    }

    private static var ofProviders: [FrameSample] {
        get throws {
            // No folder, but what stands for one.
            let folder = try MemoryFile.create(name: "folder")
            return [
                try FrameSample(of: ProviderWatchCall(folder: folder)), try FrameSample(of: ProviderNoticesCall()),
            ]
        }
    }

    private static var ofScopes: [FrameSample] {
        get throws {
            let base = try MemoryFile.create(name: "base")
            return [
                try FrameSample(
                    of: ResolveScopeCall(bookmark: ByteString([UInt8](repeating: 7, count: 300)), base: nil)),
                try FrameSample(of: ResolveScopeCall(bookmark: ByteString([]), base: base)),
                try FrameSample(of: BeginAccessCall(token: 1)), try FrameSample(of: EndAccessCall(token: 1)),
                try FrameSample(of: RenewBookmarkCall(token: 1, options: 0, base: base, keys: ["NSURLNameKey"])),
            ]
        }
    }

    private static var ofCoordination: [FrameSample] {
        get throws { try CoordinationSamples.all }
    }
}
