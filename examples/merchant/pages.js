/** Pages of the shop. */

import { style } from './style.js'

export const items = [
  { item: 'Coffee', amount: '15.00', currency: 'ZMW' },
  { item: 'Bread', amount: '22.5', currency: 'ZMW' },
  { item: 'Honey', amount: '60', currency: 'ZMW' }
]

/** Text about each state, and its short name. */
const words = {
  unpaid: ['Please confirm the payment on your phone.', 'waiting'],
  paid: ['Paid. Thank you!', 'paid'],
  failed: ['This was not paid.', 'failed'],
  refunding: ['Your money is on its way back.', 'refunding'],
  refunded: ['You have your money back.', 'refunded']
}

/** Orders that the first page shows. */
const latest = 5

/**
 * @param {import('./orders.js').Order[]} orders newest first
 * @param {string} [problem]
 */
export function shopPage (orders, problem) {
  const options = items.map(
    ({ item, amount, currency }, index) =>
      '<label class="choice"><input type="radio" name="item" ' +
      `value="${index}"${index === 0 ? ' checked' : ''}> <span>${item}</span> ` +
      `<b>${price(amount, currency)}</b></label>`
  )
  return page(
    'Corner Shop',
    `
${problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`}
<form class="card" method="post" action="/orders">
<fieldset><legend>What would you like?</legend>
${options.join('\n')}
</fieldset>
<label for="phone">Phone number</label>
<input id="phone" name="phone" type="tel" value="260763456789" required>
<p class="hint">260763456789 pays; 260763456039 does not approve;
260763456019 has reached a limit.</p>
<button>Buy</button>
</form>
${
  orders.length === 0
    ? ''
    : `<section class="card"><h2>Latest orders</h2>
${orderTable(orders.slice(0, latest))}
<p><a href="/orders">All orders (${orders.length})</a></p></section>`
}`
  )
}

/** @param {import('./orders.js').Order[]} orders newest first */
export function ordersPage (orders) {
  const empty = '<p>Nobody has bought anything yet.</p>'
  return page(
    'Orders',
    `
<section class="card">${orders.length === 0 ? empty : orderTable(orders)}</section>
<p><a href="/">Back to the shop</a></p>`
  )
}

/** @param {import('./orders.js').Order} order */
export function orderPage (order) {
  const { id, item, amount, currency, phoneNumber, provider, state, why, attempts } = order
  const [text] = words[state]
  const again = state === 'failed' ? action(id, 'pay', 'Try again') : ''
  const refund = state === 'paid' ? action(id, 'refund', 'Give the money back') : ''
  return page(
    `${item}, ${price(amount, currency)}`,
    `
<section class="card" data-live id="order">
<p class="state ${state}" data-state="${state}" role="status">${text}${
      why === undefined ? '' : ` (${escaped(why)})`
    }</p>
<dl>
<dt>Phone number</dt><dd>${escaped(phoneNumber)}, ${escaped(provider)}</dd>
<dt>Payment</dt><dd><code>${escaped(attempts.at(-1) ?? id)}</code></dd>
<dt>Callback</dt><dd>${proof(order)}</dd>
</dl>
${again}${refund}
</section>
<p><a href="/orders">All orders</a> · <a href="/">Back to the shop</a></p>`
  )
}

/** @param {import('./orders.js').Order} order */
function proof ({ verified, callbacks }) {
  if (verified === undefined) {
    return '<span class="unproven">none yet; the shop asks for the status meanwhile</span>'
  }
  const { status, keyId, at } = verified
  return (
    `<span class="verified">✓ signature verified</span> ${escaped(status)}, key ` +
    `<code>${escaped(keyId)}</code>, ${new Date(at).toISOString().slice(11, 19)} UTC` +
    (callbacks > 1 ? `; ${callbacks} verified callbacks` : '')
  )
}

const unproven = '<span class="unproven">–</span>'

/** @param {import('./orders.js').Order[]} orders */
function orderTable (orders) {
  const rows = orders.map(
    ({ id, item, amount, currency, state, verified }) => `<tr>
<td><a href="/orders/${id}">${item}</a></td><td>${price(amount, currency)}</td>
<td><span class="state ${state}" data-state="${state}">${words[state][1]}</span></td>
<td>${verified === undefined ? unproven : '<span class="verified">✓ verified</span>'}</td></tr>`
  )
  return `<table data-live id="orders">
<thead><tr><th>Order</th><th>Price</th><th>Status</th><th>Callback</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table>`
}

/**
 * @param {string} id
 * @param {string} name
 * @param {string} text
 */
function action (id, name, text) {
  return `<form method="post" action="/orders/${id}/${name}"><button>${text}</button></form>`
}

/**
 * @param {string} amount
 * @param {string} currency
 */
function price (amount, currency) {
  return `${Number(amount).toFixed(2)} ${currency}`
}

/** @param {string} text */
function escaped (text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Replaces the live parts of a page every second, while an order on it waits. A callback can come
 * after the status check that found the result, so the page looks out for it for another minute.
 */
const script = `
let patience = 60
const refresh = async () => {
  const isWaiting = document.querySelector('.unpaid, .refunding') !== null
  const isUnproven = document.querySelector('.unproven') !== null && patience > 0
  if (!isWaiting && !isUnproven) return
  if (!isWaiting) patience--
  try {
    const text = await (await fetch(location.href)).text()
    const fresh = new DOMParser().parseFromString(text, 'text/html')
    for (const part of document.querySelectorAll('[data-live]')) {
      const next = fresh.getElementById(part.id)
      if (next !== null && next.outerHTML !== part.outerHTML) part.replaceWith(next)
    }
  } catch {}
  setTimeout(refresh, 1000)
}
setTimeout(refresh, 1000)
`

/**
 * @param {string} title
 * @param {string} body
 */
function page (title, body) {
  const isWaiting = /class="state (unpaid|refunding)"/.test(body)
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isWaiting ? '<noscript><meta http-equiv="refresh" content="1"></noscript>' : ''}
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>${body}
</main>
<script>${script}</script>
</body>
</html>
`
}
