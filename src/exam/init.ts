/** Configuration that `momock exam init` writes: every setting with a comment. */
export const initialConfig = `# Configuration of an exam: momock exam --config exam.yaml
# The exam starts its own mock of the payments API. Configure your application with it once:
#   base URL http://127.0.0.1:7171, API token exam-token
# or have the exam start your application (see start below).

# Where your application takes callbacks. This alone is depth 0.
callback: http://127.0.0.1:3000/callbacks

# The mock of the exam.
# mock: { port: 7171, token: exam-token }

# Starts your application, with PAWAPAY_BASE_URL, PAWAPAY_API_TOKEN, PAWAPAY_CALLBACK_URL,
# PAWAPAY_PUBLIC_KEY_URL and PORT in its environment. With {{port}} in the URLs, checks can run in
# parallel.
# start: { command: npm start, ready: 'http://127.0.0.1:3000/health', restart: false }

# What your customers would do; depth 1. Placeholders: amount, currency, phoneNumber, provider.
drive:
  deposit:
    http:
      method: POST
      url: http://127.0.0.1:3000/pay
      body:
        amount: '{{amount}}'
        currency: '{{currency}}'
        phoneNumber: '{{phoneNumber}}'
        provider: '{{provider}}'
    reference: $.orderId              # JSONPath into the answer
  # A command gets MOMOCK_AMOUNT, MOMOCK_CURRENCY, MOMOCK_PHONE_NUMBER, MOMOCK_PROVIDER and
  # MOMOCK_REFERENCE as variables, and prints the reference.
  # payout: { command: ./payout.sh }
  # refund:
  #   http: { method: POST, url: 'http://127.0.0.1:3000/orders/{{reference}}/refund' }
  #   reference: $.orderId
  # checkout: { command: ./checkout.sh }
  # A new attempt to pay the same order:
  # retry:
  #   http: { method: POST, url: 'http://127.0.0.1:3000/orders/{{reference}}/pay' }
  #   reference: $.orderId

# What your application has booked for a reference; depth 2. 404 means: it does not know the
# reference.
observe:
  http: { url: 'http://127.0.0.1:3000/orders/{{reference}}' }
  paid: $.paid                        # true or false
  amount: $.amount
  effects: $.effects                  # how many times something was delivered, credited or sent
  # failed: $.failed                  # true or false: is it over, without success?
  # payout: { paid: $.sent }          # where a payout is read otherwise
  # refund: { paid: $.refunded }

# How long effects of a callback take at most.
settle: 1s
# How long your own job may take to notice a missing callback, in real time.
patience: 30s

# Other values for what is driven.
# values: { amount: '15', currency: ZMW, phoneNumber: '260763456789', provider: MTN_MOMO_ZMB }

# hooks:
#   # before each check
#   before: { http: { method: POST, url: 'http://127.0.0.1:3000/reset' } }
#   break: { command: docker compose stop db }   # REC-04 breaks your database
#   mend: { command: docker compose start db }

# Known findings, each with the reason. If a known finding no longer occurs, the exam fails.
expect: {}
#  SIG-05: accepted until the new gateway is live
`
