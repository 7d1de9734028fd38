"""notify_push over its WebSocket."""

from __future__ import annotations

import json

from .support import CloudCase
from .websocket import WebSocket


class PushTests(CloudCase):
    def connect(self, name: str = "alice", password: str = "secret", ids: bool = True) -> WebSocket:
        socket = WebSocket(self.cloud.url + "/push/ws")
        self.addCleanup(socket.close)
        self.assertEqual(socket.status, 101)
        socket.send(name)
        socket.send(password)
        self.assertEqual(socket.receive(), (1, "authenticated"))
        if ids:
            socket.send("listen notify_file_id")
            # Its reply shows that the server has read what came before.
            socket.send("x", kind=9)
            self.assertEqual(socket.receive(), (10, "x"))
        return socket

    def ids(self, socket: WebSocket) -> set[int]:
        kind, text = socket.receive()
        self.assertEqual((kind, text.split(" ")[0]), (1, "notify_file_id"))
        return set(json.loads(text.split(" ")[1]))

    def test_changes_arrive_with_their_ids(self) -> None:
        socket = self.connect()
        self.cloud.control("set", **{"push-pause": 0, "push-quiet": 0})
        made = self.cloud.control("write", user="alice", path="file", text="x")
        self.assertIn(made["id"], self.ids(socket))
        self.cloud.request("PUT", "file", "other")
        self.assertEqual(self.ids(socket), {made["id"]})

    def test_without_listening_there_are_no_ids(self) -> None:
        socket = self.connect(ids=False)
        self.cloud.control("write", user="alice", path="file", text="x")
        self.assertEqual(socket.receive(), (1, "notify_file"))

    def test_other_users_hear_nothing(self) -> None:
        self.cloud.control("user", user="bob", password="secret")
        socket = self.connect("bob")
        self.cloud.control("write", user="alice", path="file", text="x")
        own = self.cloud.control("write", user="bob", path="own", text="x")
        self.assertIn(own["id"], self.ids(socket))

    def test_many_changes_become_few_messages(self) -> None:
        socket = self.connect()
        self.cloud.control("set", **{"push-quiet": 0})
        self.assertIn(self.cloud.control("write", user="alice", path="first", text="x")["id"], self.ids(socket))
        self.cloud.control("set", **{"push-pause": 1_000_000})
        made = {self.cloud.control("write", user="alice", path=f"f{index}", text="x")["id"] for index in range(40)}
        self.cloud.control("set", **{"push-pause": 0})
        made.add(self.cloud.control("write", user="alice", path="last", text="x")["id"])
        seen: set[int] = set()
        messages = 0
        while not made <= seen:
            seen |= self.ids(socket)
            messages += 1
        self.assertLessEqual(messages, 3)

    def test_wrong_passwords_are_refused(self) -> None:
        socket = WebSocket(self.cloud.url + "/push/ws")
        self.addCleanup(socket.close)
        socket.send("alice")
        socket.send("wrong")
        self.assertEqual(socket.receive(), (1, "err: Invalid credentials"))
        self.assertEqual(socket.receive()[0], 0)

    def test_a_token_takes_the_place_of_the_password_once(self) -> None:
        token = self.cloud.request("POST", "/index.php/apps/notify_push/pre_auth").body.decode()
        self.connect("", token)
        socket = WebSocket(self.cloud.url + "/push/ws")
        self.addCleanup(socket.close)
        socket.send("")
        socket.send(token)
        self.assertEqual(socket.receive(), (1, "err: Invalid credentials"))

    def test_the_list_can_come_as_a_message_of_its_own(self) -> None:
        self.cloud.control("set", **{"push-two-messages": True})
        socket = self.connect()
        made = self.cloud.control("write", user="alice", path="file", text="x")
        self.assertEqual(socket.receive(), (1, "notify_file_id"))
        self.assertIn(made["id"], json.loads(socket.receive()[1]))

    def test_clients_must_answer_pings(self) -> None:
        self.cloud.control("set", **{"push-ping": 2})
        socket = self.connect()
        kind, data = socket.receive_bytes()
        self.assertEqual((kind, len(data)), (9, 4))
        socket.send(data, kind=10)
        self.assertEqual(socket.receive_bytes()[0], 9)
        self.assertEqual(socket.receive_bytes()[0], 0)

    def test_a_new_share_comes_without_ids(self) -> None:
        self.cloud.control("user", user="bob", password="secret")
        self.cloud.control("mkdir", user="bob", path="Shared")
        socket = self.connect()
        self.cloud.request(
            "POST",
            "/ocs/v2.php/apps/files_sharing/api/v1/shares",
            "path=/Shared&shareType=0&shareWith=alice",
            user="bob",
            OCS_APIRequest="true",
            Content_Type="application/x-www-form-urlencoded",
        )
        self.assertEqual(socket.receive(), (1, "notify_file"))

    def test_the_server_can_close_it(self) -> None:
        socket = self.connect()
        self.cloud.control("close-push")
        self.assertEqual(socket.receive()[0], 0)
