// The submodule `os.log`, for the sake of its import.
