// A client with a hard-coded host. It prints the answer to its deposit.
const response = await fetch('https://api.sandbox.pawapay.io/v2/deposits', {
  method: 'POST',
  headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
  body: JSON.stringify({
    depositId: process.argv[2],
    amount: '15',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
    }
  })
})
console.log(await response.text())
