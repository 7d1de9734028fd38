import DragAndDrop
import Foundation
import ItemProvider
import Testing

@Suite struct TeamDataTests {
    @Test func dataForTheTeamIsNoRepresentation() async throws {
        let provider = NSItemProvider(object: "text" as NSString)
        #expect(provider.teamData == nil)
        provider.teamData = Data("for the team".utf8)
        try await blocking {
            let boards = LocalBoards()
            let provider = NSItemProvider(object: "text" as NSString)
            provider.teamData = Data("for the team".utf8)
            #expect(provider.teamData == Data("for the team".utf8))
            #expect(provider.registeredTypeIdentifiers == ["public.utf8-plain-text"])
            let pasteboard = UIPasteboard(.general, boards)
            pasteboard.itemProviders = [provider]
            #expect(pasteboard.itemProviders.first?.teamData == Data("for the team".utf8))
            pasteboard.setItemProviders([provider], localOnly: true, expirationDate: nil)
            #expect(pasteboard.itemProviders.first?.promise.teamRepresentation?.visibility == .ownProcess)
            #expect((provider.copy() as? NSItemProvider)?.teamData == Data("for the team".utf8))
        }
        provider.teamData = Data(count: 8 << 10)
        #expect(provider.teamData?.count == 8 << 10)
        provider.teamData = Data(count: 8 << 10 + 1)
        #expect(provider.teamData == nil)
        provider.teamData = Data()
        provider.teamData = nil
        #expect(provider.teamData == nil)
    }
}
