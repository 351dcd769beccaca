"""What the merchants in Python share: a shop over HTTP, and the API it calls. Each of them is one with one bug."""
import json
import os
import sys
import threading
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples/verify"))
from verify import is_genuine  # noqa: E402


class Merchant:
    def __init__(self):
        self.base = os.environ["PAWAPAY_BASE_URL"]
        self.token = os.environ["PAWAPAY_API_TOKEN"]
        self.orders = {}
        self.lock = threading.Lock()

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers), timeout=10) as answer:
            return json.load(answer)

    def pay(self, values):
        order_id = str(uuid.uuid4())
        order = {"orderId": order_id, "amount": values["amount"], "currency": values["currency"], "paid": False, "effects": 0}
        self.orders[order_id] = order
        payer = {"type": "MMO", "accountDetails": {"phoneNumber": values["phoneNumber"], "provider": values["provider"]}}
        self.call("/v2/deposits", {"depositId": order_id, "amount": values["amount"], "currency": values["currency"], "payer": payer})
        return order

    def is_believed(self, method, url, headers, body):
        keys = self.call("/v2/public-key/http")
        return is_genuine(method, url, headers, body, keys)

    def book(self, record):
        with self.lock:
            order = self.orders.get(record.get("depositId"))
            is_price = order is not None and float(record["amount"]) == float(order["amount"]) and record["currency"] == order["currency"]
            if is_price and record["status"] == "COMPLETED" and not order["paid"]:
                order["paid"] = True
                order["effects"] += 1

    def serve(self):
        merchant = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                order = merchant.orders.get(self.path.split("/")[-1])
                self.answer(404 if order is None and "orders" in self.path else 200, order or {})

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/pay":
                    return self.answer(200, merchant.pay(json.loads(body)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                if not merchant.is_believed("POST", self.path, headers, body):
                    return self.answer(401, {})
                merchant.book(json.loads(body))
                self.answer(200, {})

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
        server.request_queue_size = 64
        server.serve_forever()
