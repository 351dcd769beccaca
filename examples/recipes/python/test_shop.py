"""Tests of a shop, with pytest. Run them in a folder with the package: python3 -m pytest FOLDER"""

import json
import subprocess
import urllib.request

import pytest
from shop import Shop

# Set-up: one mock for all tests, and one account and one shop for each test.


@pytest.fixture(scope="session")
def mock():
    command = ["node_modules/.bin/momock", "--port", "0", "--db", ":memory:", "--clock", "frozen"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        yield json.loads(process.stdout.readline())["url"]
        process.terminate()


@pytest.fixture
def admin(mock, request):
    """Makes a call of the admin API: admin("POST", "/clock/advance", {"by": "1m"})."""

    def call(method, path, body):
        headers = {"Authorization": "Bearer " + call.token, "Content-Type": "application/json"}
        data = json.dumps(body).encode()
        prepared = urllib.request.Request(mock + "/__admin" + path, data, headers, method=method)
        with urllib.request.urlopen(prepared) as answer:
            return json.load(answer)

    call.token = "sandbox-" + request.node.name
    return call


@pytest.fixture
def shop(mock, admin):
    shop = Shop(mock, admin.token)
    admin("PATCH", "/account", {"callbacks": shop.callback_url})
    yield shop
    shop.close()


def test_a_customer_pays(shop, admin):
    order = shop.pay()
    admin("POST", "/clock/advance", {"by": "1m"})
    assert shop.orders[order] == "COMPLETED"


def test_a_customer_has_no_money(shop, admin):
    admin("POST", "/scenarios", {"fail": "INSUFFICIENT_BALANCE"})
    order = shop.pay()
    admin("POST", "/clock/advance", {"by": "1m"})
    assert shop.orders[order] == "INSUFFICIENT_BALANCE"


def test_a_lost_answer_is_no_lost_payment(shop, admin):
    admin("POST", "/scenarios", {"fault": "lost"})
    order = shop.pay()
    assert shop.orders[order] == "OPEN"
    admin("POST", "/clock/advance", {"by": "1m"})
    assert shop.orders[order] == "COMPLETED"
    once = {"payment": {"kind": "deposit"}, "count": 1}
    assert admin("POST", "/verify", {"expectations": [once]})["passed"]


def test_goods_leave_once_when_callbacks_come_twice(shop, admin):
    admin("POST", "/scenarios", {"callback": {"duplicates": 1}})
    order = shop.pay()
    assert admin("POST", "/clock/advance", {"by": "1m"})["callbacks"] == 2
    assert shop.shipped == [order]


def test_a_forged_callback_is_not_believed(shop, admin):
    order = shop.pay()
    forged = {"status": "COMPLETED", "wrongKey": True}
    admin("POST", f"/payments/deposit/{order}/callbacks", forged)
    admin("POST", "/clock/advance", {"by": 0})
    assert shop.orders[order] == "OPEN"
    # The genuine one is believed, so it was the forgery that was refused.
    admin("POST", "/clock/advance", {"by": "1m"})
    assert shop.orders[order] == "COMPLETED"


def test_an_outage_of_the_provider_rejects_the_payment(shop, admin):
    admin("PUT", "/providers/MTN_MOMO_ZMB", {"DEPOSIT": "CLOSED"})
    assert shop.orders[shop.pay()] == "REJECTED"


def test_a_customer_takes_ten_minutes(shop, admin):
    steps = [{"after": 0, "to": "PROCESSING"}, {"after": "10m", "to": "COMPLETED"}]
    admin("POST", "/scenarios", {"script": steps})
    order = shop.pay()
    admin("POST", "/clock/advance", {"by": "9m"})
    assert shop.orders[order] == "OPEN"
    admin("POST", "/clock/advance", {"by": "1m"})
    assert shop.orders[order] == "COMPLETED"
