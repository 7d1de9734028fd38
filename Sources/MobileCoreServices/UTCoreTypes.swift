// The constants of the old UTCoreTypes interface, in its order.

import Foundation

// MARK: Abstract types

/// `public.item`: item.
public var kUTTypeItem: CFString { "public.item" }
/// `public.content`: content.
public var kUTTypeContent: CFString { "public.content" }
/// `public.composite-content`: composite content.
public var kUTTypeCompositeContent: CFString { "public.composite-content" }
/// `public.message`: message.
public var kUTTypeMessage: CFString { "public.message" }
/// `public.contact`: contact.
public var kUTTypeContact: CFString { "public.contact" }
/// `public.archive`: archive.
public var kUTTypeArchive: CFString { "public.archive" }
/// `public.disk-image`: disk image.
public var kUTTypeDiskImage: CFString { "public.disk-image" }

// MARK: Concrete base types

/// `public.data`: data.
public var kUTTypeData: CFString { "public.data" }
/// `public.directory`: directory.
public var kUTTypeDirectory: CFString { "public.directory" }
/// `com.apple.resolvable`: reference to another item.
public var kUTTypeResolvable: CFString { "com.apple.resolvable" }
/// `public.symlink`: symbolic link.
public var kUTTypeSymLink: CFString { "public.symlink" }
/// `public.executable`: executable.
public var kUTTypeExecutable: CFString { "public.executable" }
/// `com.apple.mount-point`: mount point.
public var kUTTypeMountPoint: CFString { "com.apple.mount-point" }
/// `com.apple.alias-file`: alias.
public var kUTTypeAliasFile: CFString { "com.apple.alias-file" }
/// `com.apple.alias-record`: alias record.
public var kUTTypeAliasRecord: CFString { "com.apple.alias-record" }
/// `com.apple.bookmark`: bookmark data.
public var kUTTypeURLBookmarkData: CFString { "com.apple.bookmark" }

// MARK: URLs

/// `public.url`: URL.
public var kUTTypeURL: CFString { "public.url" }
/// `public.file-url`: file URL.
public var kUTTypeFileURL: CFString { "public.file-url" }

// MARK: Text

/// `public.text`: text.
public var kUTTypeText: CFString { "public.text" }
/// `public.plain-text`: plain text document.
public var kUTTypePlainText: CFString { "public.plain-text" }
/// `public.utf8-plain-text`: Unicode (UTF-8) plain text.
public var kUTTypeUTF8PlainText: CFString { "public.utf8-plain-text" }
/// `public.utf16-external-plain-text`: Unicode (UTF-16) plain text with byte order mark.
public var kUTTypeUTF16ExternalPlainText: CFString { "public.utf16-external-plain-text" }
/// `public.utf16-plain-text`: Unicode (UTF-16) plain text.
public var kUTTypeUTF16PlainText: CFString { "public.utf16-plain-text" }
/// `public.delimited-values-text`: delimited text.
public var kUTTypeDelimitedText: CFString { "public.delimited-values-text" }
/// `public.comma-separated-values-text`: comma-separated values.
public var kUTTypeCommaSeparatedText: CFString { "public.comma-separated-values-text" }
/// `public.tab-separated-values-text`: tab-separated values.
public var kUTTypeTabSeparatedText: CFString { "public.tab-separated-values-text" }
/// `public.utf8-tab-separated-values-text`: Unicode (UTF-8) tab-separated values.
public var kUTTypeUTF8TabSeparatedText: CFString { "public.utf8-tab-separated-values-text" }
/// `public.rtf`: rich text document.
public var kUTTypeRTF: CFString { "public.rtf" }

// MARK: Markup and source code

