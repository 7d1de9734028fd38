import DomainMessages
import FileProvider
import FileProviderWire
import ItemValues

extension Recorded {
    /// The messages between clients and the daemon about domains.
    static let domains: [Recorded] = [
        Recorded(ListActionsCall(place: place), "bf00bf00617401622f70ffff"),
        Recorded(ListActionsCall(place: ItemPlace(text: "", path: "")), "bf00bf00600160ffff"),
        Recorded(
            ListActionsCall.Reply(
                actions: [
                    ActionDescription(identifier: "a", name: "b", interface: "c"),
                    ActionDescription(identifier: "", name: "", interface: nil),
                ], faults: ["b", "c"]),
            "bf0082bf006161016162026163ffbf00600160ff018261626163ff"),
        Recorded(ListActionsCall.Reply(actions: [], faults: []), "bf00800180ff"),
        Recorded(ActionDescription(identifier: "a", name: "b", interface: "c"), "bf006161016162026163ff"),
        Recorded(ActionDescription(identifier: "", name: "", interface: nil), "bf00600160ff"),
        Recorded(
            ActionDescription(identifier: "", name: "", interface: nil, concernsVersions: true), "bf0060016004f5ff"),
        Recorded(CancelTransferCall(domain: "d", file: 7, isUpload: true), "bf006164010702f5ff"),
        Recorded(CancelTransferCall.Reply(outcome: .isKept), "bf0002ff"),
        Recorded(
            TransferActivity(name: "n", isUpload: true, file: 7, state: .waiting, canBeCancelled: true),
            "bf00616e01f50200030006070701" + "08f5ff"),
        Recorded(PerformActionCall(place: place, action: "b"), "bf00bf00617401622f70ff016162ff"),
        Recorded(PerformActionCall(place: ItemPlace(text: "", path: ""), action: ""), "bf00bf00600160ff0160ff"),
        Recorded(ListDomainsCall(), "bfff"),
        Recorded(
            ListDomainsCall.Reply(domains: [domain, domain]),
            "bf0082bf00616e0161690261700381bf00616b016176ff040205622f6d06616607190fa7ffbf00616e01616902617003"
                + "81bf00616b016176ff040205622f6d06616607190fa7ffff"),
        Recorded(ListDomainsCall.Reply(domains: []), "bf0080ff"),
        Recorded(
            DomainDescription(
                name: "a", identifier: "b", provider: "c", settings: [setting, setting], cacheLimit: 4007,
                state: .failed, mount: "g", fault: "h"),
            "bf0061610161620261630382bf00616b016176ffbf00616b016176ff040205616706616807190fa7ff"),
        Recorded(
            DomainDescription(
                name: "", identifier: "", provider: "", settings: [], cacheLimit: -1, state: .running, mount: nil,
                fault: nil),
            "bf006001600260038004000720ff"),
        Recorded(DomainSetting(key: "a", value: "b"), "bf006161016162ff"),
        Recorded(DomainSetting(key: "", value: ""), "bf00600160ff"),
        Recorded(
            AddDomainCall(provider: "a", name: "b", settings: [setting, setting], password: "d"),
            "bf0061610161620282bf00616b016176ffbf00616b016176ff036164ff"),
        Recorded(AddDomainCall(provider: "", name: "", settings: [], password: nil), "bf006001600280ff"),
        Recorded(
            SetDomainCall(name: "a", settings: [setting, setting]),
            "bf0061610182bf00616b016176ffbf00616b016176ffff"),
        Recorded(SetDomainCall(name: "", settings: []), "bf00600180ff"),
        Recorded(RemoveDomainCall(name: "a", keepsEdits: true), "bf00616101f5ff"),
        Recorded(RemoveDomainCall(name: "", keepsEdits: false), "bf006001f4ff"),
        Recorded(RemoveDomainCall.Reply(edits: "a"), "bf006161ff"),
        Recorded(RemoveDomainCall.Reply(edits: nil), "bfff"),
        Recorded(SignalDomainCall(name: "a", container: "b"), "bf006161016162ff"),
        Recorded(SignalDomainCall(name: "", container: nil), "bf0060ff"),
        Recorded(RetryDomainCall(name: "a"), "bf006161ff"),
        Recorded(RetryDomainCall(name: ""), "bf0060ff"),
        Recorded(SignInDomainCall(name: "a", password: "b"), "bf006161016162ff"),
        Recorded(SignInDomainCall(name: "", password: ""), "bf00600160ff"),
        Recorded(SetUpSignInCall.Reply(isServed: true), "bf00f5ff"),
        Recorded(DescribeDomainCall(name: "a"), "bf006161ff"),
        Recorded(PauseDomainsCall(names: ["a"], isPaused: true), "bf0081616101f5ff"),
        Recorded(PauseDomainsCall(names: [], isPaused: false), "bf008001f4ff"),
        Recorded(KeyringCall(.unlock), "bf0001ff"),
        Recorded(KeyringCall.Reply(place: "p", fault: "f"), "bf006170016166ff"),
        Recorded(KeyringCall.Reply(place: "", fault: nil), "bf0060ff"),
        Recorded(DesktopSettingsNotice(proxies: ["a"], isMetered: true), "bf0081616101f5ff"),
        Recorded(DesktopSettingsNotice(proxies: [], isMetered: false), "bf008001f4ff"),
        Recorded(FollowStatesCall(position: 1), "bf0001ff"),
        Recorded(FollowStatesCall(position: 0), "bf0000ff"),
        Recorded(
            FollowStatesCall.Reply(
                position: 1, areDomainsDifferent: true, standings: [standing, standing], folders: ["d", "e"]),
            "bf000101f50282bf00622f7001616402bf00616e016169020103617404190fa705f94580060307f508bf000201616d02"
                + "6173ff0961670af50bf40c000d000ef4ffffbf00622f7001616402bf00616e016169020103617404190fa705f9458006"
                + "0307f508bf000201616d026173ff0961670af50bf40c000d000ef4ffff038261646165ff"),
        Recorded(
            FollowStatesCall.Reply(position: 0, areDomainsDifferent: false, standings: [], folders: []),
            "bf000001f402800380ff"),
        Recorded(DescribeInterfaceCall(subject: .signIn(domain: "d")), "bf00bf006164ffff"),
        Recorded(DescribeInterfaceCall(subject: .signIn(domain: "")), "bf00bf0060ffff"),
        Recorded(
            DescribeInterfaceCall.Reply(
                interface: InterfaceDescription(
                    domain: "a", identifier: "b", place: begin, purpose: .action("a", items: ["b"]), timeLimit: 4007,
                    showsWindows: true)),
            "bf00bf00616101616202bf000101616402616e03617304616605617406617007f9478008f948400961620a410a0b616c"
                + "ff03bf00616101816162ff04190fa705f5ffff"),
        Recorded(DescribeInterfaceCall.Reply(interface: nil), "bfff"),
        Recorded(
            InterfaceDescription(
                domain: "a", identifier: "b", place: begin, purpose: .action("a", items: ["b"]), timeLimit: 4007,
                showsWindows: true),
            "bf00616101616202bf000101616402616e03617304616605617406617007f9478008f948400961620a410a0b616cff03"
                + "bf00616101816162ff04190fa705f5ff"),
        Recorded(
            InterfaceDescription(
                domain: "", identifier: "", place: begin, purpose: .failure(failure), timeLimit: -1, showsWindows: false
            ),
            "bf0060016002bf000101616402616e03617304616605617406617007f9478008f948400961620a410a0b616cff03bf02"
                + "bf0006016164023903e803616d046163056173ffff042005f4ff"),
        Recorded(ItemPlace(text: "a", path: "b"), "bf006161016162ff"),
        Recorded(ItemPlace(text: "", path: ""), "bf00600160ff"),
        Recorded(ListFolderCall(place: place, position: 1007), "bf00bf00617401622f70ff011903efff"),
        Recorded(ListFolderCall(place: ItemPlace(text: "", path: ""), position: nil), "bf00bf00600160ffff"),
        Recorded(
            ListFolderCall.Reply(items: [described, described], next: 1007),
            "bf0082bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961670af50bf40c000d"
                + "000ef4ffbf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961670af50bf40c00"
                + "0d000ef4ff011903efff"),
        Recorded(ListFolderCall.Reply(items: [], next: nil), "bf0080ff"),
        Recorded(DescribeItemCall(place: place), "bf00bf00617401622f70ffff"),
        Recorded(DescribeItemCall(place: ItemPlace(text: "", path: "")), "bf00bf00600160ffff"),
        Recorded(DownloadItemCall(place: place), "bf00bf00617401622f70ffff"),
        Recorded(DownloadItemCall(place: ItemPlace(text: "", path: "")), "bf00bf00600160ffff"),
        Recorded(EvictItemCall(place: place), "bf00bf00617401622f70ffff"),
        Recorded(EvictItemCall(place: ItemPlace(text: "", path: "")), "bf00bf00600160ffff"),
        Recorded(ItemFault(kind: .authentication, message: "b", suggestion: "c"), "bf0002016162026163ff"),
        Recorded(ItemFault(kind: .transient, message: "", suggestion: nil), "bf00000160ff"),
        Recorded(
            ItemStanding(path: "a", domain: "b", item: described),
            "bf00616101616202bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961670af5"
                + "0bf40c000d000ef4ffff"),
        Recorded(ItemStanding(path: "", domain: nil, item: nil), "bf0060ff"),
        Recorded(
            ItemStatesCall(places: [place, ItemPlace(text: "", path: "")]),
            "bf0082bf00617401622f70ffbf00600160ffff"),
        Recorded(ItemStatesCall(places: []), "bf0080ff"),
        Recorded(
            ItemStatesCall.Reply(standings: [standing, standing]),
            "bf0082bf00622f7001616402bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff09"
                + "61670af50bf40c000d000ef4ffffbf00622f7001616402bf00616e016169020103617404190fa705f94580060307f508"
                + "bf000201616d026173ff0961670af50bf40c000d000ef4ffffff"),
        Recorded(ItemStatesCall.Reply(standings: []), "bf0080ff"),
        Recorded(RenewProviderCall(provider: "a"), "bf006161ff"),
        Recorded(RenewProviderCall(provider: ""), "bf0060ff"),
        Recorded(SearchProvidersCall(domain: "a", query: "b", limit: 2007), "bf006161016162021907d7ff"),
        Recorded(SearchProvidersCall(domain: nil, query: "", limit: -1), "bf01600220ff"),
        Recorded(
            SearchProvidersCall.Reply(
                items: [
                    ProvidedItemDescription(domain: "a", result: result, path: "c", mountedPath: "d"),
                    ProvidedItemDescription(domain: "", result: result, path: nil, mountedPath: nil),
                ], faults: ["b", "c"]),
            "bf0082bf00616101bf00616901616e026174ff026163036164ffbf006001bf00616901616e026174ffff018261626163"
                + "ff"),
        Recorded(SearchProvidersCall.Reply(items: [], faults: []), "bf00800180ff"),
        Recorded(
            ProvidedItemDescription(domain: "a", result: result, path: "c", mountedPath: "d"),
            "bf00616101bf00616901616e026174ff026163036164ff"),
        Recorded(
            ProvidedItemDescription(domain: "", result: result, path: nil, mountedPath: nil),
            "bf006001bf00616901616e026174ffff"),
        Recorded(DomainsStatusCall(), "bfff"),
        Recorded(
            DomainsStatusCall.Reply(processID: 7, domains: [activity, activity], weaknesses: ["c", "d"]),
            "bf00070182bf00bf00616e0161690261700381bf00616b016176ff040205622f6d06616607190fa7ff01010202030304"
                + "040581616606f40780080009000a000b000c800e000f80ffbf00bf00616e0161690261700381bf00616b016176ff0402"
                + "05622f6d06616607190fa7ff01010202030304040581616606f40780080009000a000b000c800e000f80ff0282616361"
                + "64ff"),
        Recorded(DomainsStatusCall.Reply(processID: -1, domains: [], weaknesses: []), "bf002001800280ff"),
        Recorded(
            TransferActivity(name: "a", isUpload: true, done: 2007, total: 3007, begun: 4.5, moved: 5.5),
            "bf00616101f5021907d703190bbf04f9448005f94580ff"),
        Recorded(
            TransferActivity(name: "", isUpload: false, done: -1, total: -1, begun: nil, moved: nil),
            "bf006001f402200320ff"),
        Recorded(TrashItemCall(place: place), "bf00bf00617401622f70ffff"),
        Recorded(TrashItemCall(place: ItemPlace(text: "", path: "")), "bf00bf00600160ffff"),
        Recorded(TrashedItemsCall(), "bfff"),
        Recorded(
            TrashedItemsCall.Reply(items: [
                TrashedItem(domain: "a", identifier: "b", name: "c", kind: .folder),
                TrashedItem(domain: "", identifier: "", name: "", kind: .file),
            ]),
            "bf0082bf0061610161620261630301ffbf0060016002600300ffff"),
        Recorded(TrashedItemsCall.Reply(items: []), "bf0080ff"),
        Recorded(TrashedItem(domain: "a", identifier: "b", name: "c", kind: .folder), "bf0061610161620261630301ff"),
        Recorded(TrashedItem(domain: "", identifier: "", name: "", kind: .file), "bf0060016002600300ff"),
        Recorded(UntrashItemCall(domain: "a", item: "b"), "bf006161016162ff"),
        Recorded(UntrashItemCall(domain: "", item: ""), "bf00600160ff"),
        Recorded(EmptyTrashCall(domain: "a", item: "b"), "bf006161016162ff"),
        Recorded(EmptyTrashCall(domain: "", item: nil), "bf0060ff"),
        Recorded(
            FoundItemDescription(
                domain: "a", path: "b", mountedPath: "c", item: described, lastUsed: 4.5, favoriteRank: 6,
                tags: ["g", "h"]),
            "bf00616101616202616303bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961"
                + "670af50bf40c000d000ef4ff04f944800506068261676168ff"),
        Recorded(
            FoundItemDescription(
                domain: "", path: "", mountedPath: nil, item: described, lastUsed: nil, favoriteRank: nil, tags: []),
            "bf0060016003bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961670af50bf4"
                + "0c000d000ef4ff0680ff"),
        Recorded(
            FoundItems(items: [found, found]),
            "bf0082bf00616401617003bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961"
                + "670af50bf40c000d000ef4ff04f94480050606816174ffbf00616401617003bf00616e016169020103617404190fa705"
                + "f94580060307f508bf000201616d026173ff0961670af50bf40c000d000ef4ff04f94480050606816174ffff"),
        Recorded(FoundItems(items: []), "bf0080ff"),
        Recorded(RecentsCall(limit: 7), "bf0007ff"),
        Recorded(RecentsCall(limit: -1), "bf0020ff"),
        Recorded(FavoritesCall(), "bfff"),
        Recorded(
            SearchCall(
                domain: "a", words: ["b", "c"], types: ["c", "d"], tags: ["d", "e"], since: 4.5, before: 5.5,
                limit: 6007),
            "bf00616101826162616302826163616403826164616504f9448005f9458006191777ff"),
        Recorded(
            SearchCall(domain: nil, words: [], types: [], tags: [], since: nil, before: nil, limit: -1),
            "bf0180028003800620ff"),
        Recorded(SetFavoriteCall(place: place, isFavorite: true), "bf00bf00617401622f70ff01f5ff"),
        Recorded(SetFavoriteCall(place: ItemPlace(text: "", path: ""), isFavorite: false), "bf00bf00600160ff01f4ff"),
        Recorded(
            TagItemCall(place: place, added: ["b", "c"], removed: ["c", "d"]),
            "bf00bf00617401622f70ff018261626163028261636164ff"),
        Recorded(
            TagItemCall(place: ItemPlace(text: "", path: ""), added: [], removed: []),
            "bf00bf00600160ff01800280ff"),
        Recorded(TagItemCall.Reply(tags: ["a", "b"]), "bf008261616162ff"),
        Recorded(TagItemCall.Reply(tags: []), "bf0080ff"),
        Recorded(PushCall(container: "a", domain: "b", topic: "c"), "bf006161016162026163ff"),
        Recorded(PushCall(container: "", domain: nil, topic: nil), "bf0060ff"),
        Recorded(KeepItemCall(place: place, isWanted: true), "bf00bf00617401622f70ffff"),
        Recorded(KeepItemCall(place: place, isWanted: false), "bf00bf00617401622f70ff01f4ff"),
        Recorded(NoteFailedSignInCall(domain: "d", reason: "r"), "bf006164016172ff"),
        Recorded(NoteFailedSignInCall(domain: "", reason: ""), "bf00600160ff"),
        Recorded(DescribeInterfaceCall.Subject.signIn(domain: "d"), "bf006164ff"),
        Recorded(DescribeInterfaceCall.Subject.action("a", place), "bf01616102bf00617401622f70ffff"),
        Recorded(
            activity,
            "bf00bf00616e0161690261700381bf00616b016176ff040205622f6d06616607190fa7ff010102020303040405"
                + "81616606f40780080009000a000b000c800e000f80ff"),
        Recorded(
            fullActivity,
            "bf00bf00616e0161690261700381bf00616b016176ff040205622f6d06616607190fa7ff010102020303040405"
                + "81616606f50781bf00616e01f502010302ff0819012c09050a060b070c81616e0d61640e080f816170ff"),
        Recorded(
            activityWithQuota,
            "bf00bf00616e0161690261700381bf00616b016176ff040205622f6d06616607190fa7ff010102020303040405"
                + "81616606f40780080009000a000b000c800e000f8012bf00010102ffff"),
        Recorded(DomainQuota(used: nil, available: nil), "bfff"),
        Recorded(
            described,
            "bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961670af50bf40c000d" + "000ef4ff"),
        Recorded(
            fullDescribed,
            "bf00616e016169020103617404190fa705f94580060307f508bf000201616d026173ff0961670af40bf50c1901"
                + "2c0d190fa70ef5ff"),
    ]
}
