import Conduit
import FileProvider
import FileProviderWire
import ItemValues

extension Recorded {
    /// The messages between the engine and providers.
    static let provider: [Recorded] = [
        Recorded(ProviderIdentifyCall(path: "a"), "bf006161ff"),
        Recorded(ProviderIdentifyCall(path: ""), "bf0060ff"),
        Recorded(ProviderStartCall(identifier: "a", path: "b", wantsContents: true), "bf00616101616202f5ff"),
        Recorded(ProviderStartCall(identifier: "", path: "", wantsContents: false), "bf0060016002f4ff"),
        Recorded(ProviderChangedCall(identifier: "a", path: "b"), "bf006161016162ff"),
        Recorded(ProviderChangedCall(identifier: "", path: ""), "bf00600160ff"),
        Recorded(ProviderItemCall(identifier: "a"), "bf006161ff"),
        Recorded(ProviderItemCall(identifier: ""), "bf0060ff"),
        Recorded(ProviderPageCall(container: "a", page: [1, 255], suggestedSize: 2007), "bf006161014201ff021907d7ff"),
        Recorded(ProviderPageCall(container: "", page: nil, suggestedSize: -1), "bf00600220ff"),
        Recorded(
            ProviderPage(items: [item, item], next: [1, 255]),
            "bf0082bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ff"
                + "bf0061620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff"
                + "bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ffbf0061"
                + "620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff014201"
                + "ffff"),
        Recorded(ProviderPage(items: [], next: nil), "bf0080ff"),
        Recorded(ProviderAnchorCall(container: "a"), "bf006161ff"),
        Recorded(ProviderAnchorCall(container: ""), "bf0060ff"),
        Recorded(ProviderAnchor(anchor: [0, 255]), "bf004200ffff"),
        Recorded(ProviderAnchor(anchor: nil), "bfff"),
        Recorded(
            ProviderChangesCall(container: "a", anchor: [1, 255], suggestedSize: 2007),
            "bf006161014201ff021907d7ff"),
        Recorded(ProviderChangesCall(container: "", anchor: [], suggestedSize: -1), "bf006001400220ff"),
        Recorded(
            ProviderChanges(updated: [item, item], deleted: ["b", "c"], anchor: [2, 255], moreComing: true),
            "bf0082bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ff"
                + "bf0061620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff"
                + "bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ffbf0061"
                + "620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff018261"
                + "626163024202ff03f5ff"),
        Recorded(ProviderChanges(updated: [], deleted: [], anchor: [], moreComing: false), "bf00800180024003f4ff"),
        Recorded(ProviderServesPartsCall(), "bfff"),
        Recorded(ProviderServesParts(true), "bf00f5ff"),
        Recorded(ProviderServesParts(false), "bf00f4ff"),
        Recorded(ProviderServesParts(false, usesExisting: true), "bf00f401f5ff"),
        Recorded(ProviderServesParts(true, keepsCopies: false), "bf00f502f4ff"),
        Recorded(
            ProviderSearchResults(results: [result, result], isCutShort: true),
            "bf0082bf00616901616e026174ffbf00616901616e026174ff01f5ff"),
        Recorded(ProviderSearchResults(results: [], isCutShort: false), "bf008001f4ff"),
        Recorded(ProviderServicesCall(identifier: "a", isOwn: true), "bf00616101f5ff"),
        Recorded(ProviderServicesCall(identifier: "", isOwn: false), "bf006001f4ff"),
        Recorded(ProviderServicesCall.Value(names: ["a", "b"]), "bf008261616162ff"),
        Recorded(ProviderServicesCall.Value(names: []), "bf0080ff"),
        Recorded(
            ProviderServiceCall(identifier: "a", name: "b", isOwn: true, socket: descriptor),
            "bf00616101616202f50300ff"),
        Recorded(
            ProviderServiceCall(identifier: "", name: "", isOwn: false, socket: descriptor),
            "bf0060016002f40300ff"),
        Recorded(
            ProviderSetUpCall(purpose: .changing, settings: [setting]), "bf00010181bf00616b016176ffff"),
        Recorded(ProviderSetUp(isServed: true, settings: [setting]), "bf00f50181bf00616b016176ffff"),
        Recorded(ProviderSetUp(isServed: false, settings: []), "bf00f40180ff"),
        Recorded(ProviderFindingsCall(), "bfff"),
        Recorded(ProviderFindings(lines: ["a"]), "bf00816161ff"),
        Recorded(SetUpCredentialsCall(server: "a", user: "b"), "bf006161016162ff"),
        Recorded(SetUpCredentialsCall(server: "", user: nil), "bf0060ff"),
        Recorded(SetUpCredentialsCall.Reply(user: "a", password: "b"), "bf006161016162ff"),
        Recorded(SetUpOpenCall(link: "a", message: "b"), "bf006161016162ff"),
        Recorded(SetUpReportNotice(line: "a"), "bf006161ff"),
        Recorded(SetUpFlushCall(), "bfff"),
        Recorded(ProviderSignInCall(password: "a"), "bf006161ff"),
        Recorded(ProviderSignInCall(password: ""), "bf0060ff"),
        Recorded(ProviderStateCall(), "bfff"),
        Recorded(
            ProviderThumbnails(thumbnails: [
                ProviderThumbnail(identifier: "a", picture: descriptor, failure: failure),
                ProviderThumbnail(identifier: "", picture: nil, failure: nil),
            ]),
            "bf0082bf006161010002bf0006016164023903e803616d046163056173ffffbf0060ffff"),
        Recorded(ProviderThumbnails(thumbnails: []), "bf0080ff"),
        Recorded(
            ProviderThumbnail(identifier: "a", picture: descriptor, failure: failure),
            "bf006161010002bf0006016164023903e803616d046163056173ffff"),
        Recorded(ProviderThumbnail(identifier: "", picture: nil, failure: nil), "bf0060ff"),
        Recorded(ProviderContentsCall(identifier: "a", takesUsed: true), "bf00616101f5ff"),
        Recorded(ProviderContentsCall(identifier: "", takesUsed: false), "bf0060ff"),
        Recorded(
            ProviderContentsCall(identifier: "a", existing: descriptor, existingVersion: [1, 2]),
            "bf006161020003420102ff"),
        Recorded(
            ProviderFile(item: item, file: descriptor, moment: moment),
            "bf00bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ffbf"
                + "0061620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff01"
                + "0002bf00000100020003000400ffff"),
        Recorded(
            ProviderFile(item: item, file: descriptor, moment: nil),
            "bf00bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ffbf"
                + "0061620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff01"
                + "00ff"),
        Recorded(
            ProviderCreateCall(
                parent: "a", filename: "b", kind: .folder, linkTarget: "d", modified: 4.5, isExecutable: true,
                isPrivate: true, contents: descriptor, template: "i"),
            "bf006161016162020103616404f9448005f5060007616908f5ff"),
        Recorded(
            ProviderCreateCall(
                parent: "", filename: "", kind: .file, linkTarget: nil, modified: 0, isExecutable: false,
                isPrivate: false, contents: nil, template: nil),
            "bf00600160020004f9000005f408f4ff"),
        Recorded(
            ProviderReplaceCall(identifier: "a", contents: descriptor, base: [2, 255], modified: 3.5),
            "bf0061610100024202ff03f94300ff"),
        Recorded(
            ProviderReplaceCall(identifier: "", contents: descriptor, base: [], modified: 0),
            "bf00600100024003f90000ff"),
        Recorded(ProviderMoveCall(identifier: "a", parent: "b", name: "c"), "bf006161016162026163ff"),
        Recorded(ProviderMoveCall(identifier: "", parent: "", name: ""), "bf006001600260ff"),
        Recorded(ProviderDeleteCall(identifier: "a"), "bf006161ff"),
        Recorded(ProviderDeleteCall(identifier: ""), "bf0060ff"),
        Recorded(ProviderStopCall(identifier: "a"), "bf006161ff"),
        Recorded(ProviderStopCall(identifier: ""), "bf0060ff"),
        Recorded(ProviderSignalNotice(container: "a"), "bf006161ff"),
        Recorded(ProviderSignalNotice(container: ""), "bf0060ff"),
        Recorded(ProviderResolvedNotice(failure: failure), "bf00bf0006016164023903e803616d046163056173ffff"),
        Recorded(ProviderProgressNotice(identifier: "a", completed: 1007, total: 2007), "bf006161011903ef021907d7ff"),
        Recorded(ProviderProgressNotice(identifier: "", completed: -1, total: -1), "bf006001200220ff"),
        Recorded(ProviderTrashCall(identifier: "a"), "bf006161ff"),
        Recorded(ProviderTrashCall(identifier: ""), "bf0060ff"),
        Recorded(ProviderUntrashCall(identifier: "a", parent: "b", former: "c"), "bf006161016162026163ff"),
        Recorded(ProviderUntrashCall(identifier: "", parent: nil, former: nil), "bf0060ff"),
        Recorded(ProviderNoticesCall(), "bfff"),
        Recorded(ProviderNotices(descriptor: descriptor), "bf0000ff"),
        Recorded(ProviderWatchCall(folder: descriptor), "bf0000ff"),
        Recorded(ProviderWatch(number: 7), "bf0007ff"),
        Recorded(ProviderWatch(number: -1), "bf0020ff"),
        Recorded(ShrinkPictureCall.Reply(file: descriptor, sizes: [1007, 2007]), "bf000001821903ef1907d7ff"),
        Recorded(ShrinkPictureCall.Reply(file: descriptor, sizes: []), "bf00000180ff"),
        Recorded(ProviderActionCall(action: "a", identifiers: ["b", "c"]), "bf006161018261626163ff"),
        Recorded(ProviderActionCall(action: "", identifiers: []), "bf00600180ff"),
        Recorded(ProviderSearchCall(query: "q", limit: 500), "bf006171011901f4ff"),
        Recorded(ProviderThumbnailsCall(identifiers: ["a", "b"], side: 300), "bf0082616161620119012cff"),
        Recorded(ProviderIdentifyCall.Value(identifier: "a"), "bf006161ff"),
        Recorded(ProviderIdentifyCall.Value(identifier: nil), "bfff"),
        Recorded(ShrinkPictureCall(picture: descriptor, sides: [16, 300]), "bf000001821019012cff"),
        Recorded(ShrinkPictureCall(picture: descriptor, sides: []), "bf00000180ff"),
        Recorded(
            ProviderSearchResult(
                identifier: "i", filename: "n", contentType: "t", size: 300, created: 1.5, modified: 2.5, lastUsed: 3.5),
            "bf00616901616e0261740319012c04f93e0005f9410006f94300ff"),
        Recorded(ProviderSearchResult(identifier: "", filename: "", contentType: ""), "bf006001600260ff"),
        Recorded(begin, "bf000101616402616e03617304616605617406617007f9478008f948400961620a410a0b616cff"),
        Recorded(
            BeginProviderCall(
                version: 1, domain: "", displayName: "", storage: "", domainFolder: "", temporary: "", path: nil,
                answerTime: 0, transferTime: 0, bundleIdentifier: ""),
            "bf00010160026003600460056007f9000008f900000960ff"),
        Recorded(
            item,
            "bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf006161014101ff"
                + "bf0061620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e"
                + "00ffff"),
        Recorded(
            fullItem,
            "bf00616901617002616e03000461750519012c0605070308f93e0009fb426d1a94a20000000af941000b4200ff"
                + "0c41070d19012c0e41080f184410091182bf006161014101ffbf0061620140ff12616c13bf0006016164023903"
                + "e803616d046163056173ff1482bf00616b026174ffbf00616c01f93e00ffff"),
        Recorded(
            ProviderItem(identifier: "i", parent: "", filename: "", kind: .folder),
            "bf006169016002600301046005183f0f02ff"),
        Recorded(failure, "bf0006016164023903e803616d046163056173ff"),
        Recorded(ProviderError(.serverUnreachable, message: "m", domain: "d", code: 2), "bf0002016164020203616dff"),
        Recorded(ProviderReply<Empty>.done(Empty()), "bf00bfffff"),
        Recorded(ProviderReply<Empty>.failed(failure), "bf01bf0006016164023903e803616d046163056173ffff"),
        Recorded(
            ProviderDomainState(version: 1, userInfo: ["a": .number(1.5), "b": .text("t")]),
            "bf00010182bf00616101f93e00ffbf006162026174ffff"),
        Recorded(ProviderDomainState(version: 0, userInfo: [:]), "bf00000180ff"),
        Recorded(
            ProviderPartCall(
                identifier: "i", contentVersion: [1], metadataVersion: [], range: 5..<300, alignment: 4096),
            "bf006169014101024003050419012705191000ff"),
        Recorded(
            ProviderPartFile(item: item, file: descriptor, range: 0..<0),
            "bf00bf00616901617002616e0300046005183f060509fb426d1a94a20000000b4200ff0f021182bf0061610141"
                + "01ffbf0061620140ff13bf0006016164023903e803616d046163056173ff1482bf00616b026174ffbf00616c01"
                + "f93e00ffff010002000300ff"),
        Recorded(ProviderMetadataCall(identifier: "i", metadataChange: .lastUsed(1.5)), "bf006169010002f93e00ff"),
        Recorded(ProviderMetadataCall(identifier: "i", metadataChange: .lastUsed(nil)), "bf0061690100ff"),
        Recorded(ProviderMetadataCall(identifier: "i", metadataChange: .tagData([1, 2])), "bf006169010102420102ff"),
        Recorded(ProviderMetadataCall(identifier: "i", metadataChange: .tagData(nil)), "bf0061690101ff"),
        Recorded(ProviderMetadataCall(identifier: "i", metadataChange: .favoriteRank(7)), "bf00616901020207ff"),
        Recorded(ProviderMetadataCall(identifier: "i", metadataChange: .favoriteRank(nil)), "bf0061690102ff"),
        Recorded(
            ProviderMetadataCall(identifier: "i", metadataChange: .attributes(attributes)),
            "bf006169010302bf00f93e0001060282bf0066757365722e610140ffbf0066757365722e62014101ff03826675"
                + "7365722e6366757365722e64ffff"),
        Recorded(ItemAttributes(), "bf02800380ff"),
        Recorded(
            attributes,
            "bf00f93e0001060282bf0066757365722e610140ffbf0066757365722e62014101ff038266757365722e636675"
                + "7365722e64ff"),
        Recorded(moment, "bf00000100020003000400ff"),
        Recorded(InterfacePurpose.action("a", items: ["b"]), "bf00616101816162ff"),
        Recorded(InterfacePurpose.failure(failure), "bf02bf0006016164023903e803616d046163056173ffff"),
    ]
}
