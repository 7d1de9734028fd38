import Foundation
import MobileCoreServices
import Testing
import UniformTypeIdentifiers

/// Returns every constant of the old interface, with its identifier.
private func constants() -> [(constant: CFString, identifier: String)] {
    [
        (kUTTypeItem, "public.item"),
        (kUTTypeContent, "public.content"),
        (kUTTypeCompositeContent, "public.composite-content"),
        (kUTTypeMessage, "public.message"),
        (kUTTypeContact, "public.contact"),
        (kUTTypeArchive, "public.archive"),
        (kUTTypeDiskImage, "public.disk-image"),
        (kUTTypeData, "public.data"),
        (kUTTypeDirectory, "public.directory"),
        (kUTTypeResolvable, "com.apple.resolvable"),
        (kUTTypeSymLink, "public.symlink"),
        (kUTTypeExecutable, "public.executable"),
        (kUTTypeMountPoint, "com.apple.mount-point"),
        (kUTTypeAliasFile, "com.apple.alias-file"),
        (kUTTypeAliasRecord, "com.apple.alias-record"),
        (kUTTypeURLBookmarkData, "com.apple.bookmark"),
        (kUTTypeURL, "public.url"),
        (kUTTypeFileURL, "public.file-url"),
        (kUTTypeText, "public.text"),
        (kUTTypePlainText, "public.plain-text"),
        (kUTTypeUTF8PlainText, "public.utf8-plain-text"),
        (kUTTypeUTF16ExternalPlainText, "public.utf16-external-plain-text"),
        (kUTTypeUTF16PlainText, "public.utf16-plain-text"),
        (kUTTypeDelimitedText, "public.delimited-values-text"),
        (kUTTypeCommaSeparatedText, "public.comma-separated-values-text"),
        (kUTTypeTabSeparatedText, "public.tab-separated-values-text"),
        (kUTTypeUTF8TabSeparatedText, "public.utf8-tab-separated-values-text"),
        (kUTTypeRTF, "public.rtf"),
        (kUTTypeHTML, "public.html"),
        (kUTTypeXML, "public.xml"),
        (kUTTypeSourceCode, "public.source-code"),
        (kUTTypeAssemblyLanguageSource, "public.assembly-source"),
        (kUTTypeCSource, "public.c-source"),
        (kUTTypeObjectiveCSource, "public.objective-c-source"),
        (kUTTypeSwiftSource, "public.swift-source"),
        (kUTTypeCPlusPlusSource, "public.c-plus-plus-source"),
        (kUTTypeObjectiveCPlusPlusSource, "public.objective-c-plus-plus-source"),
        (kUTTypeCHeader, "public.c-header"),
        (kUTTypeCPlusPlusHeader, "public.c-plus-plus-header"),
        (kUTTypeJavaSource, "com.sun.java-source"),
        (kUTTypeScript, "public.script"),
        (kUTTypeAppleScript, "com.apple.applescript.text"),
        (kUTTypeOSAScript, "com.apple.applescript.script"),
        (kUTTypeOSAScriptBundle, "com.apple.applescript.script-bundle"),
        (kUTTypeJavaScript, "com.netscape.javascript-source"),
        (kUTTypeShellScript, "public.shell-script"),
        (kUTTypePerlScript, "public.perl-script"),
        (kUTTypePythonScript, "public.python-script"),
        (kUTTypeRubyScript, "public.ruby-script"),
        (kUTTypePHPScript, "public.php-script"),
        (kUTTypeJSON, "public.json"),
        (kUTTypePropertyList, "com.apple.property-list"),
        (kUTTypeXMLPropertyList, "com.apple.xml-property-list"),
        (kUTTypeBinaryPropertyList, "com.apple.binary-property-list"),
        (kUTTypePDF, "com.adobe.pdf"),
        (kUTTypeRTFD, "com.apple.rtfd"),
        (kUTTypeFlatRTFD, "com.apple.flat-rtfd"),
        (kUTTypeTXNTextAndMultimediaData, "com.apple.txn.text-multimedia-data"),
        (kUTTypeWebArchive, "com.apple.webarchive"),
        (kUTTypeImage, "public.image"),
        (kUTTypeJPEG, "public.jpeg"),
        (kUTTypeJPEG2000, "public.jpeg-2000"),
        (kUTTypeTIFF, "public.tiff"),
        (kUTTypePICT, "com.apple.pict"),
        (kUTTypeGIF, "com.compuserve.gif"),
        (kUTTypePNG, "public.png"),
        (kUTTypeQuickTimeImage, "com.apple.quicktime-image"),
        (kUTTypeAppleICNS, "com.apple.icns"),
        (kUTTypeBMP, "com.microsoft.bmp"),
        (kUTTypeICO, "com.microsoft.ico"),
        (kUTTypeRawImage, "public.camera-raw-image"),
        (kUTTypeScalableVectorGraphics, "public.svg-image"),
        (kUTTypeLivePhoto, "com.apple.live-photo"),
        (kUTTypeAudiovisualContent, "public.audiovisual-content"),
        (kUTTypeMovie, "public.movie"),
        (kUTTypeVideo, "public.video"),
        (kUTTypeAudio, "public.audio"),
        (kUTTypeQuickTimeMovie, "com.apple.quicktime-movie"),
        (kUTTypeMPEG, "public.mpeg"),
        (kUTTypeMPEG2Video, "public.mpeg-2-video"),
        (kUTTypeMPEG2TransportStream, "public.mpeg-2-transport-stream"),
        (kUTTypeMP3, "public.mp3"),
        (kUTTypeMPEG4, "public.mpeg-4"),
        (kUTTypeMPEG4Audio, "public.mpeg-4-audio"),
        (kUTTypeAppleProtectedMPEG4Audio, "com.apple.protected-mpeg-4-audio"),
        (kUTTypeAppleProtectedMPEG4Video, "com.apple.protected-mpeg-4-video"),
        (kUTTypeAVIMovie, "public.avi"),
        (kUTTypeAudioInterchangeFileFormat, "public.aiff-audio"),
        (kUTTypeWaveformAudio, "com.microsoft.waveform-audio"),
        (kUTTypeMIDIAudio, "public.midi-audio"),
        (kUTTypePlaylist, "public.playlist"),
        (kUTTypeM3UPlaylist, "public.m3u-playlist"),
        (kUTTypeFolder, "public.folder"),
        (kUTTypeVolume, "public.volume"),
        (kUTTypePackage, "com.apple.package"),
        (kUTTypeBundle, "com.apple.bundle"),
        (kUTTypePluginBundle, "com.apple.plugin"),
        (kUTTypeSpotlightImporter, "com.apple.metadata-importer"),
        (kUTTypeQuickLookGenerator, "com.apple.quicklook-generator"),
        (kUTTypeXPCService, "com.apple.xpc-service"),
        (kUTTypeFramework, "com.apple.framework"),
        (kUTTypeApplication, "com.apple.application"),
        (kUTTypeApplicationBundle, "com.apple.application-bundle"),
        (kUTTypeApplicationFile, "com.apple.application-file"),
        (kUTTypeUnixExecutable, "public.unix-executable"),
        (kUTTypeWindowsExecutable, "com.microsoft.windows-executable"),
        (kUTTypeJavaClass, "com.sun.java-class"),
        (kUTTypeJavaArchive, "com.sun.java-archive"),
        (kUTTypeSystemPreferencesPane, "com.apple.systempreference.prefpane"),
        (kUTTypeGNUZipArchive, "org.gnu.gnu-zip-archive"),
        (kUTTypeBzip2Archive, "public.bzip2-archive"),
        (kUTTypeZipArchive, "public.zip-archive"),
        (kUTTypeSpreadsheet, "public.spreadsheet"),
        (kUTTypePresentation, "public.presentation"),
        (kUTTypeDatabase, "public.database"),
        (kUTTypeVCard, "public.vcard"),
        (kUTTypeToDoItem, "public.to-do-item"),
        (kUTTypeCalendarEvent, "public.calendar-event"),
        (kUTTypeEmailMessage, "public.email-message"),
        (kUTTypeInternetLocation, "com.apple.internet-location"),
        (kUTTypeInkText, "com.apple.ink.inktext"),
        (kUTTypeFont, "public.font"),
        (kUTTypeBookmark, "public.bookmark"),
        (kUTType3DContent, "public.3d-content"),
        (kUTTypePKCS12, "com.rsa.pkcs-12"),
        (kUTTypeX509Certificate, "public.x509-certificate"),
        (kUTTypeElectronicPublication, "org.idpf.epub-container"),
        (kUTTypeLog, "public.log"),
    ]
}

@Suite struct UTCoreTypesTests {
    @Test func everyConstantIsTheIdentifierOfADeclaredType() {
        #expect(constants().count == 128)
        for (constant, identifier) in constants() {
            #expect(constant as String == identifier)
            #expect(UTType(constant as String)?.isDeclared == true)
            #expect(UTTypeIsDeclared(constant) && !UTTypeIsDynamic(constant))
        }
    }

    @Test func aConstantIsUsedAsAStringInEveryWayThatProgramsDo() throws {
        #expect(String(kUTTypePNG) == "public.png")
        #expect([kUTTypeImage as String, kUTTypeMovie as String] == ["public.image", "public.movie"])
        #expect(kUTTypeURL as String == UTType.url.identifier)
        #expect(UTType(kUTTypeData as String) == .data)
        switch "public.text" {
        case String(kUTTypeText): break
        default: Issue.record("not matched")
        }
    }
}
