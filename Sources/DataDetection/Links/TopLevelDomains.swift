/// Top-level domains after which a name without a scheme is taken for a web page.
///
/// A selection from IANA's root zone: the generic ones in wide use, and those of countries, without those that are
/// extensions of file names (`md`, `mm`, `pl`, `ps`, `py`, `rs`, `sh`, `so`, `zip`, `mov`) or a word after a
/// forgotten space (`is`). After a scheme or `www.` any top-level domain counts.
enum TopLevelDomains {
    static let familiar: Set<String> = Set((generic + countries).split(separator: " ").map(String.init))

    private static let generic = """
        com org net edu gov mil int info biz name pro aero coop museum jobs mobi tel travel asia cat post app dev io ai me tv \
        co xyz online site store shop blog cloud tech space website news agency studio design page link wiki club live world \
        today email digital network media social software solutions systems tools health fm ly gg
        """

    private static let countries = """
        ac ad ae af ag al am ao ar at au az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf ch ci ck cl cm cn cr \
        cu cv cy cz de dk dm do dz ec ee eg er es et eu fi fj fr ga gb gd ge gh gi gl gm gn gr gt gw gy hk hn hr ht hu id ie il \
        in iq ir it jm jo jp ke kg kh kr kw ky kz la lb lc li lk lr ls lt lu lv ma mc mg mk ml mn mo mr mt mu mv mw mx my \
        mz na ne ng ni nl no np nr nz om pa pe pg ph pk pt qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr sv sy sz td \
        tg th tj tl tm tn to tr tt tw tz ua ug uk us uy uz va vc ve vn vu ws ye za zm zw
        """
}
