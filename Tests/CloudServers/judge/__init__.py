"""Tests of the servers: clients by others judge the Nextcloud of this folder, and requests check its details."""