/// `public.html`: HTML document.
public var kUTTypeHTML: CFString { "public.html" }
/// `public.xml`: XML document.
public var kUTTypeXML: CFString { "public.xml" }
/// `public.source-code`: source code.
public var kUTTypeSourceCode: CFString { "public.source-code" }
/// `public.assembly-source`: assembly language source.
public var kUTTypeAssemblyLanguageSource: CFString { "public.assembly-source" }
/// `public.c-source`: C source.
public var kUTTypeCSource: CFString { "public.c-source" }
/// `public.objective-c-source`: Objective-C source.
public var kUTTypeObjectiveCSource: CFString { "public.objective-c-source" }
/// `public.swift-source`: Swift source.
public var kUTTypeSwiftSource: CFString { "public.swift-source" }
/// `public.c-plus-plus-source`: C++ source.
public var kUTTypeCPlusPlusSource: CFString { "public.c-plus-plus-source" }
/// `public.objective-c-plus-plus-source`: Objective-C++ source.
public var kUTTypeObjectiveCPlusPlusSource: CFString { "public.objective-c-plus-plus-source" }
/// `public.c-header`: C header.
public var kUTTypeCHeader: CFString { "public.c-header" }
/// `public.c-plus-plus-header`: C++ header.
public var kUTTypeCPlusPlusHeader: CFString { "public.c-plus-plus-header" }
/// `com.sun.java-source`: Java source.
public var kUTTypeJavaSource: CFString { "com.sun.java-source" }

// MARK: Scripts

/// `public.script`: script.
public var kUTTypeScript: CFString { "public.script" }
/// `com.apple.applescript.text`: AppleScript text.
public var kUTTypeAppleScript: CFString { "com.apple.applescript.text" }
/// `com.apple.applescript.script`: compiled OSA script.
public var kUTTypeOSAScript: CFString { "com.apple.applescript.script" }
/// `com.apple.applescript.script-bundle`: OSA script bundle.
public var kUTTypeOSAScriptBundle: CFString { "com.apple.applescript.script-bundle" }
/// `com.netscape.javascript-source`: JavaScript script.
public var kUTTypeJavaScript: CFString { "com.netscape.javascript-source" }
/// `public.shell-script`: shell script.
public var kUTTypeShellScript: CFString { "public.shell-script" }
/// `public.perl-script`: Perl script.
public var kUTTypePerlScript: CFString { "public.perl-script" }
/// `public.python-script`: Python script.
public var kUTTypePythonScript: CFString { "public.python-script" }
/// `public.ruby-script`: Ruby script.
public var kUTTypeRubyScript: CFString { "public.ruby-script" }
/// `public.php-script`: PHP script.
public var kUTTypePHPScript: CFString { "public.php-script" }

// MARK: Serialised data

/// `public.json`: JSON document.
public var kUTTypeJSON: CFString { "public.json" }
/// `com.apple.property-list`: property list.
public var kUTTypePropertyList: CFString { "com.apple.property-list" }
/// `com.apple.xml-property-list`: XML property list.
public var kUTTypeXMLPropertyList: CFString { "com.apple.xml-property-list" }
/// `com.apple.binary-property-list`: binary property list.
public var kUTTypeBinaryPropertyList: CFString { "com.apple.binary-property-list" }

// MARK: Composite documents

/// `com.adobe.pdf`: PDF document.
public var kUTTypePDF: CFString { "com.adobe.pdf" }
/// `com.apple.rtfd`: rich text document with attachments.
public var kUTTypeRTFD: CFString { "com.apple.rtfd" }
/// `com.apple.flat-rtfd`: flattened rich text document with attachments.
public var kUTTypeFlatRTFD: CFString { "com.apple.flat-rtfd" }
/// `com.apple.txn.text-multimedia-data`: Textension multimedia document.
public var kUTTypeTXNTextAndMultimediaData: CFString { "com.apple.txn.text-multimedia-data" }
/// `com.apple.webarchive`: web archive.
public var kUTTypeWebArchive: CFString { "com.apple.webarchive" }

// MARK: Images

