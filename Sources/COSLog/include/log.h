// The submodule `os.log`, which exists only for `import os.log`.
