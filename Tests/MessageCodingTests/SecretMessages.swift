import Secrets

extension Recorded {
    /// The messages about stored passwords.
    static let secrets: [Recorded] = [
        Recorded(
            AddSecretCall(
                itemClass: .genericPassword,
                attributes: [.account: .text("a"), .label: .bytes([1, 2]), .service: .text("")], value: secret),
            "bf006467656e700183bf00646163637401bf006161ffffbf00646c61626c01bf01420102ffffbf006473766365"
                + "01bf0060ffff024201ffff"),
        Recorded(
            AddSecretCall(
                itemClass: .internetPassword, attributes: [.port: .number(443), .isInvisible: .flag(true)], value: nil),
            "bf0064696e65740182bf0064696e766901bf03f5ffffbf0064706f727401bf021901bbffffff"),
        Recorded(
            FindSecretsCall(search: SecretSearch(itemClass: .genericPassword), limit: nil, wantsValues: false),
            "bf00bf006467656e7001800200ff02f4ff"),
        Recorded(
            FindSecretsCall(
                search: SecretSearch(
                    itemClass: nil, attributes: [.group: .text("g")], synchronized: .any, reference: identifier,
                    created: 1.5, modified: 2.5), limit: 300, wantsValues: true),
            "bf00bf0181bf00646167727001bf006167ffff020203500102030405060708090a0b0c0d0e0fff04f93e0005f9"
                + "4100ff0119012c02f5ff"),
        Recorded(
            FindSecretsCall.Reply(items: [
                SecretItem(
                    itemClass: .genericPassword, attributes: [.group: .text("g")], reference: identifier, created: 1.5,
                    modified: 2.5, value: secret)
            ]),
            "bf0081bf006467656e700181bf00646167727001bf006167ffff02500102030405060708090a0b0c0d0e0fff03"
                + "f93e0004f94100054201ffffff"),
        Recorded(FindSecretsCall.Reply(items: []), "bf0080ff"),
        Recorded(
            SecretItem(
                itemClass: .internetPassword, attributes: [:], reference: identifier, created: 0, modified: 0,
                value: nil), "bf0064696e6574018002500102030405060708090a0b0c0d0e0fff03f9000004f90000ff"),
        Recorded(
            UpdateSecretsCall(
                search: SecretSearch(itemClass: .genericPassword), attributes: [.comment: .text("c")], value: secret),
            "bf00bf006467656e7001800200ff0181bf006469636d7401bf006163ffff024201ffff"),
        Recorded(
            UpdateSecretsCall(search: SecretSearch(itemClass: .genericPassword), attributes: [:], value: nil),
            "bf00bf006467656e7001800200ff0180ff"),
        Recorded(
            RemoveSecretsCall(search: SecretSearch(itemClass: nil, reference: identifier)),
            "bf00bf0180020003500102030405060708090a0b0c0d0e0fffffff"),
        Recorded(FindKeyCall(store: "s", identifier: "i"), "bf006173016169ff"),
        Recorded(FindKeyCall(store: "", identifier: nil), "bf0060ff"),
        Recorded(FindKeyCall.Reply(key: secret), "bf004201ffff"),
        Recorded(FindKeyCall.Reply(key: nil), "bfff"),
        Recorded(StoreKeyCall(store: "s", identifier: "i", key: secret), "bf006173016169024201ffff"),
        Recorded(RemoveKeyCall(store: "s", identifier: "i"), "bf006173016169ff"),
        Recorded(CheckKeyringCall(), "bfff"),
        Recorded(UnlockKeyringCall(store: "s"), "bf006173ff"),
        Recorded(KeyringChangedNotice(), "bfff"),
    ]
}
