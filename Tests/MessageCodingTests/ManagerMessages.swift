import DomainMessages
import FileProvider
import ItemValues

extension Recorded {
    /// The messages between programs and their domains.
    static let managers: [Recorded] = [
        Recorded(ManagerPlaceCall(), "bfff"),
        Recorded(ManagerPlaceCall.Value(identifier: "a", storage: "b"), "bf006161016162ff"),
        Recorded(ManagerPlaceCall.Value(identifier: "", storage: ""), "bf00600160ff"),
        Recorded(ManagedDomainsCall(), "bfff"),
        Recorded(
            ManagedDomainsCall.Value(domains: [managed, managed]),
            "bf0082bf00616901616e02617303f504f505410606f5ffbf00616901616e02617303f504f505410606f5ffff"),
        Recorded(ManagedDomainsCall.Value(domains: []), "bf0080ff"),
        Recorded(AddManagedDomainCall(domain: managed), "bf00bf00616901616e02617303f504f505410606f5ffff"),
        Recorded(RemoveManagedDomainsCall(identifier: "a"), "bf006161ff"),
        Recorded(RemoveManagedDomainsCall(identifier: nil), "bfff"),
        Recorded(RemoveManagedDomainsCall.Value(edits: "a"), "bf006161ff"),
        Recorded(RemoveManagedDomainsCall.Value(edits: nil), "bfff"),
        Recorded(ManagerSignalCall(domain: "a", container: "b"), "bf006161016162ff"),
        Recorded(ManagerSignalCall(domain: nil, container: ""), "bf0160ff"),
        Recorded(
            ManagerResolvedCall(domain: "a", failure: failure),
            "bf00616101bf0006016164023903e803616d046163056173ffff"),
        Recorded(
            ManagerResolvedCall(domain: nil, failure: failure),
            "bf01bf0006016164023903e803616d046163056173ffff"),
        Recorded(ManagerDisconnectCall(domain: "a", reason: "b", isTemporary: true), "bf00616101616202f5ff"),
        Recorded(ManagerDisconnectCall(domain: nil, reason: nil, isTemporary: false), "bf02f4ff"),
        Recorded(VisiblePathCall(domain: "a", item: "b"), "bf006161016162ff"),
        Recorded(VisiblePathCall(domain: nil, item: ""), "bf0160ff"),
        Recorded(VisiblePathCall.Value(path: "a", isFolder: true), "bf00616101f5ff"),
        Recorded(VisiblePathCall.Value(path: "", isFolder: false), "bf006001f4ff"),
        Recorded(VisibleItemCall(path: "a"), "bf006161ff"),
        Recorded(VisibleItemCall(path: ""), "bf0060ff"),
        Recorded(VisibleItemCall.Value(item: "a", domain: "b"), "bf006161016162ff"),
        Recorded(VisibleItemCall.Value(item: "", domain: ""), "bf00600160ff"),
        Recorded(ManagerTransferCall(domain: "a", item: "b", .away), "bf0061610161620201ff"),
        Recorded(ManagerTransferCall(domain: nil, item: "", .here), "bf01600200ff"),
        Recorded(ManagerSettleCall(domain: "a", item: "b", inside: "c"), "bf006161016162026163ff"),
        Recorded(ManagerSettleCall(domain: nil, item: nil, inside: nil), "bfff"),
        Recorded(ManagerProgressCall(domain: "a", isUpload: true), "bf00616101f5ff"),
        Recorded(ManagerProgressCall(domain: nil, isUpload: false), "bf01f4ff"),
        Recorded(
            TransferTotals(files: 7, filesDone: 1007, bytes: 2007, bytesDone: 3007),
            "bf0007011903ef021907d703190bbfff"),
        Recorded(TransferTotals(files: -1, filesDone: -1, bytes: -1, bytesDone: -1), "bf0020012002200320ff"),
        Recorded(
            ManagerSetCall(domain: "a", set: .pending, position: 2007, limit: 3007),
            "bf0061610101021907d703190bbfff"),
        Recorded(ManagerSetCall(domain: nil, set: .materialized, position: nil, limit: -1), "bf01000320ff"),
        Recorded(ManagerSetVersionCall(domain: "a", set: .pending, known: 3), "bf00616101010203ff"),
        Recorded(ManagerSetVersionCall(domain: nil, set: .materialized, known: nil), "bf0100ff"),
        Recorded(ItemSetVersion(version: 1), "bf0001ff"),
        Recorded(ItemSetVersion(version: 0), "bf0000ff"),
        Recorded(ManagerReimportCall(domain: "a", item: "b"), "bf006161016162ff"),
        Recorded(ManagerReimportCall(domain: nil, item: "b"), "bf016162ff"),
        Recorded(ManagerModificationCall(domain: "a", item: "b", fields: 3), "bf0061610161620203ff"),
        Recorded(ManagerModificationCall(domain: nil, item: "", fields: 0), "bf01600200ff"),
        Recorded(ItemServicesCall.Value(domain: "a", item: "b", names: ["c", "d"]), "bf006161016162028261636164ff"),
        Recorded(ItemServicesCall.Value(domain: "", item: "", names: []), "bf006001600280ff"),
        Recorded(OpenServiceCall(domain: "a", item: "b", name: "c"), "bf006161016162026163ff"),
        Recorded(OpenServiceCall(domain: "", item: "", name: ""), "bf006001600260ff"),
        Recorded(OpenServiceCall.Value(socket: descriptor), "bf0000ff"),
        Recorded(managed, "bf00616901616e02617303f504f505410606f5ff"),
        Recorded(ManagedDomain(identifier: "", displayName: ""), "bf00600160026003f404f406f4ff"),
        Recorded(ItemSetPage(items: [], next: 300, domainVersion: 7), "bf00800119012c0207ff"),
        Recorded(ItemSetPage(items: [], next: nil), "bf0080ff"),
        Recorded(ItemServicesCall(place: .path("/a")), "bf00622f61ff"),
        Recorded(ItemServicesCall(place: .item("i", domain: "d")), "bf016169026164ff"),
        Recorded(ItemServicesCall(place: .item("", domain: nil)), "bf0160ff"),
    ]
}
