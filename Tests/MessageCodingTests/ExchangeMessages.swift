import Exchange
import Foundation
import ItemProvider

extension Recorded {
    /// The messages between clients and the daemon.
    static let exchange: [Recorded] = [
        Recorded(RegisterBundleCall(path: "a"), "bf006161ff"),
        Recorded(RegisterBundleCall(path: ""), "bf0060ff"),
        Recorded(RemoveBundleCall(identifier: "a"), "bf006161ff"),
        Recorded(RemoveBundleCall(identifier: ""), "bf0060ff"),
        Recorded(ListBundlesCall(), "bfff"),
        Recorded(
            ListBundlesCall.Reply(bundles: [BundleDescription(record), BundleDescription(record)]),
            "bf0082bf00616901622f7002622f65036174ffbf00616901622f7002622f65036174ffff"),
        Recorded(ListBundlesCall.Reply(bundles: []), "bf0080ff"),
        Recorded(
            AcceptConsumerCall(identifier: identifier, socket: descriptor, permitted: [2007, 3007]),
            "bf00500102030405060708090a0b0c0d0e0fff010002821907d7190bbfff"),
        Recorded(
            AcceptConsumerCall(identifier: identifier, socket: descriptor, permitted: []),
            "bf00500102030405060708090a0b0c0d0e0fff01000280ff"),
        Recorded(OfferReplacedNotice(identifier: identifier), "bf00500102030405060708090a0b0c0d0e0fffff"),
        Recorded(DaemonEndingNotice(), "bfff"),
        Recorded(
            OfferCall(board: "a", manifest: manifest),
            "bf00616101bf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf0019012c01"
                + "6002000300ff03f5ffff"),
        Recorded(
            OfferCall(board: "", manifest: manifest),
            "bf006001bf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf0019012c0160"
                + "02000300ff03f5ffff"),
        Recorded(WithdrawCall(identifier: identifier), "bf00500102030405060708090a0b0c0d0e0fffff"),
        Recorded(
            ReplaceContentsCall(
                board: "a", manifests: [manifest, manifest], onlyIfUntouched: true, amending: 4, isRemoval: true),
            "bf0061610182bf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf0019012c"
                + "016002000300ff03f5ffbf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf"
                + "0019012c016002000300ff03f5ff02f5030404f5ff"),
        Recorded(
            ReplaceContentsCall(board: "", manifests: [], onlyIfUntouched: false, amending: nil, isRemoval: false),
            "bf00600180ff"),
        Recorded(ChangeCountCall(board: "a"), "bf006161ff"),
        Recorded(ChangeCountCall(board: ""), "bf0060ff"),
        Recorded(ChangeCountReply(changeCount: 1, isTouched: true), "bf0001ff"),
        Recorded(ChangeCountReply(changeCount: 0, isTouched: false), "bf000001f4ff"),
        Recorded(ListCall(board: "a", cursor: 2), "bf0061610102ff"),
        Recorded(ListCall(board: "", cursor: 0), "bf00600100ff"),
        Recorded(
            ListCall.Reply(manifests: [manifest, manifest], next: 2, changeCount: 3),
            "bf0082bf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf0019012c016002"
                + "000300ff03f5ffbf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf001901"
                + "2c016002000300ff03f5ff01020203ff"),
        Recorded(ListCall.Reply(manifests: [], next: nil, changeCount: 0), "bf00800200ff"),
        Recorded(OpenCall(identifier: identifier), "bf00500102030405060708090a0b0c0d0e0fffff"),
        Recorded(OpenCall.Reply(socket: descriptor), "bf0000ff"),
        Recorded(StatusCall(), "bfff"),
        Recorded(StatusCall.Reply(processID: 7, offers: 1007, heldBytes: 2007), "bf0007011903ef021907d7ff"),
        Recorded(StatusCall.Reply(processID: -1, offers: -1, heldBytes: -1), "bf002001200220ff"),
        Recorded(FoldersCall(), "bfff"),
        Recorded(FoldersCall.Reply(data: "a", mounts: "b"), "bf006161016162ff"),
        Recorded(FoldersCall.Reply(data: "", mounts: ""), "bf00600160ff"),
        Recorded(
            HoldCall(identifier: identifier, index: 1007, supply: supply, item: nil, replacedBoard: "e"),
            "bf00500102030405060708090a0b0c0d0e0fff011903ef02bf000001420102ff036165ff"),
        Recorded(
            HoldCall(identifier: identifier, index: -1, supply: supply, item: nil, replacedBoard: nil),
            "bf00500102030405060708090a0b0c0d0e0fff012002bf000001420102ffff"),
        Recorded(TakeOverCall(identifier: identifier), "bf00500102030405060708090a0b0c0d0e0fffff"),
        Recorded(PrepareToQuitCall(), "bfff"),
        Recorded(
            PrepareToQuitCall.Reply(identifiers: [identifier, identifier]),
            "bf0082500102030405060708090a0b0c0d0e0fff500102030405060708090a0b0c0d0e0fffff"),
        Recorded(PrepareToQuitCall.Reply(identifiers: []), "bf0080ff"),
        Recorded(
            manifest,
            "bf00500102030405060708090a0b0c0d0e0fff01616e0282bf00010161750202030304f5ffbf0019012c016002000300"
                + "ff03f5ff"),
        Recorded(
            OfferManifest(identifier: identifier, name: nil, representations: []),
            "bf00500102030405060708090a0b0c0d0e0fff0280ff"),
        Recorded(
            RepresentationManifest(index: 1, typeIdentifier: "u", visibility: 2, fileOptions: 3, hasItem: true),
            "bf00010161750202030304f5ff"),
        Recorded(
            RepresentationManifest(index: 0, typeIdentifier: "", visibility: 0, fileOptions: 0),
            "bf0000016002000300ff"),
        Recorded(BundleDescription(record), "bf00616901622f7002622f65036174ff"),
        Recorded(
            BundleDescription(
                BundleRecord(identifier: "", path: "", executable: "", team: nil, typeDeclarations: Data())),
            "bf006001600260ff"),
    ]
}
