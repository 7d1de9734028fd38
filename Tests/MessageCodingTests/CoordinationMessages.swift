import CoordinationService
import FileCoordination

extension Recorded {
    /// The messages about file coordination.
    static let coordination: [Recorded] = [
        Recorded(CoordinateCall(), "bfff"),
        Recorded(CountClaimsCall(), "bfff"),
        Recorded(CountClaimsCall.Reply(count: 7), "bf0007ff"),
        Recorded(CountClaimsCall.Reply(count: -1), "bf0020ff"),
        Recorded(FindCallSiteCall(client: 1, claim: 2), "bf00010102ff"),
        Recorded(FindCallSiteCall(client: 0, claim: 0), "bf00000100ff"),
        Recorded(FindCallSiteCall.Reply(place: "a", process: 1007, program: "c"), "bf006161011903ef026163ff"),
        Recorded(FindCallSiteCall.Reply(place: nil, process: nil, program: nil), "bfff"),
        Recorded(CallSiteCall(claim: 1), "bf0001ff"),
        Recorded(CallSiteCall(claim: 0), "bf0000ff"),
        Recorded(CallSiteCall.Reply(place: "a"), "bf006161ff"),
        Recorded(CallSiteCall.Reply(place: nil), "bfff"),
        Recorded(
            EffectsNotice([.granted(claim: 7, paths: ["/a"], keys: ["/b"], hasWaited: true)]),
            "bf00bf000001070281622f610381622f6204f5ffff"),
        Recorded(
            EffectsNotice([.granted(claim: 300, paths: [], keys: [], hasWaited: false), .reacquire(preparation: 9)]),
            "bf00bf00000119012cff0181bf00050109ffff"),
        Recorded(
            EffectsNotice([.denied(claim: 1, .deadlock(OtherClaim(client: 5, number: 6), path: "/p"))]),
            "bf00bf00010101020603622f700405ffff"),
        Recorded(
            EffectsNotice([.denied(claim: 1, .deadlock(OtherClaim(client: nil, number: 6), path: ""))]),
            "bf00bf0001010102060360ffff"),
        Recorded(EffectsNotice([.denied(claim: 1, .blockedPresenter(path: "/p"))]), "bf00bf0007010103622f70ffff"),
        Recorded(
            EffectsNotice([.denied(claim: 1, .presenter(CoordinationError(domain: "d", code: -1, message: "m")))]),
            "bf00bf0002010102bf006164012002616dffffff"),
        Recorded(EffectsNotice([.denied(claim: 1, .refused(reason: "r"))]), "bf00bf00080101036172ffff"),
        Recorded(EffectsNotice([.denied(claim: 1, .tooManyClaims(limit: 1000))]), "bf00bf00030101021903e8ffff"),
        Recorded(
            EffectsNotice([
                .prepare(
                    Preparation(
                        number: 1, presenter: 2, relinquishing: .toWriter, saves: true, deletesItem: true,
                        evictsItem: true, deletedSubitems: ["/a/b"], timeLimit: 30_000))
            ]), "bf00bf000401010202030204f505f50681642f612f620719753008f5ffff"),
        Recorded(
            EffectsNotice([.prepare(Preparation(number: 1, presenter: 2, timeLimit: 1))]),
            "bf00bf000401010202030004f405f406800701ffff"),
        Recorded(EffectsNotice([]), "bfff"),
        Recorded(
            EffectsNotice([
                .notify(presenter: 1, .moved(to: "/a")), .notify(presenter: 1, .changed),
                .notify(presenter: 1, .subitemChanged("/a")),
            ]), "bf00bf0006010102bf000001622f61ffff0182bf0006010102bf0001ffffbf0006010102bf000201622f61ffff" + "ff"),
        Recorded(
            EffectsNotice([
                .notify(presenter: 1, .subitemMoved(from: "/a", to: "/b")),
                .notify(presenter: 1, .attributesChanged(["n"])),
            ]), "bf00bf0006010102bf000301622f6102622f62ffff0181bf0006010102bf00040381616effffff"),
        Recorded(
            EffectsNotice([.notify(presenter: 1, .subitemAttributesChanged("/a", ["n"]))]),
            "bf00bf0006010102bf000501622f610381616effffff"),
        Recorded(
            EffectsNotice([
                .notify(presenter: 1, .versionChanged("/a", change)),
                .notify(presenter: 1, .subitemVersionChanged("/b", change)),
            ]),
            "bf00bf0006010102bf000601622f6104bf000101bf00500102030405060708090a0b0c0d0e0fff01616e026163"
                + "03f93e0004f93e0005f406f507f4ffffffff0181bf0006010102bf000701622f6204bf000101bf005001020304"
                + "05060708090a0b0c0d0e0fff01616e02616303f93e0004f93e0005f406f507f4ffffffffff"),
        Recorded(
            EventNotice(.claim(ClaimRequest(number: 1, accesses: [access], purpose: "p"))),
            "bf000b010105622f610b030c61700d197530ff"),
        Recorded(
            EventNotice(
                .claim(
                    ClaimRequest(
                        number: 1, accesses: [access, access], purpose: "p", presenter: 2, enclosing: [3],
                        answering: [4], blocking: [5], presenterTimeLimit: 6, isNoting: true))),
            "bf000002bf000101bf00622f610203ff026170030204810305810406060781bf00622f610203ff08810509f5ff" + "ff"),
        Recorded(
            EventNotice(
                .claim(ClaimRequest(number: 1, accesses: [access], purpose: "", presenter: 2, handed: descriptor))),
            "bf000002bf000101bf00622f610203ff0260030206197530ff0a00ff"),
        Recorded(
            EventNotice(
                .claim(ClaimRequest(number: 1, accesses: [Access(path: "/a", key: "/k", traits: [])], purpose: "p"))),
            "bf000002bf000101bf00622f6101622f6b0200ff02617006197530ffff"),
        Recorded(
            EventNotice(.adopt(ClaimRequest(number: 1, accesses: [access], purpose: "p"))),
            "bf000102bf000101bf00622f610203ff02617006197530ffff"),
        Recorded(EventNotice(.adoptedAll), "bf000aff"),
        Recorded(
            EventNotice(
                .release(
                    claim: 1,
                    outcomes: [
                        ClaimOutcome(access: 0, change: .none), ClaimOutcome(access: 1, change: .changed),
                        ClaimOutcome(access: 2, change: .deleted),
                        ClaimOutcome(access: 3, change: .moved(toPath: "/a", key: "/b")),
                    ])), "bf000201010384bf00000100ffbf00010101ffbf00020102ffbf0003010302622f6103622f62ffff"),
        Recorded(EventNotice(.release(claim: 1, outcomes: [])), "bf00020101ff"),
        Recorded(EventNotice(.cancel(claim: 1)), "bf00030101ff"),
        Recorded(
            EventNotice(.answer(preparation: 1, failure: CoordinationError(domain: "d", code: 2, message: "m"))),
            "bf0004010104bf006164010202616dffff"),
        Recorded(EventNotice(.answer(preparation: 1, failure: nil)), "bf00040101ff"),
        Recorded(
            EventNotice(.present(PresenterPlace(number: 1, path: "/a", key: "/b"))), "bf0005010105622f6106622f62ff"),
        Recorded(EventNotice(.present(PresenterPlace(number: 1, path: nil, key: nil))), "bf00050101ff"),
        Recorded(EventNotice(.removePresenter(1)), "bf00060101ff"),
        Recorded(
            EventNotice(.moved(ItemMove(path: "/a", newPath: "/b", newKey: "/c", excepted: 4))),
            "bf000705622f6106622f6207622f630804ff"),
        Recorded(
            EventNotice(.moved(ItemMove(path: "/a", newPath: "/b", newKey: "/c", excepted: nil))),
            "bf000705622f6106622f6207622f63ff"),
        Recorded(
            EventNotice(.changedAttributes(path: "/a", names: ["n"], excepted: 4)), "bf000805622f610781616e0804ff"),
        Recorded(EventNotice(.changedAttributes(path: "/a", names: [], excepted: nil)), "bf000805622f610780ff"),
        Recorded(
            EventNotice(.changedVersion(path: "/a", change)),
            "bf000905622f6109bf000101bf00500102030405060708090a0b0c0d0e0fff01616e02616303f93e0004f93e00"
                + "05f406f507f4ffffff"),
    ]
}
