import os

Logger(subsystem: "com.example.client", category: "main").error("a logger of os")
