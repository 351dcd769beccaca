/** Pages of the shop. */

export const items = [
  { item: 'Coffee', amount: '15.00', currency: 'ZMW' },
  { item: 'Bread', amount: '22.5', currency: 'ZMW' },
  { item: 'Honey', amount: '60', currency: 'ZMW' }
]

const words = {
  unpaid: 'Please confirm the payment on your phone.',
  paid: 'Paid. Thank you!',
  failed: 'This was not paid.',
  refunding: 'Your money is on its way back.',
  refunded: 'You have your money back.'
}

/** @param {string} [problem] */
export function shopPage (problem) {
  const options = items.map(
    ({ item, amount, currency }, index) =>
      '<label><input type="radio" name="item" ' +
      `value="${index}"${index === 0 ? ' checked' : ''}> ${item}, ${amount} ` +
      `${currency}</label>`
  )
  return page(
    'Corner Shop',
    `
${problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`}
<form method="post" action="/orders">
${options.join('\n')}
<label>Phone number <input name="phone" type="tel" value="260763456789" required></label>
<button>Buy</button>
</form>
<p>260763456789 pays; 260763456039 does not approve; 260763456019 has reached a limit.</p>`
  )
}

/** @param {import('./orders.js').Order} order */
export function orderPage ({
  id,
  item,
  amount,
  currency,
  phoneNumber,
  provider,
  state,
  why,
  callbacks
}) {
  const waiting = state === 'unpaid' || state === 'refunding'
  return page(
    `${item}, ${amount} ${currency}`,
    `
<p data-state="${state}">${words[state]}${why === undefined ? '' : ` (${escaped(why)})`}</p>
<p>${escaped(phoneNumber)}, ${escaped(provider)}; verified callbacks: ${callbacks}</p>
${
  state === 'paid'
    ? `<form method="post" action="/orders/${id}/refund"><button>Give the money ` +
      'back</button></form>'
    : ''
}
<p><a href="/">Back to the shop</a></p>`,
    waiting
  )
}

/** @param {string} text */
function escaped (text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * @param {string} title
 * @param {string} body
 * @param {boolean} waiting
 */
function page (title, body, waiting = false) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${waiting ? '<meta http-equiv="refresh" content="1">' : ''}
<title>${title}</title>
<style>
body { font: 18px/1.6 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem }
label { display: block }
button, input[type=tel] { font: inherit; padding: .3rem .8rem; margin: .5rem 0 }
</style>
</head>
<body>
<h1>${title}</h1>${body}
</body>
</html>
`
}
