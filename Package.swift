// swift-tools-version: 6.2
import PackageDescription

/// The language settings of all targets except those that stand for clients' code: Swift 6, warnings are errors, and
/// files import the modules that they use.
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The settings of libraries and programs. They do not link FoundationNetworking, which loads libcurl and 28 other
/// libraries and triples the time in the dynamic loader. FileProvider refers to it weakly; a program that uses
/// URLSessionTask links it.
let settings =
    language + [
        .unsafeFlags(["-Xfrontend", "-disable-autolink-library", "-Xfrontend", "FoundationNetworking"])
    ]

/// The setting of targets that are not optimized in a release build either.
let notOptimized = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))

/// The settings of tests. Tests are not optimized, which makes the build much faster. The code under test is.
let testSettings = language + [notOptimized]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: testSettings)
}

/// Returns the flags that import the modules that come with Foundation and UIKit on Apple's platforms.
func implicitImports(_ modules: String...) -> SwiftSetting {
    .unsafeFlags(modules.flatMap { ["-Xfrontend", "-import-module", "-Xfrontend", $0] })
}

/// Whether all cases of the tests run: see Tests/FileTesting/TestSample.swift.
let isWhole = Context.environment["PURVEY_TESTS"] == "full"

/// Returns a target of programs as written for Apple's platforms. In a release build, Swift 5 mode is optimized and
/// Swift 6 mode is not, because the results of their casts and lifetimes must not depend on optimization. The largest
/// of them is optimized in `make test-full` only: that takes a minute of a processor.
func compatibilityTests(
    _ name: String, path: String, exclude: [String] = [], packageAccess: Bool = true, _ mode: SwiftLanguageMode
) -> Target {
    let isOptimized = if case .v5 = mode { isWhole || path != "Tests/SourceCompatibility" } else { false }
    let optimization = isOptimized ? [] : [notOptimized]
    return .testTarget(
        name: name, dependencies: ["OSLog", "Purvey", "os"], path: path, exclude: exclude, packageAccess: packageAccess,
        swiftSettings: [.swiftLanguageMode(mode), implicitImports("Purvey", "OSLog")] + optimization)
}

/// Returns a process for tests of pasteboards and drags, with a model class written for Apple's platforms.
func pasteboardPeer(_ name: String, _ mode: SwiftLanguageMode) -> Target {
    .executableTarget(
        name: name, dependencies: ["Purvey"], path: "Tests/\(name)",
        swiftSettings: [.swiftLanguageMode(mode), implicitImports("Purvey")])
}

