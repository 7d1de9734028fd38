import AttackTesting
import Conduit
import CoordinationService
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderWire
import Foundation
import ItemProvider
import LinuxSystem

/// Examples of the requests that processes of the user send to the daemon.
enum DaemonSamples {
    static let domain = "Hostile"
    private static let place = ItemPlace(text: domain + ":a/b", path: "/var/empty/a/b")

    static var all: [FrameSample] {
        get throws { try CoordinationSamples.all + ofExchange + ofDomains + ofItems }
    }

    private static var ofExchange: [FrameSample] {
        get throws {
            let representation = RepresentationManifest(
                index: 0, typeIdentifier: "public.text", visibility: 0, fileOptions: 0)
            let manifest = OfferManifest(identifier: UUID(), name: "n", representations: [representation])
            let (one, _) = try SequencedPacketSocket.pair()
            return [
                try FrameSample(of: OfferCall(board: "b", manifest: manifest)),
                try FrameSample(of: WithdrawCall(identifier: UUID())),
                try FrameSample(of: ReplaceContentsCall(board: "b", manifests: [manifest, manifest])),
                try FrameSample(of: ChangeCountCall(board: "b")), try FrameSample(of: ListCall(board: "b")),
                try FrameSample(of: OpenCall(identifier: UUID())), try FrameSample(of: StatusCall()),
                try FrameSample(of: ListBundlesCall()), try FrameSample(of: FoldersCall()),
                try FrameSample(of: RunExtensionCall(identifier: "org.example.none", socket: one.descriptor)),
            ]
        }
    }

    private static var ofDomains: [FrameSample] {
        get throws {
            let (one, _) = try SequencedPacketSocket.pair()
            let settings = [DomainSetting(key: DomainSetting.path, value: "/var/empty")]
            return [
                try FrameSample(of: ListDomainsCall()), try FrameSample(of: DomainsStatusCall()),
                try FrameSample(of: AddDomainCall(provider: "org.example.none", name: domain, settings: settings)),
                try FrameSample(of: SetDomainCall(name: domain, settings: settings)),
                try FrameSample(of: RemoveDomainCall(name: domain, keepsEdits: true)),
                try FrameSample(of: SignalDomainCall(name: domain, container: "c")),
                try FrameSample(of: RetryDomainCall(name: domain)),
                try FrameSample(of: SignInDomainCall(name: domain, password: "p")),
                try FrameSample(of: DescribeDomainCall(name: domain)),
                try FrameSample(of: SetUpSignInCall(name: domain, questions: one.descriptor)),
                try FrameSample(of: FollowStatesCall(position: 1)),
                try FrameSample(of: RegisterBundleCall(path: "/var/empty/None.bundle")),
                try FrameSample(of: RemoveBundleCall(identifier: "org.example.none")),
            ]
        }
    }

    private static var ofItems: [FrameSample] {
        get throws {
            let search = SearchCall(
                domain: nil, words: ["w"], types: ["public.text"], tags: ["t"], since: 0, before: 1e9, limit: 10)
            return [
                try FrameSample(of: search), try FrameSample(of: ListFolderCall(place: place, position: 1)),
                try FrameSample(of: DescribeItemCall(place: place)),
                try FrameSample(of: DownloadItemCall(place: place)),
                try FrameSample(of: EvictItemCall(place: place)), try FrameSample(of: KeepItemCall(place: place)),
                try FrameSample(of: ListActionsCall(place: place)),
                try FrameSample(of: PerformActionCall(place: place, action: "a")),
                try FrameSample(of: TrashItemCall(place: place)),
                try FrameSample(of: FindAlertsCall(.move, items: [place], destination: place, name: "n")),
                try FrameSample(of: ListAlertsCall(domain: "d")),
                try FrameSample(of: SuppressAlertCall(domain: "d", identifier: "i", isSuppressed: true)),
            ]
        }
    }
}
