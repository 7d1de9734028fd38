import Foundation
import Images
import ItemProvider
import Synchronization
import UniformTypeIdentifiers

/// Items whose load handlers are correct, and items whose load handlers misbehave.
enum Scenario {
    /// Creates an item from `KIND TYPE [ARGUMENT…]`. The kinds are: data SIZE, file PATH, inplace PATH, brief PATH
    /// (deleted once it was delivered), slow, never, twice, neither, error, fill SIZE; `visible TYPE:VISIBILITY…`, a
    /// representation for each; `item TYPE KIND [ARGUMENT]`: text, url, file, list, image, plain, own, unarchivable,
    /// error; `preview KIND PATH`; and `transferable KIND ARGUMENT`, see ``Transferables``.
    static func provider(_ words: [String], _ slow: SlowHandlers) -> NSItemProvider {
        let provider = NSItemProvider()
        let kind = words[0]
        if kind == "visible" {
            for word in words.dropFirst() {
                let parts = word.split(separator: ":").map(String.init)
                let visibility = NSItemProviderRepresentationVisibility(rawValue: Int(parts[1]) ?? 0) ?? .all
                provider.registerDataRepresentation(forTypeIdentifier: parts[0], visibility: visibility) { completion in
                    completion(Data(parts[0].utf8), nil)
                    return nil
                }
            }
            return provider
        }
        let type = words[1]
        let argument = words.dropFirst(2).joined(separator: " ")
        if kind == "transferable" {
            Transferables.register(type, argument, provider)
            return provider
        }
        if kind == "preview" { return preview(type, argument) }
        if kind == "item" { return item(type, words[2], words.dropFirst(3).joined(separator: " ")) }
        switch kind {
        case "file", "inplace", "brief":
            provider.registerFileRepresentation(
                forTypeIdentifier: type, fileOptions: kind == "inplace" ? .openInPlace : [], visibility: .all
            ) { completion in
                Script.say("handler called")
                completion(URL(fileURLWithPath: argument), false, nil)
                if kind == "brief" {
                    try? FileManager.default.removeItem(atPath: argument)
                    Script.say("deleted")
                }
                return nil
            }
        default:
            provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                // The handler is registered before the test learns of its call, so that the test can advance it at
                // once.
                let early = kind == "slow" ? slow.add(completion) : nil
                Script.say("handler called")
                return early ?? answer(kind, argument, completion)
            }
        }
        return provider
    }

    /// Creates an item of one text whose preview handler returns an image of a file, the file, its data, or nothing.
    private static func preview(_ kind: String, _ path: String) -> NSItemProvider {
        let provider = NSItemProvider(item: "text" as NSString, typeIdentifier: UTType.utf8PlainText.identifier)
        if kind == "partly" {
            provider.registerDataRepresentation(for: .png, visibility: .ownProcess) { completion in
                completion(nil, nil)
                return nil
            }
        }
        provider.previewImageHandler = { completion, wanted, options in
            let size = options?[NSItemProviderPreferredImageSizeKey]
            let pixels = size as? CGSize ?? (size as? NSValue)?.sizeValue ?? .zero
            Script.say("asked for \(Int(pixels.width))x\(Int(pixels.height)) \(options?["hint"] ?? "no hint")")
            switch kind {
            case "image", "partly": completion?(UIImage(contentsOfFile: path), nil)
            case "file": completion?(URL(fileURLWithPath: path) as NSURL, nil)
            case "data": completion?((try? Data(contentsOf: URL(fileURLWithPath: path))).map { $0 as NSData }, nil)
            case "odd": completion?("no picture" as NSString, nil)
            default: completion?(nil, NSError(domain: "Peer", code: 42))
            }
        }
        return provider
    }

    /// Creates an item with a load handler of the coercing interface (`registerItem`).
    private static func item(_ type: String, _ kind: String, _ argument: String) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: type) { completion, wanted, options in
            Script.say("handler called for \(wanted.map { "\($0)" } ?? "any")")
            if let size = options?[NSItemProviderPreferredImageSizeKey] as? CGSize {
                Script.say("with \(size.width) \(options?["hint"] ?? "no hint") and \(options?.count ?? 0)")
            }
            switch kind {
            case "text": completion?(argument as NSString, nil)
            case "url": completion?(URL(string: argument).map { $0 as NSURL }, nil)
            case "file": completion?(URL(fileURLWithPath: argument) as NSURL, nil)
            case "list":
                let list: NSDictionary = [
                    "text": argument, "number": 7, "truth": true, "real": 0.5,
                    "date": Date(timeIntervalSince1970: 86_400),
                    "list": [Data([1, 2]), ["deep": -1]],
                ]
                completion?(list, nil)
            case "image": completion?(UIImage(contentsOfFile: argument), nil)
            case "plain":
                let uuid = NSUUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")
                let mixed: NSDictionary = [
                    "null": NSNull(), "url": NSURL(fileURLWithPath: "/" + argument), "uuid": uuid ?? NSUUID(),
                    "list": [1, "two", NSNull()] as NSArray,
                ]
                completion?(argument == "uuid" ? uuid : mixed, nil)
            case "own": completion?(OwnItem(), nil)
            case "never":
                // Kept, because releasing the completion handler would count as an answer.
                DispatchQueue.global().asyncAfter(deadline: .now() + 3_600) { completion?(nil, nil) }
            case "unarchivable": completion?(["error": NSError(domain: "Peer", code: 1)] as NSDictionary, nil)
            default: completion?(nil, NSError(domain: "Peer", code: 42))
            }
        }
        return provider
    }

    private static func answer(
        _ kind: String, _ argument: String,
        _ completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        switch kind {
        case "data":
            completion(pattern(Int(argument) ?? 0), nil)
        case "never":
            let progress = Progress(totalUnitCount: 10)
            progress.cancellationHandler = { Script.say("handler cancelled") }
            return progress
        case "twice":
            completion(Data("first".utf8), nil)
            completion(Data("second".utf8), nil)
        case "neither":
            completion(nil, nil)
        case "error":
            let cause = NSError(domain: "Deep", code: 7, userInfo: [NSLocalizedDescriptionKey: "the cellar is flooded"])
            completion(
                nil,
                NSError(
                    domain: "Peer", code: 42,
                    userInfo: [NSLocalizedDescriptionKey: "it is broken", NSUnderlyingErrorKey: cause]))
        default:
            Script.say("unknown kind \(kind)")
        }
        return nil
    }

    /// Returns bytes that a test can compute as well.
    static func pattern(_ size: Int) -> Data {
        var data = Data(repeating: 0x5A, count: size)
        for offset in stride(from: 0, to: size, by: 4099) { data[offset] = UInt8(truncatingIfNeeded: offset / 4099) }
        return data
    }
}

/// An object of a class that exists in no other process.
final class OwnItem: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() {}
    init?(coder: NSCoder) {}

    func encode(with coder: NSCoder) { coder.encode("word" as NSString, forKey: "word") }
}

/// Load handlers that wait until the test advances them.
final class SlowHandlers: Sendable {
    private typealias Completion = @Sendable (Data?, (any Error)?) -> Void

    private let running = Mutex<[(progress: Progress, completion: Completion)]>([])

    func add(_ completion: @escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress {
        let progress = Progress(totalUnitCount: 100)
        progress.cancellationHandler = { Script.say("handler cancelled") }
        running.withLock { $0.append((progress, completion)) }
        return progress
    }

    func advance(to units: Int64) {
        for (progress, _) in running.withLock({ $0 }) { progress.completedUnitCount = units }
    }

    func finish() {
        let all = running.withLock { running in
            defer { running = [] }
            return running
        }
        for (progress, completion) in all {
            progress.completedUnitCount = 100
            completion(Data("done".utf8), nil)
        }
    }
}
