# A client with a hard-coded host. It prints the status of its deposit.
require 'json'
require 'net/http'

payer = { type: 'MMO', accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' } }
deposit = { depositId: ARGV[0], amount: '15', currency: 'ZMW', payer: payer }
headers = { 'Authorization' => 'Bearer test-token', 'Content-Type' => 'application/json' }
uri = URI('https://api.sandbox.pawapay.io/v2/deposits')
puts JSON.parse(Net::HTTP.post(uri, deposit.to_json, headers).body)['status']
