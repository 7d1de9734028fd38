/// Relations between MIME types and declared types that neither the declared tags nor the freedesktop database contain.
package enum KnownMIMETypes {
    /// For MIME types of the database, the identifiers of equivalent declared types. These types do not declare the
    /// MIME type as a tag.
    package static let equivalents: [String: String] = [
        "inode/directory": "public.folder",
        "inode/symlink": "public.symlink",
        "inode/fifo": "public.named-pipe",
        "inode/socket": "public.socket",
        "inode/chardevice": "public.character-special",
        "inode/blockdevice": "public.block-special",
        "inode/mount-point": "public.volume",
        "application/x-zerosize": "public.data",

        "application/x-executable": "public.unix-executable",
        "application/x-pie-executable": "public.unix-executable",
        "application/x-sharedlib": "public.elf-binary",
        "application/x-core": "public.elf-binary",
        "application/x-object": "public.object-code",
        "application/x-mach-binary": "com.apple.mach-o-binary",
        "application/x-ms-dos-executable": "com.microsoft.windows-executable",
        "application/vnd.microsoft.portable-executable": "com.microsoft.windows-executable",
        "application/x-java": "com.sun.java-class",

        "text/x-csrc": "public.c-source",
        "text/x-chdr": "public.c-header",
        "text/x-c++src": "public.c-plus-plus-source",
        "text/x-c++hdr": "public.c-plus-plus-header",
        "text/x-objcsrc": "public.objective-c-source",
        "text/x-objc++src": "public.objective-c-plus-plus-source",
        "text/x-java": "com.sun.java-source",
        "text/x-fortran": "public.fortran-source",
        "text/x-pascal": "public.pascal-source",
        "text/x-adasrc": "public.ada-source",
        "text/x-makefile": "public.make-source",
        "text/x-python": "public.python-script",
        "application/x-shellscript": "public.shell-script",
        "application/x-csh": "public.csh-script",
        "application/x-perl": "public.perl-script",
        "application/x-ruby": "public.ruby-script",
        "application/x-php": "public.php-script",
        "application/javascript": "com.netscape.javascript-source",
        "application/yaml": "public.yaml",
        "text/x-patch": "public.patch-file",
        "text/x-log": "com.apple.log",
        "application/x-mswinurl": "com.microsoft.internet-shortcut",

        "image/x-icns": "com.apple.icns",
        "image/x-exr": "com.ilm.openexr-image",
        "image/svg+xml-compressed": "public.svg-image",
        "image/x-jp2-codestream": "public.jpeg-2000",
        "image/jpx": "public.jpeg-2000",
        "image/x-macpaint": "com.apple.macpaint-image",
        "image/x-xbitmap": "public.xbitmap-image",
        "image/x-eps": "com.adobe.encapsulated-postscript",
        "application/illustrator": "com.adobe.illustrator.ai-image",
        "image/x-tga": "com.truevision.tga-image",
        "image/x-sgi": "com.sgi.sgi-image",
        "image/x-dds": "com.microsoft.dds",
        "image/ktx": "org.khronos.ktx",
        "image/astc": "org.khronos.astc",
        "image/x-portable-bitmap": "public.pbm",
        "image/x-portable-graymap": "public.pbm",
        "image/x-portable-pixmap": "public.pbm",
        "image/x-canon-cr2": "com.canon.cr2-raw-image",
        "image/x-canon-cr3": "com.canon.cr3-raw-image",
        "image/x-fuji-raf": "com.fuji.raw-image",
        "image/x-kodak-dcr": "com.kodak.raw-image",
        "image/x-minolta-mrw": "com.konicaminolta.raw-image",
        "image/x-nikon-nef": "com.nikon.raw-image",
        "image/x-olympus-orf": "com.olympus.raw-image",
        "image/x-panasonic-rw": "com.panasonic.raw-image",
        "image/x-panasonic-rw2": "com.panasonic.rw2-raw-image",
        "image/x-pentax-pef": "com.pentax.raw-image",
        "image/x-sony-arw": "com.sony.arw-raw-image",
        "image/x-sony-srf": "com.sony.raw-image",
        "video/mp2t": "public.mpeg-2-transport-stream",
        "video/dv": "public.dv-movie",
        "video/x-flic": "public.flc-animation",
        "audio/mp2": "public.mp2",
        "audio/x-aifc": "public.aifc-audio",
        "audio/x-m4b": "com.apple.protected-mpeg-4-audio-b",
        "audio/x-m4r": "com.apple.mpeg-4-ringtone",
        "audio/x-caf": "com.apple.coreaudio-format",
        "model/obj": "public.geometry-definition-format",
        "model/stl": "public.standard-tesselated-geometry-format",

        "application/x-compressed-tar": "org.gnu.gnu-zip-tar-archive",
        "application/x-bzip-compressed-tar": "public.tar-bzip2-archive",
        "application/x-bzip2-compressed-tar": "public.tar-bzip2-archive",
        "application/x-cpio": "public.cpio-archive",
        "application/x-xz-compressed-tar": "org.tukaani.tar-xz-archive",
        "application/vnd.ms-cab-compressed": "com.microsoft.cab",
        "application/x-cd-image": "public.iso-image",
        "application/vnd.efi.iso": "public.iso-image",
        "application/x-apple-diskimage": "com.apple.disk-image-udif",
        "application/x-xar": "com.apple.xar-archive",
        "application/vnd.apple.keynote": "com.apple.iwork.keynote.sffkey",
        "application/vnd.apple.numbers": "com.apple.iwork.numbers.sffnumbers",
        "application/vnd.apple.pages": "com.apple.iwork.pages.sffpages",
        "application/vnd.chess-pgn": "com.apple.chess.pgn",
        "application/vnd.apple.pkpass": "com.apple.pkpass-data",
        "application/pkix-cert": "public.x509-certificate",
        "application/vnd.iccprofile": "com.apple.colorsync-profile",
    ]

    /// Returns the abstract types to which a MIME type conforms, such as `public.image`. The database does not have
    /// these.
    package static func abstractParents(of mime: String) -> [String] {
        if let known = families[mime] {
            return [known]
        }
        let kind = mime.prefix { $0 != "/" }
        return kinds[String(kind)].map { [$0] } ?? []
    }

    /// The identifiers of the abstract types, by the part of the MIME type before the slash.
    private static let kinds = [
        "image": "public.image", "audio": "public.audio", "video": "public.movie", "font": "public.font",
        "model": "public.3d-content", "message": "public.message",
    ]

    private static let families: [String: String] = {
        var families: [String: String] = [:]
        for (identifier, types) in members {
            for type in types.split(whereSeparator: \.isWhitespace) {
                families[String(type)] = identifier
            }
        }
        return families
    }()

    private static let members = [
        "public.archive": """
        application/x-7z-compressed application/vnd.rar application/x-xz application/zstd application/x-lz4
        application/x-lzip application/x-lzma application/x-lzop application/x-lrzip application/x-brotli
        application/x-compress application/x-arj application/x-ace application/x-lha application/x-lhz
        application/x-archive application/vnd.debian.binary-package application/x-rpm application/x-source-rpm
        application/vnd.ms-cab-compressed application/x-stuffit application/x-alz application/x-zoo
        application/x-tarz application/x-xz-compressed-tar application/x-lzma-compressed-tar
        application/x-lzip-compressed-tar application/x-lz4-compressed-tar application/x-zstd-compressed-tar
        application/x-lrzip-compressed-tar application/x-tzo application/x-gtar application/x-ustar
        """,
        "public.disk-image": """
        application/x-apple-diskimage application/x-cd-image application/x-raw-disk-image
        application/x-raw-disk-image-xz-compressed application/x-qemu-disk application/x-vhd-disk
        application/x-vhdx-disk application/x-vmdk-disk application/x-virtualbox-vdi application/x-virtualbox-vhd
        application/x-virtualbox-vmdk application/vnd.squashfs application/vnd.efi.iso application/vnd.efi.img
        """,
        "public.spreadsheet": """
        application/vnd.ms-excel application/vnd.oasis.opendocument.spreadsheet
        application/vnd.oasis.opendocument.spreadsheet-template
        application/vnd.oasis.opendocument.spreadsheet-flat-xml application/x-gnumeric
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
        application/vnd.openxmlformats-officedocument.spreadsheetml.template
        application/vnd.ms-excel.sheet.macroEnabled.12 application/vnd.ms-excel.sheet.binary.macroEnabled.12
        """,
        "public.presentation": """
        application/vnd.ms-powerpoint application/vnd.oasis.opendocument.presentation
        application/vnd.oasis.opendocument.presentation-template
        application/vnd.oasis.opendocument.presentation-flat-xml
        application/vnd.openxmlformats-officedocument.presentationml.presentation
        application/vnd.openxmlformats-officedocument.presentationml.slideshow
        application/vnd.openxmlformats-officedocument.presentationml.template
        application/vnd.ms-powerpoint.presentation.macroEnabled.12
        """,
        "public.composite-content": """
        application/msword application/vnd.oasis.opendocument.text application/vnd.oasis.opendocument.text-template
        application/vnd.oasis.opendocument.text-flat-xml application/postscript
        application/vnd.openxmlformats-officedocument.wordprocessingml.document
        application/vnd.openxmlformats-officedocument.wordprocessingml.template
        application/vnd.ms-word.document.macroEnabled.12 application/x-mobipocket-ebook
        application/vnd.amazon.mobi8-ebook image/vnd.djvu
        """,
        "public.database": """
        application/vnd.sqlite3 application/vnd.ms-access application/vnd.oasis.opendocument.database
        """,
        "public.email-message": "message/rfc822 message/news message/partial message/external-body",
        "public.playlist": "application/xspf+xml audio/x-ms-asx audio/x-scpls",
        "public.source-code": """
        text/rust text/x-go text/x-haskell text/x-kotlin text/x-scala text/x-csharp text/x-dsrc text/x-erlang
        text/x-ocaml text/x-vala text/x-dart text/x-elixir text/x-crystal text/x-common-lisp text/x-emacs-lisp
        text/x-scheme text/x-matlab text/x-modelica text/x-verilog text/x-svsrc text/x-vhdl text/x-eiffel
        text/x-groovy text/x-typst text/x-cobol text/x-mof text/x-meson text/x-cmake text/x-opencl-src
        text/x-genie text/x-idl text/x-tcl text/tcl text/x-twig text/vbscript
        """,
        "public.script": "text/x-lua text/x-python3 application/x-powershell application/x-awk text/x-nu",
    ]
}
