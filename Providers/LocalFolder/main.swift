// "On This Machine": serves a folder of this machine as if it were a cloud.
