import os.log

let log = OSLog(subsystem: "com.example.client", category: "main")
os_log("a logger of %{public}@", log: log, type: .error, "os.log")
