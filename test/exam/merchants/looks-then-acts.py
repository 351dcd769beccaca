"""Looks whether it is paid, and acts a moment later, in many threads and without a lock."""
import time

from merchant import Merchant

FAILS = ["IDE-02"]


class Racing(Merchant):
    def book(self, record):
        order = self.orders.get(record.get("depositId"))
        is_price = order is not None and float(record["amount"]) == float(order["amount"]) and record["currency"] == order["currency"]
        if is_price and record["status"] == "COMPLETED" and not order["paid"]:
            time.sleep(0.05)
            order["paid"] = True
            order["effects"] += 1


if __name__ == "__main__":
    Racing().serve()
