/* Script of the reference: search, copy and send. The pages can be read without it. */
'use strict'

const tokenNames = ['token', 'adminToken']
const search = document.getElementById('search')
const found = document.getElementById('found')
const groups = [...document.querySelectorAll('nav details')]
const openBefore = new Set(groups.filter(({ open }) => open))

/** Shows the operations or pages that contain all words of the search. */
function filter () {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const group of groups) {
    const items = [...group.querySelectorAll('li')]
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.words.includes(word))
    }
    const shown = items.filter(({ hidden }) => !hidden).length
    count += shown
    group.hidden = shown === 0
    group.open = words.length === 0 ? openBefore.has(group) : shown > 0
  }
  found.textContent = words.length === 0 ? '' : `${count} ${found.dataset.what}`
}

/** Adds a button that copies a block. */
function addCopyButton (block) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const text = block.querySelector('pre').textContent
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // Without the permission, or without HTTPS, the block is selected for Ctrl-C.
      document.getSelection().selectAllChildren(block.querySelector('pre'))
      button.textContent = 'Press Ctrl-C'
      return
    }
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.append(button)
}

/** Sends the request of a form and shows the answer. */
async function send (form) {
  const values = Object.fromEntries(new FormData(form))
  const result = form.querySelector('.result')
  const headers = { accept: 'application/json' }
  if (values.token) headers.authorization = `Bearer ${values.token}`
  if (values.adminToken) headers['x-momock-admin-token'] = values.adminToken
  if (values.body !== undefined) headers['content-type'] = 'application/json'
  const begin = performance.now()
  try {
    const url = new URL(values.path, location.origin)
    if (url.origin !== location.origin) throw new Error('the path must begin with one /')
    const response = await fetch(url, { method: form.dataset.method, headers, body: values.body })
    const text = await readStart(response)
    const ms = Math.round(performance.now() - begin)
    show(result, `${response.status} ${response.statusText} in ${ms} ms`, text)
  } catch (error) {
    show(result, 'Not sent', error.message)
  }
}

/** Puts new identifiers into the body of a form: a repeated one would be a duplicate. */
function renewIds (form, field) {
  const body = form.elements.namedItem('body')
  try {
    const value = JSON.parse(body.value)
    for (const payment of [value].flat()) {
      payment[field] = createUuid()
      // The payouts of a split payment.
      for (const part of payment.splits ?? []) part.payoutId = createUuid()
    }
    body.value = JSON.stringify(value, null, 2)
  } catch (error) {
    show(form.querySelector('.result'), 'The body is not valid JSON', error.message)
  }
}

/** Returns a random UUID, also on pages without HTTPS, where crypto.randomUUID is missing. */
function createUuid () {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Reads the text of an answer. A stream of events has no end: its first part is enough. */
async function readStart (response) {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return format(await response.text())
  }
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

function format (text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function show (result, line, text) {
  const title = document.createElement('p')
  title.className = 'status'
  title.textContent = line
  const block = document.createElement('pre')
  block.tabIndex = 0
  block.textContent = text
  result.replaceChildren(title, block)
}

/** Keeps typed tokens for all forms and pages of this browser tab. */
function keepTokens (form) {
  for (const name of tokenNames) {
    const input = form.elements.namedItem(name)
    if (input === null) continue
    input.value = sessionStorage.getItem(name) ?? input.value
    input.addEventListener('change', () => {
      sessionStorage.setItem(name, input.value)
      for (const other of document.querySelectorAll(`.send [name=${name}]`)) {
        other.value = input.value
      }
    })
  }
}

search.closest('.search').hidden = false
search.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  search.focus()
})
for (const block of document.querySelectorAll('.copied')) addCopyButton(block)
for (const form of document.querySelectorAll('.send')) {
  form.hidden = false
  keepTokens(form)
  const newId = form.querySelector('.new-id')
  newId?.addEventListener('click', () => renewIds(form, newId.dataset.field))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form)
  })
}
