import CVips

func probe() -> Int32 { vips_version(0) }
