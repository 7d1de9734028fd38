import CoreTransferable
import Foundation
import ItemProvider
import Testing
import UniformTypeIdentifiers

/// Representations that refer to themselves endlessly, and those of types without values.
@Suite struct ResolutionTests {
    private func message(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "it succeeded"
        } catch {
            return "\(error)"
        }
    }

    private func importing<T: Transferable>(_ type: T.Type) async -> String {
        await message { _ = try await T(importing: Data(), contentType: nil) }
    }

    @Test func aProxyThatGrowsWithoutEndIsAnError() async throws {
        #expect(Growing<Int>.exportedContentTypes() == [])
        #expect(await message { _ = try await Growing<Int>().exported(as: nil) }.contains("never end"))
        #expect(await message { _ = try await Growing<Int>(importing: Data(), contentType: nil) }.contains("never end"))
        let provider = NSItemProvider()
        provider.register(Growing<Int>())
        #expect(provider.registeredTypeIdentifiers.isEmpty)
        let offered = NSItemProvider(object: "text" as NSString)
        let failure = await message { _ = try await offered.transferable(Growing<Int>.self) }
        #expect(failure.contains("Growing<Int>") && failure.contains("never end"))
    }

    @Test func aProxyThatGrowsInManyWaysIsAnError() async {
        let failure = await message { _ = try await Branching<Int>().exported(as: .png) }
        #expect(failure.contains("never end"))
    }

    @Test func siblingsOfAnEndlessProxyAreExported() async throws {
        #expect(try await Branching<Int>().exported(as: .plainText) == Data("b".utf8))
    }

    @Test func aRepresentationMadeOfItselfIsAnError() async throws {
        #expect(Looped.exportedContentTypes() == [])
        let failure = await message { _ = try await Looped().exported(as: nil) }
        #expect(failure.contains("Loop is made of itself"))
        let pair = await message { _ = try await LoopedWithMore().exported(as: .png) }
        #expect(pair.contains("LoopWithMore is made of itself"))
        #expect(try await LoopedWithMore().exported(as: nil) == Data("more".utf8))
        let wrapped = await message { _ = try await Wrapped().exported(as: nil) }
        #expect(wrapped.contains("never end"))
    }

    @Test func representationsCanBeMadeOfOthersAndBeMany() async throws {
        #expect(Many.exportedContentTypes().count == 12)
        #expect(try await Many().exported(as: .zip) == Data("zip".utf8))
        #expect(try await Many().exported(as: .png) == Data("png".utf8))
    }

    @Test func typesWithoutValuesHaveNoContentTypes() async throws {
        #expect(Never.exportedContentTypes() == [])
        #expect(Never.importedContentTypes() == [])
        #expect(await importing(Never.self).contains("Never cannot be made from data"))
        struct Nothing: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation(exporting: { (_: Nothing) -> Never in throw CocoaError(.featureUnsupported) })
                DataRepresentation(exportedContentType: .png) { _ in Data() }
            }
        }
        #expect(Nothing.exportedContentTypes() == [.png])
    }
}

private struct Growing<Part>: Transferable, Sendable {
    static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(
            exporting: { (_: Growing<Part>) in Growing<Growing<Part>>() },
            importing: { (_: Growing<Growing<Part>>) in Growing<Part>() })
    }
}

private struct Branching<Part>: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .utf8PlainText) { (_: Branching<Part>) in Data("b".utf8) }
        ProxyRepresentation(exporting: { (_: Branching<Part>) in Branching<[Part]>() })
        ProxyRepresentation(exporting: { (_: Branching<Part>) in Branching<Part?>() })
        ProxyRepresentation(exporting: { (_: Branching<Part>) in Branching<(Part, Part)>() })
    }
}

private struct Loop: TransferRepresentation {
    typealias Item = Looped
    var body: some TransferRepresentation<Looped> { Loop() }
}

private struct Looped: Transferable {
    static var transferRepresentation: some TransferRepresentation { Loop() }
}

private struct LoopWithMore: TransferRepresentation {
    typealias Item = LoopedWithMore
    var body: some TransferRepresentation<LoopedWithMore> {
        DataRepresentation(exportedContentType: .utf8PlainText) { (_: LoopedWithMore) in Data("more".utf8) }
        LoopWithMore().visibility(.team)
    }
}

private struct LoopedWithMore: Transferable {
    static var transferRepresentation: some TransferRepresentation { LoopWithMore() }
}

private struct Wrapper<Base: TransferRepresentation>: TransferRepresentation where Base.Item == Wrapped {
    typealias Item = Wrapped
    var base: Base
    var body: Wrapper<Wrapper<Base>> { Wrapper<Wrapper<Base>>(base: self) }
}

private struct Wrapped: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        Wrapper(base: DataRepresentation<Wrapped>(exportedContentType: .png) { _ in Data() })
    }
}

private struct Named: TransferRepresentation {
    typealias Item = Many
    var type: UTType
    var body: some TransferRepresentation<Many> {
        DataRepresentation(exportedContentType: type) { (_: Many) in
            Data((type.preferredFilenameExtension ?? "").utf8)
        }
    }
}

private struct NamedTwice: TransferRepresentation {
    typealias Item = Many
    var body: some TransferRepresentation<Many> {
        Named(type: .png)
        Named(type: .gif)
    }
}

private struct Many: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        Named(type: .pdf)
        Named(type: .html)
        Named(type: .json)
        Named(type: .xml)
        Named(type: .rtf)
        Named(type: .tiff)
        Named(type: .bmp)
        Named(type: .mp3)
        Named(type: .wav)
        NamedTwice()
        Named(type: .zip)
    }
}
