"""Signing in, application passwords, OCS, shares and mounts."""

from __future__ import annotations

from urllib.parse import urlsplit

from .support import NC, OC, CloudCase

FORM = "application/x-www-form-urlencoded"
SHARES = "/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json"


class AccountTests(CloudCase):
    def ocs(self, method: str, path: str, body: str = "", **options: str):
        return self.cloud.request(method, path, body, OCS_APIRequest="true", Content_Type=FORM, **options)

    def test_login_flow_grants_a_password_once(self) -> None:
        begun = self.cloud.request("POST", "/index.php/login/v2", user="", User_Agent="Purvey").json()
        poll, page = urlsplit(begun["poll"]["endpoint"]).path, urlsplit(begun["login"]).path
        token = f"token={begun['poll']['token']}"
        self.assertEqual(self.cloud.request("POST", poll, token, user="", Content_Type=FORM).status, 404)
        shown = self.cloud.request("GET", page, user="")
        self.assertIn("Purvey", shown.body.decode())
        flow = page.rpartition("/")[2]
        for password, status in (("wrong", 403), ("secret", 200)):
            grant = f"token={flow}&user=alice&password={password}"
            reply = self.cloud.request("POST", "/index.php/login/v2/grant", grant, user="", Content_Type=FORM)
            self.assertEqual(reply.status, status)
        granted = self.cloud.request("POST", poll, token, user="", Content_Type=FORM).json()
        self.assertEqual(granted["loginName"], "alice")
        self.assertEqual(self.cloud.request("POST", poll, token, user="", Content_Type=FORM).status, 404)
        password = granted["appPassword"]
        self.assertEqual(self.cloud.request("PROPFIND", "", password=password).status, 207)
        self.assertEqual(self.ocs("DELETE", "/ocs/v2.php/core/apppassword", password=password).status, 200)
        self.assertEqual(self.cloud.request("PROPFIND", "", password=password).status, 401)

    def test_the_login_can_differ_from_the_user(self) -> None:
        self.cloud.control("user", user="bob", login="bob@example.org", password="secret")
        reply = self.ocs("GET", "/ocs/v1.php/cloud/user?format=json", user="bob@example.org").json()["ocs"]
        self.assertEqual((reply["meta"]["statuscode"], reply["data"]["id"]), (100, "bob"))
        self.assertEqual(
            self.cloud.request("PROPFIND", "/remote.php/dav/files/bob", user="bob@example.org").status, 207
        )

    def test_wrong_passwords_are_throttled(self) -> None:
        statuses = [self.cloud.request("PROPFIND", "", password="wrong").status for _ in range(12)]
        self.assertEqual(statuses, [401] * 10 + [429] * 2)
        self.assertEqual(self.cloud.request("PROPFIND", "").status, 429)
        self.cloud.control("clock", jump=1801)
        self.assertEqual(self.cloud.request("PROPFIND", "").status, 207)

    def test_ocs_wants_its_header(self) -> None:
        self.assertEqual(self.cloud.request("GET", "/ocs/v1.php/cloud/capabilities").status, 412)
        public = self.ocs("GET", "/ocs/v1.php/cloud/capabilities?format=json", user="").json()["ocs"]["data"]
        self.assertNotIn("dav", public["capabilities"])
        full = self.ocs("GET", "/ocs/v2.php/cloud/capabilities?format=json").json()["ocs"]["data"]["capabilities"]
        self.assertEqual((full["dav"]["bulkupload"], full["dav"]["chunking"]), ("1.0", "1.0"))
        self.assertTrue(full["notify_push"]["endpoints"]["websocket"].startswith("ws://127.0.0.1:"))
        self.assertIn(b"<statuscode>998</statuscode>", self.ocs("GET", "/ocs/v2.php/no/such").body)

    def test_a_link_is_created_and_opens(self) -> None:
        self.cloud.request("PUT", "file", "shared")
        made = self.ocs("POST", SHARES, "path=/file&shareType=3").json()["ocs"]["data"]
        self.assertEqual(self.cloud.request("GET", urlsplit(made["url"]).path, user="").body, b"shared")
        self.assertIn(b"<oc:share-type>3</oc:share-type>", self.cloud.propfind("file", "oc:share-types").body)
        self.ocs("DELETE", SHARES.replace("?", f"/{made['id']}?"))
        self.assertEqual(self.cloud.request("GET", urlsplit(made["url"]).path, user="").status, 404)

    def test_a_share_appears_and_only_leaves_when_deleted(self) -> None:
        self.cloud.control("user", user="bob", password="secret")
        self.cloud.request("MKCOL", "Plans")
        owned = self.cloud.propfind("Plans", "oc:fileid").property(OC + "fileid")
        before = self.cloud.control("show", user="bob", path="")["etag"]
        self.ocs("POST", SHARES, "path=/Plans&shareType=0&shareWith=bob&permissions=15")
        seen = self.cloud.propfind(
            "Plans", "oc:fileid", "oc:permissions", "nc:mount-type", "nc:is-mount-root", user="bob"
        )
        self.assertEqual(seen.property(OC + "fileid"), owned)
        self.assertEqual(seen.property(OC + "permissions"), "SGDNVCK")
        self.assertEqual((seen.property(NC + "mount-type"), seen.property(NC + "is-mount-root")), ("shared", "true"))
        self.assertEqual(self.cloud.request("PUT", "Plans/by-bob", "x", user="bob").status, 201)
        self.assertEqual(self.cloud.request("GET", "Plans/by-bob").status, 200)
        after = self.cloud.control("show", user="bob", path="")["etag"]
        self.assertNotEqual(before, after)
        self.cloud.request("PUT", "Plans/by-alice", "y")
        self.assertNotEqual(self.cloud.control("show", user="bob", path="")["etag"], after)
        self.assertEqual(self.cloud.request("DELETE", "Plans", user="bob").status, 204)
        self.assertEqual(self.cloud.control("show", user="bob", path="")["names"], [])
        self.assertEqual(self.cloud.control("show", user="alice", path="Plans")["names"], ["by-alice", "by-bob"])

    def test_shares_do_not_nest(self) -> None:
        self.cloud.control("user", user="bob", password="secret")
        for user, other, name in (("alice", "bob", "Of alice"), ("bob", "alice", "Of bob")):
            self.cloud.request("MKCOL", name, user=user)
            made = self.ocs("POST", SHARES, f"path=/{name}&shareType=0&shareWith={other}", user=user)
            self.assertEqual(made.status, 200)
        refused = self.cloud.request("MOVE", "Of alice", user="bob", Destination=self.cloud.address("Of bob/x", "bob"))
        self.assertEqual(refused.status, 403)
        renamed = self.cloud.request("MOVE", "Of alice", user="bob", Destination=self.cloud.address("Mine", "bob"))
        self.assertEqual(renamed.status, 201)
        self.assertEqual(self.cloud.control("show", user="alice", path="")["names"], ["Of alice", "Of bob"])
        self.assertEqual(self.cloud.control("show", user="bob", path="")["names"], ["Of bob", "Mine"])

    def test_mounts_have_rights_of_their_own(self) -> None:
        self.cloud.control("mount", user="alice", path="Team", kind="group", rights=1)
        self.cloud.control("mount", user="alice", path="Far", kind="external")
        self.assertEqual(self.cloud.propfind("Team", "oc:permissions").property(OC + "permissions"), "MG")
        self.assertEqual(self.cloud.request("PUT", "Team/file", "x").status, 403)
        self.assertEqual(self.cloud.request("DELETE", "Team").status, 403)
        before = self.cloud.control("show", user="alice", path="")["etag"]
        self.assertEqual(self.cloud.request("PUT", "Far/file", "x").status, 201)
        self.assertEqual(
            self.cloud.control("show", user="alice", path="")["etag"], before, "external storages do not propagate"
        )

    def test_encrypted_folders_refuse_writes(self) -> None:
        self.cloud.control("mkdir", user="alice", path="Secret")
        self.cloud.control("encrypt", user="alice", path="Secret")
        self.assertEqual(self.cloud.propfind("Secret", "nc:is-encrypted").property(NC + "is-encrypted"), "1")
        self.assertEqual(self.cloud.request("PUT", "Secret/file", "x").status, 403)
        self.assertEqual(self.cloud.request("MKCOL", "Secret/folder").status, 403)