/// `public.image`: image.
public var kUTTypeImage: CFString { "public.image" }
/// `public.jpeg`: JPEG image.
public var kUTTypeJPEG: CFString { "public.jpeg" }
/// `public.jpeg-2000`: JPEG 2000 image.
public var kUTTypeJPEG2000: CFString { "public.jpeg-2000" }
/// `public.tiff`: TIFF image.
public var kUTTypeTIFF: CFString { "public.tiff" }
/// `com.apple.pict`: PICT image.
public var kUTTypePICT: CFString { "com.apple.pict" }
/// `com.compuserve.gif`: GIF image.
public var kUTTypeGIF: CFString { "com.compuserve.gif" }
/// `public.png`: PNG image.
public var kUTTypePNG: CFString { "public.png" }
/// `com.apple.quicktime-image`: QuickTime image.
public var kUTTypeQuickTimeImage: CFString { "com.apple.quicktime-image" }
/// `com.apple.icns`: Apple icon image.
public var kUTTypeAppleICNS: CFString { "com.apple.icns" }
/// `com.microsoft.bmp`: Windows bitmap image.
public var kUTTypeBMP: CFString { "com.microsoft.bmp" }
/// `com.microsoft.ico`: Windows icon image.
public var kUTTypeICO: CFString { "com.microsoft.ico" }
/// `public.camera-raw-image`: camera raw image.
public var kUTTypeRawImage: CFString { "public.camera-raw-image" }
/// `public.svg-image`: SVG image.
public var kUTTypeScalableVectorGraphics: CFString { "public.svg-image" }
/// `com.apple.live-photo`: Live Photo.
public var kUTTypeLivePhoto: CFString { "com.apple.live-photo" }

// MARK: Audiovisual content

/// `public.audiovisual-content`: audiovisual content.
public var kUTTypeAudiovisualContent: CFString { "public.audiovisual-content" }
/// `public.movie`: movie.
public var kUTTypeMovie: CFString { "public.movie" }
/// `public.video`: video.
public var kUTTypeVideo: CFString { "public.video" }
/// `public.audio`: audio.
public var kUTTypeAudio: CFString { "public.audio" }
/// `com.apple.quicktime-movie`: QuickTime movie.
public var kUTTypeQuickTimeMovie: CFString { "com.apple.quicktime-movie" }
/// `public.mpeg`: MPEG movie.
public var kUTTypeMPEG: CFString { "public.mpeg" }
/// `public.mpeg-2-video`: MPEG-2 video.
public var kUTTypeMPEG2Video: CFString { "public.mpeg-2-video" }
/// `public.mpeg-2-transport-stream`: MPEG-2 transport stream.
public var kUTTypeMPEG2TransportStream: CFString { "public.mpeg-2-transport-stream" }
/// `public.mp3`: MP3 audio.
public var kUTTypeMP3: CFString { "public.mp3" }
/// `public.mpeg-4`: MPEG-4 movie.
public var kUTTypeMPEG4: CFString { "public.mpeg-4" }
/// `public.mpeg-4-audio`: MPEG-4 audio.
public var kUTTypeMPEG4Audio: CFString { "public.mpeg-4-audio" }
/// `com.apple.protected-mpeg-4-audio`: protected MPEG-4 audio.
public var kUTTypeAppleProtectedMPEG4Audio: CFString { "com.apple.protected-mpeg-4-audio" }
/// `com.apple.protected-mpeg-4-video`: protected MPEG-4 movie.
public var kUTTypeAppleProtectedMPEG4Video: CFString { "com.apple.protected-mpeg-4-video" }
/// `public.avi`: AVI movie.
public var kUTTypeAVIMovie: CFString { "public.avi" }
/// `public.aiff-audio`: AIFF audio.
public var kUTTypeAudioInterchangeFileFormat: CFString { "public.aiff-audio" }
/// `com.microsoft.waveform-audio`: WAV audio.
public var kUTTypeWaveformAudio: CFString { "com.microsoft.waveform-audio" }
/// `public.midi-audio`: MIDI audio.
public var kUTTypeMIDIAudio: CFString { "public.midi-audio" }
/// `public.playlist`: playlist.
public var kUTTypePlaylist: CFString { "public.playlist" }
/// `public.m3u-playlist`: M3U playlist.
public var kUTTypeM3UPlaylist: CFString { "public.m3u-playlist" }

// MARK: Directories and bundles

