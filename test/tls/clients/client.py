# A client with a hard-coded host. It prints the status of its deposit.
import json
import sys
import urllib.request

deposit = {
    'depositId': sys.argv[1],
    'amount': '15',
    'currency': 'ZMW',
    'payer': {
        'type': 'MMO',
        'accountDetails': {'phoneNumber': '260763456789', 'provider': 'MTN_MOMO_ZMB'},
    },
}
request = urllib.request.Request(
    'https://api.sandbox.pawapay.io/v2/deposits',
    data=json.dumps(deposit).encode(),
    headers={'Authorization': 'Bearer test-token', 'Content-Type': 'application/json'},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)['status'])