let package = Package(
    name: "Purvey",
    products: [
        .library(name: "Purvey", targets: ["Purvey"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        .library(name: "MobileCoreServices", targets: ["MobileCoreServices"]),
        .library(name: "ItemProvider", targets: ["ItemProvider"]),
        .library(name: "CoreTransferable", targets: ["CoreTransferable"]),
        .library(name: "FileProvider", targets: ["FileProvider"]),
        // Exchange is found at run time. Without it, programs would reach no store.
        .library(name: "Security", targets: ["Security", "Exchange"]),
        .library(name: "FileProviderUI", targets: ["FileProviderUI"]),
        .library(name: "DocumentPicker", targets: ["DocumentPicker"]),
        // Separate from FileProviderUI and Purvey, so that only programs with windows load GTK.
        .library(name: "FileProviderGTK", targets: ["FileProviderGTK"]),
        // Both targets, because programs import the one and log with the other.
        .library(name: "OSLog", targets: ["OSLog", "os"]),
        // For custom file systems in Swift. Both targets, because LinuxSystem has the descriptors and error numbers.
        .library(name: "Fuse", targets: ["Fuse", "LinuxSystem"]),
        .executable(name: "purveyd", targets: ["PurveyDaemon"]),
        .executable(name: "purvey", targets: ["PurveyCommand"]),
        .executable(name: "purvey-keeper", targets: ["PurveyKeeper"]),
        .executable(name: "purvey-bus", targets: ["PurveyBus"]),
        .executable(name: "purvey-files", targets: ["PurveyFiles"]),
        .executable(name: "purvey-passthrough", targets: ["PurveyPassthrough"]),
        .executable(name: "purvey-pictures", targets: ["PurveyPictures"]),
        .executable(name: "purvey-benchmark", targets: ["PurveyBenchmark"]),
        .executable(name: "purvey-demo", targets: ["PurveyDemo"]),
        .executable(name: "purvey-faults", targets: ["PurveyFaults"]),
        .executable(name: "hand-off", targets: ["HandOff"]),
        .executable(name: "mirror", targets: ["Mirror"]),
        .executable(name: "logbook", targets: ["Logbook"]),
    ],
    targets: [
        // Floor 0: system calls and system libraries.
        .target(name: "CLinux"),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        // Apart from CLinux: programs of clients link that, and confine nothing.
        .target(name: "CSandbox", dependencies: ["CSeccomp"]),
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        // Without pkgConfig, as SwiftPM would warn in each client's build about the flags of gtk4 or about a missing
        // library. The directory has links to headers. It is hidden because SwiftPM warns about dangling links.
        .target(name: "CGTK", dependencies: ["CGLib"], publicHeadersPath: ".headers"),
        .target(name: "CAdwaita", dependencies: ["CGTK"], publicHeadersPath: ".headers"),
        // By the name of GObject, as SwiftPM does not know all flags of gio-2.0. Both have their headers in the same
        // directory.
        .systemLibrary(name: "CGIO", pkgConfig: "gobject-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .target(name: "CFuse"),
        .target(name: "CRuntimeSupport"),
        // The submodule of `os` below.
        .target(name: "COSLog"),
        .target(name: "CAuthentication", dependencies: ["CGLib"]),
        // libcurl, and the check of certificates by OpenSSL, which libcurl leaves to its clients.
        .target(
            name: "CCurl",
            linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // Authenticated encryption by OpenSSL.
        .target(name: "CSealing", linkerSettings: [.linkedLibrary("crypto")]),
        // For libvips, which is loaded on first use. Its headers include those of GLib.
        .target(name: "CImages", dependencies: ["CGLib"]),
        // Foundation, and its parts that are missing on Linux. Every public module exports it, as Apple's frameworks
        // do.
        library("FoundationAdditions"),
        // On the same floor as the system calls, because every floor above reads untrusted property lists.
        library("PropertyLists"),

        // Floor 1
        library("LinuxSystem", ["CLinux"]),
        library("UniformTypeIdentifiers", ["FoundationAdditions", "PropertyLists"]),
        library("OSLog", ["COSLog", "FoundationAdditions"]),
        // Has the module name that programs import.
        library("os", ["COSLog", "OSLog"]),
        library("XMLStream", ["CExpat"]),
        // The values that rows of an index, rules and messages about items share.
        library("ItemValues", ["PropertyLists"]),
        library("SQLite", ["CSQLite"]),

        // Floor 2
        library("DataDetection", ["FoundationAdditions"]),
        library("MobileCoreServices", ["FoundationAdditions", "UniformTypeIdentifiers"]),
        library("Conduit", ["CRuntimeSupport", "LinuxSystem"]),
        library("Fuse", ["CFuse", "CLinux", "LinuxSystem"]),
        library("HTTPTransport", ["CCurl", "LinuxSystem"]),
        library("ItemStore", ["CSQLite", "ItemValues", "LinuxSystem", "UniformTypeIdentifiers"]),
        library("MountTakeover", ["CLinux", "LinuxSystem"]),
        library("ProgramManuals", ["LinuxSystem"]),
        library("Sandbox", ["CSandbox", "LinuxSystem"]),
        library("ZipArchive", ["CDeflate", "CZlib", "LinuxSystem"]),

        // Floor 3
        library("WebDAVClient", ["HTTPTransport", "XMLStream"]),
        library(
            "FileCoordination",
            [
                "CAuthentication", "CRuntimeSupport", "Conduit", "FoundationAdditions", "LinuxSystem", "OSLog",
                "PropertyLists", "UniformTypeIdentifiers", "ZipArchive",
            ]),
        library("Images", ["CDeflate", "CImages", "FoundationAdditions", "UniformTypeIdentifiers"]),
        library("Secrets", ["Conduit", "LinuxSystem"]),

        // The messages between the daemon and a provider's process.
        library("FileProviderWire", ["Conduit", "ItemValues", "LinuxSystem"]),

        // Floor 4
        library("NextcloudClient", ["HTTPTransport", "LinuxSystem", "WebDAVClient", "XMLStream"]),
        // The messages between the daemon and its clients about domains.
        library("DomainMessages", ["Conduit", "FileProviderWire", "ItemValues", "LinuxSystem"]),
        library(
            "ItemProvider",
            [
                "Conduit", "FileCoordination", "FoundationAdditions", "Images", "LinuxSystem", "PropertyLists",
                "UniformTypeIdentifiers", "ZipArchive",
            ]),
        library("SecretStorage", ["CSealing", "Conduit", "LinuxSystem", "Secrets"]),
        library("Security", ["FoundationAdditions", "Secrets"]),

        // Floor 5
        library(
            "CoreTransferable", ["FoundationAdditions", "ItemProvider", "LinuxSystem", "UniformTypeIdentifiers"]),
        library(
            "AppExtension",
            [
                "CRuntimeSupport", "Conduit", "FileCoordination", "FoundationAdditions", "ItemProvider", "ItemValues",
                "LinuxSystem", "ProgramManuals", "PropertyLists", "UniformTypeIdentifiers",
            ]),
        library(
            "DragAndDrop",
            [
                "CRuntimeSupport", "DataDetection", "FileCoordination", "FoundationAdditions", "Images", "ItemProvider",
                "LinuxSystem",
                "UniformTypeIdentifiers",
            ]),

        // Floor 6
        library(
            "FileProvider",
            [
                "AppExtension", "CRuntimeSupport", "Conduit", "CoreTransferable", "DomainMessages",
                "FileCoordination", "FileProviderWire", "FoundationAdditions", "ItemProvider", "ItemValues",
                "LinuxSystem", "MobileCoreServices", "PropertyLists", "Secrets", "UniformTypeIdentifiers",
            ]),

        // Floor 7
        library(
            "FileProviderUI",
            [
                "AppExtension", "Conduit", "FileProvider", "FileProviderWire", "FoundationAdditions", "ItemProvider",
                "LinuxSystem",
            ]),
        // Document pickers as in UIKit and AppKit. They start purvey-files, so that only that program loads GTK.
        library(
            "DocumentPicker",
            [
                "Conduit", "Exchange", "FileCoordination", "FileProvider", "FileProviderUI", "FoundationAdditions",
                "LinuxSystem", "OSLog", "UniformTypeIdentifiers",
            ]),
        library(
            "Exchange",
            [
                "AppExtension", "Conduit", "DragAndDrop", "ItemProvider", "LinuxSystem", "PropertyLists", "Secrets",
                "UniformTypeIdentifiers",
            ]),
        // The common part of the file providers for WebDAV and Nextcloud.
        library(
            "DAVFileProvider",
            [
                "FileProvider", "FoundationAdditions", "HTTPTransport", "LinuxSystem", "OSLog", "SQLite", "Security",
                "UniformTypeIdentifiers", "WebDAVClient", "XMLStream",
            ]),
        library("CoordinationService", ["CRuntimeSupport", "Conduit", "FileCoordination", "LinuxSystem", "OSLog"]),
        library(
            "ExtensionHost",
            [
                "AppExtension", "CRuntimeSupport", "Conduit", "FileCoordination", "FileProvider", "FileProviderWire",
                "ItemProvider", "LinuxSystem", "PropertyLists", "Sandbox", "UniformTypeIdentifiers",
            ]),

        // Floors 8 and 9
        library("FileProviderGTK", ["CGTK", "FileProviderUI"]),
        library(
            "FileProviderEngine",
            [
                "AppExtension", "Conduit", "DomainMessages", "ExtensionHost", "FileProvider", "FileProviderWire",
                "ItemStore", "ItemValues", "LinuxSystem",
            ]),
        library(
            "CloudMount",
            [
                "CGLib", "CLinux", "ExtensionHost", "FileProviderEngine", "FileProviderWire", "Fuse", "ItemStore",
                "ItemValues", "LinuxSystem", "MountTakeover", "UniformTypeIdentifiers",
            ]),

        // The public modules of floors 1 to 7, in one import.
        library(
            "Purvey",
            [
                "AppExtension", "CoordinationService", "CoreTransferable", "DocumentPicker", "DragAndDrop", "Exchange",
                "FileCoordination", "FileProvider", "FileProviderUI", "FoundationAdditions", "Images", "ItemProvider",
                "MobileCoreServices", "Security", "UniformTypeIdentifiers",
            ]),

        // The model of the file browser, without a toolkit.
        library(
            "FileBrowser",
            [
                "AppExtension", "CLinux", "Conduit", "DocumentPicker", "DomainMessages", "Exchange", "ExtensionHost",
                "FileProvider", "FileProviderUI", "FileProviderWire", "ItemProvider", "ItemValues", "LinuxSystem",
                "UniformTypeIdentifiers",
            ]),

        // Floor 10: programs.
        program(
            "PurveyDaemon",
            [
                "AppExtension", "CLinux", "CloudMount", "Conduit", "CoordinationService", "DomainMessages",
                "Exchange", "ExtensionHost", "FileProvider", "FileProviderEngine", "FileProviderWire", "ItemStore",
                "ItemValues", "LinuxSystem", "MountTakeover", "ProgramManuals", "PropertyLists", "Sandbox",
                "SecretStorage", "Secrets",
            ]),
        program(
            "PurveyCommand",
            [
                "AppExtension", "CLinux", "Conduit", "CoordinationService", "DomainMessages", "Exchange",
                "ExtensionHost", "FileCoordination", "FileProvider", "FileProviderUI", "FileProviderWire",
                "ItemProvider", "ItemValues", "LinuxSystem", "ProgramManuals", "Sandbox", "UniformTypeIdentifiers",
            ]),
        .executableTarget(
            name: "PurveyBenchmark",
            dependencies: [
                "AppExtension", "CLinux", "Conduit", "CoordinationService", "Exchange", "ExtensionHost",
                "FileCoordination", "FileProvider", "FileProviderEngine", "FileProviderWire", "HTTPTransport",
                "Images", "ItemProvider",
                "ItemStore", "ItemValues", "LinuxSystem", "ProgramManuals", "UniformTypeIdentifiers", "ZipArchive",
            ],
            path: "Benchmarks", swiftSettings: settings),
        program("PurveyKeeper", ["Fuse", "LinuxSystem", "MountTakeover", "ProgramManuals"]),
        program(
            "PurveyBus",
            ["CGIO", "Conduit", "DomainMessages", "ItemValues", "LinuxSystem", "ProgramManuals", "Secrets"]),
        program(
            "PurveyFiles",
            [
                "CAdwaita", "Conduit", "DocumentPicker", "DomainMessages", "Exchange", "FileBrowser", "FileProvider",
                "FileProviderGTK", "FileProviderUI", "FileProviderWire", "ItemValues", "LinuxSystem", "ProgramManuals",
            ]),
        program("PurveyPassthrough", ["CFuse", "CLinux", "Fuse", "LinuxSystem", "ProgramManuals"]),
        program("PurveyPictures", ["Conduit", "FileProviderWire", "Images", "LinuxSystem", "ProgramManuals"]),
        .executableTarget(
            name: "PurveyDemo",
            dependencies: ["Exchange", "ItemProvider", "LinuxSystem", "ProgramManuals", "UniformTypeIdentifiers"],
            path: "Examples/Demo", swiftSettings: settings),

        // The programs that Documentation/Programs.md shows.
        .executableTarget(
            name: "HandOff", dependencies: ["LinuxSystem", "Purvey"], path: "Examples/HandOff", swiftSettings: settings),
        .executableTarget(
            name: "Logbook", dependencies: ["LinuxSystem", "Purvey"], path: "Examples/Logbook", swiftSettings: settings),

        // A custom file system that uses only the public interface of the library.
        .executableTarget(
            name: "Mirror", dependencies: ["Fuse", "LinuxSystem"], path: "Examples/Mirror", exclude: ["README.md"],
            packageAccess: false, swiftSettings: settings),

        // Two extensions, written like existing extensions. Scripts/assemble-extension makes their bundles.
        .executableTarget(
            name: "ThumbnailAction", dependencies: ["Purvey"], path: "Examples/ThumbnailAction",
            exclude: ["Info.plist", "README.md"], swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "FileAway", dependencies: ["Purvey"], path: "Examples/FileAway",
            exclude: ["Info.plist", "README.md"], swiftSettings: [.swiftLanguageMode(.v5)]),

        // A user interface for the shipped file provider.
        .executableTarget(
            name: "NewNote", dependencies: ["FileProviderGTK", "Purvey"], path: "Examples/NewNote",
            exclude: ["Info.plist", "README.md"], swiftSettings: [.swiftLanguageMode(.v5)]),

        // The shipped file provider. Scripts/assemble-extension makes its bundle.
        .executableTarget(
            name: "LocalFolder",
            // CoordinationService is found at run time. Without it, coordination would be limited to this process.
            dependencies: [
                "AppExtension", "CLinux", "CoordinationService", "FileProvider", "FileProviderWire", "Images",
                "ItemValues", "LinuxSystem", "SQLite", "UniformTypeIdentifiers",
            ],
            path: "Providers/LocalFolder", exclude: ["Info.plist", "README.md"], swiftSettings: settings),

        // The file provider for WebDAV servers.
        .executableTarget(
            name: "WebDAV", dependencies: ["AppExtension", "DAVFileProvider"], path: "Providers/WebDAV",
            exclude: ["Info.plist", "README.md"], swiftSettings: settings),

        // The file provider for Nextcloud servers.
        .executableTarget(
            name: "Nextcloud",
            dependencies: [
                "AppExtension", "DAVFileProvider", "FileProvider", "FoundationAdditions", "HTTPTransport",
                "LinuxSystem", "NextcloudClient", "UniformTypeIdentifiers", "WebDAVClient", "XMLStream",
            ],
            path: "Providers/Nextcloud", exclude: ["Info.plist", "README.md"], swiftSettings: settings),

        // Threads for tests that block.
        .target(
            name: "TestThreads", dependencies: ["LinuxSystem"], path: "Tests/TestThreads", swiftSettings: settings),

        // Functions that run programs in tests.
        .target(
            name: "ProgramTesting", dependencies: ["LinuxSystem"], path: "Tests/ProgramTesting",
            swiftSettings: settings),

        // Common functions for tests of files.
        .target(
            name: "FileTesting", dependencies: ["CLinux", "LinuxSystem", "ProgramTesting"], path: "Tests/FileTesting",
            swiftSettings: settings),
        tests("ProgramManualsTests", ["ProgramManuals"]),
        tests("MountTakeoverTests", ["FileTesting", "LinuxSystem", "MountTakeover"]),
        .executableTarget(
            name: "SandboxPeer", dependencies: ["LinuxSystem", "Sandbox"], path: "Tests/SandboxPeer",
            swiftSettings: settings),
        tests(
            "SandboxTests",
            ["CSandbox", "FileTesting", "LinuxSystem", "ProgramTesting", "Sandbox", "SandboxPeer", "TestThreads"]),
        tests("LinuxSystemTests", ["CLinux", "FileTesting", "LinuxSystem", "TestThreads"]),
        tests(
            "FoundationAdditionsTests", ["FileProvider", "FoundationAdditions", "OSLog", "UniformTypeIdentifiers"]),
        tests("UniformTypeIdentifiersTests", ["FileTesting", "ProgramTesting", "UniformTypeIdentifiers"]),
        tests("MobileCoreServicesTests", ["MobileCoreServices", "UniformTypeIdentifiers"]),
        .target(
            name: "ConduitTestMessages", dependencies: ["Conduit", "LinuxSystem"], path: "Tests/ConduitTestMessages",
            swiftSettings: settings),
        .executableTarget(
            name: "ConduitPeer", dependencies: ["Conduit", "ConduitTestMessages", "LinuxSystem"],
            path: "Tests/ConduitPeer", swiftSettings: settings),
        tests(
            "ConduitTests",
            [
                "Conduit", "ConduitPeer", "ConduitTestMessages", "FileTesting", "LinuxSystem", "ProgramTesting",
                "TestThreads",
            ]),
        .executableTarget(
            name: "SecretsPeer", dependencies: ["LinuxSystem", "SecretStorage", "Secrets"], path: "Tests/SecretsPeer",
            swiftSettings: settings),
        tests(
            "SecurityTests",
            [
                "Conduit", "DaemonTesting", "FileTesting", "LinuxSystem", "ProgramTesting", "SecretStorage", "Secrets",
                "SecretsPeer", "Security",
            ]),
        tests("XMLStreamTests", ["XMLStream"]),
        tests(
            "HTTPTransportTests", ["FileTesting", "HTTPTransport", "LinuxSystem", "ProgramTesting", "XMLStream"],
            exclude: ["Support/server.py"]),
        // The servers of Tests/CloudServers.
        .target(
            name: "CloudTesting",
            dependencies: ["FileTesting", "HTTPTransport", "LinuxSystem", "ProgramTesting", "WebDAVClient"],
            path: "Tests/CloudTesting", swiftSettings: settings),
        tests(
            "WebDAVClientTests",
            [
                "CloudTesting", "FileTesting", "HTTPTransport", "LinuxSystem", "ProgramTesting", "WebDAVClient",
                "XMLStream",
            ],
            exclude: ["Support/server.py"]),
        // The Nextcloud of Tests/CloudServers.
        .target(
            name: "NextcloudTesting",
            dependencies: [
                "CloudTesting", "FileTesting", "HTTPTransport", "LinuxSystem", "NextcloudClient", "ProgramTesting",
                "WebDAVClient",
            ],
            path: "Tests/NextcloudTesting", swiftSettings: settings),
        tests(
            "NextcloudClientTests",
            [
                "CloudTesting", "FileTesting", "HTTPTransport", "LinuxSystem", "NextcloudClient", "NextcloudTesting",
                "WebDAVClient",
            ]),
        tests(
            "CloudDomainTests",
            [
                "CloudTesting", "DaemonTesting", "Exchange", "FileTesting", "HTTPTransport", "LinuxSystem", "Nextcloud",
                "NextcloudTesting", "ProgramTesting",
            ], exclude: ["Support/forward-proxy.py"]),
        tests(
            "NextcloudTests",
            [
                "CloudTesting", "DAVFileProvider", "FileProvider", "FileTesting", "FoundationAdditions",
                "HTTPTransport", "LinuxSystem", "Nextcloud", "NextcloudClient", "NextcloudTesting", "ProgramTesting",
                "UniformTypeIdentifiers", "WebDAVClient",
            ]),
        tests(
            "DAVFileProviderTests",
            [
                "CloudTesting", "DAVFileProvider", "FileProvider", "FileTesting", "HTTPTransport", "LinuxSystem",
                "SecretStorage", "Secrets", "UniformTypeIdentifiers", "WebDAVClient", "XMLStream",
            ]),
        tests("ZipArchiveTests", ["FileTesting", "LinuxSystem", "ProgramTesting", "TestThreads", "ZipArchive"]),
        tests(
            "ItemProviderTests",
            ["FileCoordination", "Images", "ItemProvider", "LinuxSystem", "ProgramTesting", "UniformTypeIdentifiers"]),
        tests(
            "PropertyListsTests",
            ["AppExtension", "Exchange", "FileCoordination", "PropertyLists", "TestThreads"]),
        .executableTarget(
            name: "BookmarkPeer", dependencies: ["FileCoordination"], path: "Tests/BookmarkPeer",
            swiftSettings: settings),
        // Separate from the tests, because it is optimized.
        .target(
            name: "ArbitrationTesting", dependencies: ["FileCoordination", "FileTesting"],
            path: "Tests/ArbitrationTesting",
            swiftSettings: settings),
        tests(
            "FileCoordinationTests",
            [
                "ArbitrationTesting", "BookmarkPeer", "FileCoordination", "FileTesting", "LinuxSystem",
                "ProgramTesting", "TestThreads",
            ]),
        // The bytes of messages, as earlier versions send and read them.
        tests(
            "MessageCodingTests",
            [
                "AppExtension", "Conduit", "CoordinationService", "DomainMessages", "Exchange", "ExtensionHost",
                "FileCoordination", "FileProvider", "FileProviderUI", "FileProviderWire", "ItemProvider",
                "ItemValues", "LinuxSystem", "Secrets",
            ]),
        // Tests that run in a debug build as well as in a release build. See Tests/both-configurations.txt.
        tests("ConfigurationTests", ["Conduit", "FileCoordination", "FileTesting", "LinuxSystem", "TestThreads"]),
        .executableTarget(
            name: "CoordinationPeer",
            dependencies: ["CoordinationService", "Exchange", "FileCoordination", "ItemProvider", "LinuxSystem"],
            path: "Tests/CoordinationPeer", swiftSettings: settings),
        tests(
            "CoordinationServiceTests",
            [
                "AppExtension", "BookmarkExtension", "BookmarkPeer", "Conduit", "CoordinationPeer",
                "CoordinationService", "Exchange", "ExtensionHost", "ExtensionPeer", "FileCoordination", "FileTesting",
                "ItemProvider", "LinuxSystem", "ProgramTesting", "TestThreads",
            ]),
        tests("ImagesTests", ["Images", "UniformTypeIdentifiers"]),
        tests("CoreTransferableTests", ["CoreTransferable", "ItemProvider", "UniformTypeIdentifiers"]),
        .executableTarget(
            name: "ExtensionPeer", dependencies: ["AppExtension", "CoordinationService", "ItemProvider"],
            path: "Tests/ExtensionPeer", swiftSettings: settings),
        tests(
            "AppExtensionTests",
            ["AppExtension", "ExtensionPeer", "FoundationAdditions", "ItemProvider", "ItemValues", "LinuxSystem"]),
        tests(
            "DragAndDropTests",
            ["DataDetection", "DragAndDrop", "FileCoordination", "Images", "ItemProvider", "UniformTypeIdentifiers"]),
        .executableTarget(
            name: "UnrulyExtension", dependencies: ["CRuntimeSupport"], path: "Tests/UnrulyExtension",
            swiftSettings: settings),
        .executableTarget(
            name: "BookmarkExtension", dependencies: ["CoordinationService", "FileCoordination", "LinuxSystem"],
            path: "Tests/BookmarkExtension", swiftSettings: settings),
        tests(
            "ExtensionHostTests",
            [
                "AppExtension", "BookmarkExtension", "Conduit", "ExtensionHost", "FileCoordination", "FileTesting",
                "Images", "ItemProvider", "LinuxSystem", "ProgramTesting", "Sandbox", "UnrulyExtension",
            ]),
        tests(
            "ExchangeTests",
            [
                "Conduit", "CoreTransferable", "Exchange", "ExchangePeer", "Images", "ItemProvider", "LinuxSystem",
                "PasteboardPeer", "PasteboardPeerSwift5", "UniformTypeIdentifiers",
            ]),
        .executableTarget(
            name: "ExchangePeer",
            dependencies: ["CoreTransferable", "Exchange", "Images", "ItemProvider", "LinuxSystem"],
            path: "Tests/ExchangePeer",
            swiftSettings: settings),
        pasteboardPeer("PasteboardPeer", .v6),
        pasteboardPeer("PasteboardPeerSwift5", .v5),
        // A file system in memory, for tests of `Fuse` and for processes that are killed.
        .target(
            name: "FuseTesting", dependencies: ["CLinux", "FileTesting", "Fuse", "LinuxSystem"],
            path: "Tests/FuseTesting", swiftSettings: settings),
        .executableTarget(
            name: "FusePeer", dependencies: ["Fuse", "FuseTesting", "LinuxSystem"], path: "Tests/FusePeer",
            swiftSettings: settings),
        tests(
            "FuseTests",
            [
                "CFuse", "CLinux", "FileTesting", "Fuse", "FusePeer", "FuseTesting", "LinuxSystem", "Mirror",
                "PurveyPassthrough", "TestThreads",
            ]),
        tests(
            "FileProviderTests",
            [
                "AppExtension", "DomainMessages", "FileProvider", "FileProviderWire", "FileTesting", "ItemProvider",
                "ItemValues", "LinuxSystem", "UniformTypeIdentifiers",
            ]),
        tests("ItemStoreTests", ["FileTesting", "ItemStore", "ItemValues", "LinuxSystem", "TestThreads"]),
        tests(
            "FileProviderUITests",
            ["AppExtension", "FileProvider", "FileProviderUI", "FileProviderWire", "LinuxSystem"]),
        // A provider for tests of the engine and of mounts.
        .target(
            name: "ProviderTesting",
            dependencies: ["FileProvider", "FileProviderEngine", "FileProviderWire", "ItemValues", "LinuxSystem"],
            path: "Tests/ProviderTesting", swiftSettings: settings),
        tests(
            "FileProviderEngineTests",
            [
                "AppExtension", "DomainMessages", "FileProvider", "FileProviderEngine", "FileProviderWire",
                "FileTesting", "ItemStore", "ItemValues", "LinuxSystem", "ProviderTesting", "TestThreads",
            ]),
        .executableTarget(name: "MappingPeer", path: "Tests/MappingPeer", swiftSettings: settings),
        tests(
            "CloudMountTests",
            [
                "CLinux", "CloudMount", "ExtensionHost", "FileProvider", "FileProviderEngine", "FileProviderWire",
                "FileTesting", "Fuse", "FuseTesting", "ItemStore", "ItemValues", "LinuxSystem", "MappingPeer",
                "MountTakeover", "ProgramTesting", "ProviderTesting", "TestThreads",
            ]),
        // A file provider in a process of its own, which behaves or misbehaves as the requested name says.
        .executableTarget(
            name: "ProviderPeer",
            dependencies: ["AppExtension", "FileProvider", "LinuxSystem", "UniformTypeIdentifiers"],
            path: "Tests/ProviderPeer", swiftSettings: [.swiftLanguageMode(.v5)]),
        tests(
            "FileProviderRuntimeTests",
            [
                "AppExtension", "Conduit", "DomainMessages", "ExtensionHost", "FileProvider", "FileProviderEngine",
                "FileProviderWire", "ItemValues", "LinuxSystem", "ProgramTesting", "ProviderPeer", "Sandbox",
                "TestThreads",
            ]),
        // A service in a process of its own, which tests control, and the file provider that serves it.
        .target(
            name: "ScriptableService", dependencies: ["ItemValues", "LinuxSystem"], path: "Tests/ScriptableService",
            swiftSettings: settings),
        .executableTarget(
            name: "ScriptableProvider",
            dependencies: [
                "AppExtension", "FileProvider", "FileProviderUI", "ItemValues", "LinuxSystem", "ScriptableService",
                "UniformTypeIdentifiers",
            ],
            path: "Tests/ScriptableProvider", swiftSettings: language),
        tests(
            "ScriptableProviderTests",
            [
                "AppExtension", "ExtensionHost", "FileProvider", "FileProviderEngine", "FileProviderWire",
                "FileTesting", "ItemStore", "ItemValues", "LinuxSystem", "ProgramTesting", "ScriptableProvider",
                "ScriptableService", "TestThreads",
            ]),
        // A file provider whose set-up does what the domain's settings say. It is also an app with stored passwords:
        // Exchange is found at run time.
        .executableTarget(
            name: "SetUpProvider", dependencies: ["AppExtension", "Exchange", "FileProvider", "Security"],
            path: "Tests/SetUpProvider", packageAccess: false, swiftSettings: settings),
        tests(
            "PurveyCommandTests",
            [
                "BookmarkPeer", "CLinux", "Conduit", "DaemonTesting", "DomainMessages", "ExtensionPeer", "FileAway",
                "FileProvider", "FileTesting", "Fuse", "FusePeer", "FuseTesting", "HandOff", "Images", "LinuxSystem",
                "LocalFolder", "Logbook", "MappingPeer", "Mirror", "MountTakeover", "NewNote", "Nextcloud",
                "PickerPeer", "ProgramTesting", "ScriptableProvider", "ScriptableService", "SetUpProvider",
                "ThumbnailAction", "UniformTypeIdentifiers", "WebDAV",
            ]),
        // Helpers for tests of windows: access as for assistive technologies, pixels of displays, and the installed
        // files of `Desktop`.
        .target(
            name: "DesktopTesting", dependencies: ["CGIO", "LinuxSystem", "ProgramTesting"],
            path: "Tests/DesktopTesting", swiftSettings: settings),
        tests(
            "DesktopBusTests",
            [
                "CGIO", "DaemonTesting", "DesktopTesting", "FileTesting", "LinuxSystem", "Nextcloud",
                "NextcloudTesting", "ProgramTesting", "PurveyBus", "ScriptableProvider", "ScriptableService",
                "SetUpProvider", "TestThreads",
            ],
            exclude: ["Services"]),
        // A daemon and a service for tests of the file browser.
        .target(
            name: "BrowserTesting",
            dependencies: ["DaemonTesting", "LinuxSystem", "ProgramTesting", "ScriptableService"],
            path: "Tests/BrowserTesting", swiftSettings: settings),
        tests(
            "FileBrowserTests",
            [
                "BrowserTesting", "Conduit", "DaemonTesting", "DocumentPicker", "DomainMessages", "FileBrowser",
                "FileProvider", "FileProviderUI", "FileProviderWire", "ItemValues", "LinuxSystem", "ScriptableProvider",
                "ScriptableService",
            ]),
        .executableTarget(
            name: "PickerPeer", dependencies: ["Purvey"], path: "Tests/PickerPeer",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        tests("DocumentPickerTests", ["DocumentPicker", "FileTesting"]),
        tests(
            "PurveyFilesTests",
            [
                "BrowserTesting", "DaemonTesting", "DesktopTesting", "FileAway", "FileTesting", "Images", "LinuxSystem",
                "PickerPeer", "ProgramTesting", "ScriptableProvider", "ScriptableService",
            ]),
        // Tests of third-party file managers in mounts.
        tests(
            "FileManagerTests",
            [
                "BrowserTesting", "DaemonTesting", "DesktopTesting", "FileTesting", "LinuxSystem", "ProgramTesting",
                "PurveyBus", "ScriptableProvider", "ScriptableService",
            ]),
        tests("PurveyDemoTests", ["FileTesting", "LinuxSystem", "ProgramTesting"]),
        tests(
            "LocalFolderTests",
            [
                "CLinux", "CSQLite", "FileCoordination", "FileProvider", "FileProviderWire", "FileTesting", "Images",
                "ItemValues", "LinuxSystem", "LocalFolder", "TestThreads",
            ]),
        // A file provider that manages its files itself, and the program that it belongs to.
        .executableTarget(
            name: "VaultProvider",
            dependencies: [
                "AppExtension", "FileCoordination", "FileProvider", "Purvey", "UniformTypeIdentifiers", "VaultService",
            ],
            path: "Tests/VaultProvider", swiftSettings: settings),
        // The interface that these two share.
        .target(
            name: "VaultService", dependencies: ["FileProvider"], path: "Tests/VaultService", packageAccess: false,
            swiftSettings: settings),
        .executableTarget(
            name: "VaultApp", dependencies: ["Purvey", "VaultService"], path: "Tests/VaultApp", swiftSettings: settings),
        tests(
            "FileProviderProgramsTests",
            [
                "AppExtension", "CoordinationService", "DaemonTesting", "DomainMessages", "Exchange", "ExtensionHost",
                "FileProvider", "FileProviderWire", "LinuxSystem", "LocalFolder", "VaultApp", "VaultProvider",
            ]),
        // Real daemons, providers and mounts, killed at every step.
        .target(
            name: "DaemonTesting",
            dependencies: [
                "Conduit", "Exchange", "FileProviderEngine", "FileTesting", "ItemStore", "LinuxSystem",
                "ProgramTesting",
            ],
            path: "Tests/DaemonTesting", swiftSettings: settings),
        tests(
            "KillTests",
            [
                "AppExtension", "Conduit", "DaemonTesting", "DomainMessages", "FileProviderWire", "Exchange",
                "ExtensionHost",
                "FileProvider", "FileProviderEngine", "FileTesting", "LinuxSystem", "LocalFolder", "ProgramTesting",
                "TestThreads",
            ]),
        // Clients, extensions and providers of ill will, against every process that takes connections.
        .target(
            name: "AttackTesting",
            dependencies: ["Conduit", "CoordinationService", "FileCoordination", "FileTesting", "LinuxSystem"],
            path: "Tests/AttackTesting", swiftSettings: settings),
        .executableTarget(
            name: "HostileExtension",
            dependencies: [
                "AttackTesting", "Conduit", "CoordinationService", "FileCoordination", "FileProvider",
                "FileProviderWire", "LinuxSystem",
            ],
            path: "Tests/HostileExtension", swiftSettings: settings),
        tests(
            "AttackTests",
            [
                "AppExtension", "AttackTesting", "Conduit", "CoordinationService", "DaemonTesting", "DomainMessages",
                "Exchange", "ExtensionHost", "FileCoordination", "FileProvider", "FileProviderWire", "FileTesting",
                "Fuse", "FuseTesting", "HostileExtension", "Images", "ItemProvider", "LinuxSystem", "MountTakeover",
                "ProgramTesting", "TestThreads",
            ]),
        // The same with scenarios from a seed, and with a failing service: a library, a program, and tests of it.
        .target(
            name: "FaultHarness",
            dependencies: [
                "CloudTesting", "Conduit", "DaemonTesting", "DomainMessages", "Exchange", "ExtensionHost",
                "FileProvider", "FileProviderEngine", "FileProviderWire", "FileTesting", "ItemStore", "ItemValues",
                "LinuxSystem", "ProgramManuals", "ProgramTesting", "ScriptableService",
            ],
            path: "Tests/FaultHarness", swiftSettings: settings),
        .executableTarget(
            name: "PurveyFaults",
            dependencies: ["FaultHarness", "LinuxSystem", "ProgramManuals"], path: "Tests/PurveyFaults",
            swiftSettings: settings),
        tests(
            "FaultHarnessTests",
            [
                "DaemonTesting", "FaultHarness", "FileTesting", "LinuxSystem", "Nextcloud", "ProgramTesting",
                "PurveyFaults", "ScriptableProvider", "TestThreads", "WebDAV",
            ]),
        // The servers of Tests/CloudServers in a mount.
        tests(
            "CloudAcceptanceTests",
            [
                "CloudTesting", "Conduit", "DaemonTesting", "DomainMessages", "Exchange", "ExtensionHost",
                "FileProviderWire",
                "FileTesting", "LinuxSystem", "Nextcloud", "ProgramTesting", "TestThreads", "WebDAV",
            ]),
        // Programs' work in a mount, with the daemon and the provider in processes of their own.
        .executableTarget(
            name: "FileCheckPeer", dependencies: ["CLinux", "FileTesting", "LinuxSystem"], path: "Tests/FileCheckPeer",
            swiftSettings: settings),
        tests(
            "MountWorkloadTests",
            [
                "CLinux", "FileTesting", "LinuxSystem", "ScriptableProvider", "ScriptableService", "TestThreads",
            ]),
        compatibilityTests(
            "SourceCompatibilitySwift5Tests", path: "Tests/SourceCompatibility", exclude: ["README.md"], .v5),
        compatibilityTests(
            "SourceCompatibilitySwift6Tests", path: "Tests/SourceCompatibilitySwift6", exclude: ["README.md"], .v6),
        // A conformance holds for its whole module, so these have modules of their own. They are outside the
        // package's access, because a conformance is not retroactive within a package.
        compatibilityTests(
            "RetroactiveConformancesSwift5Tests", path: "Tests/RetroactiveConformances", packageAccess: false, .v5),
        compatibilityTests(
            "RetroactiveConformancesSwift6Tests", path: "Tests/RetroactiveConformancesSwift6", packageAccess: false, .v6
        ),
    ],
)

#if arch(arm64)
    let triple = "aarch64-unknown-linux-gnu"
#else
    let triple = "x86_64-unknown-linux-gnu"
#endif

/// The targets that a build is limited to, with their dependencies: PURVEY_TARGETS="PurveyDaemon PurveyCommand".
/// SwiftPM's own --product takes only one product.
let wantedTargets = (Context.environment["PURVEY_TARGETS"] ?? "").split(separator: " ").map(String.init)

/// The settings that index the symbols used by tests and examples, for SwiftPM's discovery of tests and for
/// Scripts/check-declarations. Scripts/build-flags turns the index off for all other targets. PURVEY_SCRATCH_PATH
/// names the scratch path if it is not .build.
let index: [SwiftSetting] = [("debug", .debug), ("release", .release)].map { folder, configuration in
    let scratch = Context.environment["PURVEY_SCRATCH_PATH"] ?? ".build"
    let store = "\(Context.packageDirectory)/\(scratch)/\(triple)/\(folder)/index/store"
    // Without the modules of C and of the toolchain, because indexing those takes much of a test's compile time.
    return .unsafeFlags(
        ["-index-store-path", store, "-index-ignore-clang-modules", "-Xfrontend", "-index-ignore-stdlib"],
        .when(configuration: configuration))
}
for target in package.targets where target.type == .test || target.isBeneath("Tests") || target.isBeneath("Examples") {
    target.swiftSettings = (target.swiftSettings ?? []) + index
}

// Programs and libraries that only tests and demonstrations use are not optimized either. Exceptions are one that
// computes much, and one that stands for clients' programs in Swift 5 mode (see compatibilityTests). The benchmark is
// optimized only if it is built by name.
let optimizedForTests = ["ArbitrationTesting", "PasteboardPeerSwift5"]
let benchmarks = ["PurveyBenchmark"].filter { !wantedTargets.contains($0) }
for target in package.targets where target.type != .test && !optimizedForTests.contains(target.name) {
    if target.isBeneath("Tests") || target.isBeneath("Examples") || benchmarks.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [notOptimized]
    }
}

// The toolchain's linker takes half the time of Debian's.
for target in package.targets where target.type == .executable || target.type == .test {
    target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-use-ld=lld"])]
}

if !wantedTargets.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var (needed, pending) = (Set<String>(), wantedTargets)
    while let name = pending.popLast() {
        if needed.insert(name).inserted { pending += targets[name]?.dependencyNames ?? [] }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let names = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !needed.isSuperset(of: names)
    }
}

extension Target {
    func isBeneath(_ folder: String) -> Bool { path?.hasPrefix(folder + "/") == true }

    var dependencyNames: [String] {
        dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
}
