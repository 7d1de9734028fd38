import Foundation
import ItemProvider

extension Recorded {
    /// The messages between the processes that provide items and those that load them.
    static let items: [Recorded] = [
        Recorded(ItemCall.self, "bf000101bf0001ffff"),
        Recorded(ItemCall.self, "bf0019012c01bf0141a002bf00f93e0001f9400002f5ffffff"),
        Recorded(ItemCall.Reply.self, "bf00bf000001bf00000143616263ffffff"),
        Recorded(ItemCall.Reply.self, "bf00bf000501bf0000014161ff02f94000ffff"),
        Recorded(ItemCall.Reply.asItComes, "bfff"),
        Recorded(ItemCall.Reply.failed(failureMessage), "bf01bf006164012002616d0361720481bf006175010202616effffff"),
        Recorded(LoadCall(index: 1, delivery: .copy, target: descriptor), "bf000101010200ff"),
        Recorded(PreviewCall.self, "bf00bfffff"),
        Recorded(LoadCall(index: 0, delivery: .data), "bf00000100ff"),
        Recorded(LoadCall.Reply.supplied(supply), "bf00bf000001420102ffff"),
        Recorded(LoadCall.Reply.failed(failureMessage), "bf01bf006164012002616d0361720481bf006175010202616effffff"),
        Recorded(LoadCall.Reply.placed(name: "n"), "bf02616eff"),
        Recorded(supply, "bf000001420102ff"),
        Recorded(
            SupplyMessage(
                .file(
                    SuppliedFile(
                        descriptor: descriptor, isDirectory: false, path: "/a", name: "a", isOfferedInPlace: true,
                        isCoordinated: false))), "bf0002020004622f6105616106f507f4ff"),
        Recorded(
            SupplyMessage(
                .file(
                    SuppliedFile(
                        descriptor: descriptor, isDirectory: true, path: nil, name: nil, isOfferedInPlace: false,
                        isCoordinated: true))), "bf0003020006f407f5ff"),
        Recorded(SupplyMessage(memory), "bf0001020003191388ff"),
        Recorded(failureMessage, "bf006164012002616d0361720481bf006175010202616effff"),
    ]
}
