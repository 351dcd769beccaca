"""The application under test: a shop that takes mobile money and believes genuine callbacks only."""

import json
import sys
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

# The verification of docs/signatures.md.
sys.path.append(str(Path(__file__).parents[2] / "verify"))
from verify import is_genuine  # noqa: E402


class Shop:
    def __init__(self, url, token):
        self.url, self.token = url, token
        self.orders = {}  # state of each order
        self.shipped = []  # goods leave once for each order
        with self.ask("/v2/public-key/http") as answer:
            self.keys = json.load(answer)
        shop = self

        class Callbacks(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                genuine = is_genuine("POST", self.path, headers, body, shop.keys)
                if genuine:
                    shop.hear(json.loads(body))
                self.send_response(200 if genuine else 401)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Callbacks)
        self.callback_url = f"http://127.0.0.1:{self.server.server_port}/callbacks"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def pay(self, amount="15.00"):
        """Asks a customer for money, and gives the number of the order."""
        order = str(uuid.uuid4())
        details = {"phoneNumber": "260763456789", "provider": "MTN_MOMO_ZMB"}
        payer = {"type": "MMO", "accountDetails": details}
        body = {"depositId": order, "amount": amount, "currency": "ZMW", "payer": payer}
        # Without an answer nobody knows whether there is a deposit: the order stays open.
        self.orders[order] = "OPEN"
        try:
            with self.ask("/v2/deposits", body) as answer:
                status = json.load(answer)["status"]
            # The callback may have been faster than the answer.
            if status != "ACCEPTED" and self.orders[order] == "OPEN":
                self.orders[order] = status
        except (urllib.error.URLError, ConnectionError):
            pass
        return order

    def hear(self, callback):
        order, status = callback["depositId"], callback["status"]
        if self.orders.get(order) != "OPEN":
            return
        self.orders[order] = callback.get("failureReason", {}).get("failureCode", status)
        if status == "COMPLETED":
            self.shipped.append(order)

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers))

    def close(self):
        self.server.shutdown()
        self.server.server_close()
