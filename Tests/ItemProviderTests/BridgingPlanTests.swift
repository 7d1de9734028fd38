import ItemProvider
import Testing

@Suite struct BridgingPlanTests {
    private func plan(_ offer: BridgingPlan.Offer, _ delivery: Delivery, reachable: Bool = true) -> BridgingPlan {
        .plan(for: offer, delivery: delivery, isOriginalReachable: reachable)
    }

    @Test func dataIsHandedOverOrWritten() {
        #expect(plan(.data, .data) == .handOverData)
        #expect(plan(.data, .copy) == .writeDataToFile)
        #expect(plan(.data, .inPlace) == .writeDataToFile)
    }

    @Test func aFileToCopyIsReadOrCopied() {
        #expect(plan(.file(inPlace: false), .data) == .readFile)
        #expect(plan(.file(inPlace: false), .copy) == .copyFile)
        #expect(plan(.file(inPlace: false), .inPlace) == .copyFile)
    }

    @Test func aFileToOpenInPlaceIsTheOriginalOnlyWhenAskedForAndReachable() {
        #expect(plan(.file(inPlace: true), .data) == .readFile)
        #expect(plan(.file(inPlace: true), .copy) == .copyFile)
        #expect(plan(.file(inPlace: true), .inPlace) == .openOriginal)
        #expect(plan(.file(inPlace: true), .inPlace, reachable: false) == .copyFile)
    }

    @Test(arguments: [false, true])
    func aDirectoryIsZippedOrCopiedAndNeverInPlace(inPlace: Bool) {
        #expect(plan(.directory(inPlace: inPlace), .data) == .zipDirectory)
        #expect(plan(.directory(inPlace: inPlace), .copy) == .copyTree)
        #expect(plan(.directory(inPlace: inPlace), .inPlace) == .copyTree)
    }

    @Test func reachabilityIsAskedOnlyWhereItDecides() {
        for offer in [BridgingPlan.Offer.data, .file(inPlace: true), .file(inPlace: false), .directory(inPlace: true)] {
            for delivery in Delivery.allCases where !(offer == .file(inPlace: true) && delivery == .inPlace) {
                var asked = false
                _ = BridgingPlan.plan(
                    for: offer, delivery: delivery,
                    isOriginalReachable: {
                        asked = true
                        return true
                    }())
                #expect(!asked)
            }
        }
    }
}