/// `public.folder`: folder.
public var kUTTypeFolder: CFString { "public.folder" }
/// `public.volume`: volume.
public var kUTTypeVolume: CFString { "public.volume" }
/// `com.apple.package`: package.
public var kUTTypePackage: CFString { "com.apple.package" }
/// `com.apple.bundle`: bundle.
public var kUTTypeBundle: CFString { "com.apple.bundle" }
/// `com.apple.plugin`: plug-in.
public var kUTTypePluginBundle: CFString { "com.apple.plugin" }
/// `com.apple.metadata-importer`: Spotlight importer.
public var kUTTypeSpotlightImporter: CFString { "com.apple.metadata-importer" }
/// `com.apple.quicklook-generator`: Quick Look generator.
public var kUTTypeQuickLookGenerator: CFString { "com.apple.quicklook-generator" }
/// `com.apple.xpc-service`: XPC service.
public var kUTTypeXPCService: CFString { "com.apple.xpc-service" }
/// `com.apple.framework`: framework.
public var kUTTypeFramework: CFString { "com.apple.framework" }

// MARK: Programs

/// `com.apple.application`: application.
public var kUTTypeApplication: CFString { "com.apple.application" }
/// `com.apple.application-bundle`: application bundle.
public var kUTTypeApplicationBundle: CFString { "com.apple.application-bundle" }
/// `com.apple.application-file`: application file.
public var kUTTypeApplicationFile: CFString { "com.apple.application-file" }
/// `public.unix-executable`: Unix executable.
public var kUTTypeUnixExecutable: CFString { "public.unix-executable" }
/// `com.microsoft.windows-executable`: Windows executable.
public var kUTTypeWindowsExecutable: CFString { "com.microsoft.windows-executable" }
/// `com.sun.java-class`: Java class.
public var kUTTypeJavaClass: CFString { "com.sun.java-class" }
/// `com.sun.java-archive`: Java archive.
public var kUTTypeJavaArchive: CFString { "com.sun.java-archive" }
/// `com.apple.systempreference.prefpane`: preference pane.
public var kUTTypeSystemPreferencesPane: CFString { "com.apple.systempreference.prefpane" }

// MARK: Archives

/// `org.gnu.gnu-zip-archive`: gzip archive.
public var kUTTypeGNUZipArchive: CFString { "org.gnu.gnu-zip-archive" }
/// `public.bzip2-archive`: bzip2 archive.
public var kUTTypeBzip2Archive: CFString { "public.bzip2-archive" }
/// `public.zip-archive`: ZIP archive.
public var kUTTypeZipArchive: CFString { "public.zip-archive" }

// MARK: Documents and records

/// `public.spreadsheet`: spreadsheet.
public var kUTTypeSpreadsheet: CFString { "public.spreadsheet" }
/// `public.presentation`: presentation.
public var kUTTypePresentation: CFString { "public.presentation" }
/// `public.database`: database.
public var kUTTypeDatabase: CFString { "public.database" }
/// `public.vcard`: vCard contact.
public var kUTTypeVCard: CFString { "public.vcard" }
/// `public.to-do-item`: to-do item.
public var kUTTypeToDoItem: CFString { "public.to-do-item" }
/// `public.calendar-event`: calendar event.
public var kUTTypeCalendarEvent: CFString { "public.calendar-event" }
/// `public.email-message`: email message.
public var kUTTypeEmailMessage: CFString { "public.email-message" }
/// `com.apple.internet-location`: internet location.
public var kUTTypeInternetLocation: CFString { "com.apple.internet-location" }

// MARK: Others

/// `com.apple.ink.inktext`: ink text.
public var kUTTypeInkText: CFString { "com.apple.ink.inktext" }
/// `public.font`: font.
public var kUTTypeFont: CFString { "public.font" }
/// `public.bookmark`: bookmark.
public var kUTTypeBookmark: CFString { "public.bookmark" }
/// `public.3d-content`: 3D content.
public var kUTType3DContent: CFString { "public.3d-content" }
/// `com.rsa.pkcs-12`: PKCS #12 keys and certificates.
public var kUTTypePKCS12: CFString { "com.rsa.pkcs-12" }
/// `public.x509-certificate`: X.509 certificate.
public var kUTTypeX509Certificate: CFString { "public.x509-certificate" }
/// `org.idpf.epub-container`: EPUB book.
public var kUTTypeElectronicPublication: CFString { "org.idpf.epub-container" }
/// `public.log`: log.
public var kUTTypeLog: CFString { "public.log" }
