// swift-tools-version: 6.2
import PackageDescription

/// The flags of Documentation/Programs.md, for sources that were written for Apple's platforms and are not edited.
let flags = ["Purvey", "OSLog"].flatMap { ["-Xfrontend", "-import-module", "-Xfrontend", $0] }

func products(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "Purvey") }
}

func unmodified(_ name: String, _ mode: SwiftLanguageMode) -> Target {
    .executableTarget(
        name: name, dependencies: products("Purvey", "OSLog"),
        swiftSettings: [.swiftLanguageMode(mode), .unsafeFlags(flags)])
}

// A package like a client's: it can use only the products of Purvey. Scripts/check-client builds and runs it.
let package = Package(
    name: "ClientPackage",
    dependencies: [.package(name: "Purvey", path: "../..")],
    targets: [
        unmodified("Unmodified", .v6),
        unmodified("UnmodifiedSwift5", .v5),
        .executableTarget(
            name: "Importing",
            dependencies: products(
                "CoreTransferable", "ItemProvider", "MobileCoreServices", "OSLog", "Purvey", "UniformTypeIdentifiers")),
        // This target uses only the product for logging.
        .executableTarget(
            name: "Logging", dependencies: products("OSLog"),
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]),
        .executableTarget(
            name: "LoggingSwift5", dependencies: products("OSLog"), swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "Greeting", dependencies: products("Fuse")),
    ])
