"""Starts momock, makes a deposit and receives its callback.

Run it in a folder with the package: python3 deposit.py
"""

import json
import subprocess
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

received = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        received.append(json.loads(self.rfile.read(length)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
receiver.timeout = 30
callback_url = f"http://127.0.0.1:{receiver.server_port}/callbacks"
momock = subprocess.Popen(
    ["node_modules/.bin/momock", "--port", "0", "--db", ":memory:", "--callback-url", callback_url],
    stdout=subprocess.PIPE,
)

try:
    # The first line says where the mock is.
    mock = json.loads(momock.stdout.readline())

    deposit_id = str(uuid.uuid4())
    request = urllib.request.Request(
        mock["url"] + "/v2/deposits",
        headers={
            "Authorization": "Bearer " + mock["token"],
            "Content-Type": "application/json",
        },
        data=json.dumps(
            {
                "depositId": deposit_id,
                "amount": "15.00",
                "currency": "ZMW",
                "payer": {
                    "type": "MMO",
                    "accountDetails": {"phoneNumber": "260763456789", "provider": "MTN_MOMO_ZMB"},
                },
            }
        ).encode(),
    )
    with urllib.request.urlopen(request) as response:
        print("answer:", json.load(response)["status"])

    receiver.handle_request()
    [callback] = received
    assert callback["depositId"] == deposit_id
    print("callback:", callback["status"])
finally:
    momock.terminate()
    momock.wait()
