import CoordinationService

extension Recorded {
    /// The messages between file coordination.
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
    ]
}
