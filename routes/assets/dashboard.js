/* Script of the dashboard: actions without a page load, keys, copies, and checks of typed text. */
'use strict'

/* global getSelection, history, MouseEvent, parse, refresh, showPage */

const pauseMs = 250
const toastMs = 8000

/** Buttons that only work with this script are hidden without it. */
document.documentElement.classList.add('scripted')

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copy]')
  if (button === null) return
  const text = document.getElementById(button.dataset.copy).textContent
  const label = button.textContent
  button.textContent = (await copyText(text)) ? 'Copied' : 'Select the text and copy it'
  setTimeout(() => {
    button.textContent = label
  }, 1500)
})

/** Copies a text. Pages without HTTPS on another host than localhost have no clipboard. */
async function copyText (text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

let sending = Promise.resolve()

/** Actions are sent one after the other, and the page stays. */
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (form.matches('.moments')) {
    event.preventDefault()
    const url = `${form.action}?${new URLSearchParams(new FormData(form))}`
    sending = sending.then(() => turnTo(url, form))
    return
  }
  if (!form.matches('[action*="/__admin/ui/actions/"]') || submitter?.hasAttribute('formaction')) {
    return
  }
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, submitter))
  sending = sending.then(() => send(form, body))
})

/** Shows another moment of the same page. */
async function turnTo (url, form) {
  const response = await fetch(url, { headers: { accept: 'text/html' } })
  history.replaceState(null, '', url)
  for (const control of form.elements) takeOver(control)
  showPage(parse(await response.text()))
}

async function send (form, body) {
  form.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body,
      credentials: 'same-origin'
    })
    const fresh = parse(await response.text())
    if (response.redirected && new URL(response.url).pathname !== location.pathname) {
      return location.assign(response.url)
    }
    if (response.redirected) history.replaceState(null, '', response.url)
    for (const control of form.elements) takeOver(control)
    showPage(fresh)
    hideLater()
  } catch {
    document.getElementById('toast').textContent = 'The server does not answer. Try again.'
  }
  form.removeAttribute('aria-busy')
}

/** What was sent is no longer a change of the reader. */
function takeOver (control) {
  if (control.tagName === 'SELECT') {
    for (const option of control.options) option.defaultSelected = option.selected
  } else if (control.tagName !== 'BUTTON') {
    control.defaultValue = control.value
  }
}

let hiding

/** The result of an action goes by itself, unless it is a problem or somebody reads it. */
function hideLater () {
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    const toast = document.querySelector('.toast.done')
    if (toast === null) return
    if (toast.matches(':hover, :focus-within, :has([open])')) return hideLater()
    dismiss()
  }, toastMs)
}

/** Removes the result of the last action, also from the address of the page. */
function dismiss () {
  const url = new URL(location)
  url.searchParams.delete('result')
  history.replaceState(null, '', url)
  document.getElementById('toast')?.replaceChildren()
}

document.addEventListener('click', ({ target }) => {
  if (target.closest('.dismiss') === null) return
  dismiss()
  document.getElementById('main').focus({ preventScroll: true })
})
hideLater()

/** A click anywhere in a row follows its link, unless somebody selects text. */
document.addEventListener('click', (event) => {
  const link = event.target.closest('tr')?.querySelector('a[data-row]')
  if (link == null || event.target.closest('a, button, input, select, summary, label') !== null) {
    return
  }
  if (String(getSelection()) === '') link.dispatchEvent(new MouseEvent('click', event))
})

/** The key "/" leads to the search. */
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  document.querySelector('[role=search] [type=search]')?.select()
})

let typing
let asked = 0

document.addEventListener('input', ({ target }) => {
  const form = target.closest('form[data-preview]')
  if (form === null) return
  clearTimeout(typing)
  typing = setTimeout(() => preview(form), pauseMs)
})

/** Sends a form as it is now, and shows the part of the answer that follows from it. */
async function preview (form) {
  const number = ++asked
  const url = form.dataset.preview
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams(new FormData(form)),
      credentials: 'same-origin'
    })
    const fresh = parse(await response.text())
    // The answer to an earlier text can arrive later.
    if (number !== asked) return
    // A form that is refused has no such parts. The result of an earlier text must not stay.
    const problem = response.ok ? null : fresh.querySelector('.problem')
    for (const part of document.querySelectorAll('[data-previewed]')) {
      const next = fresh.getElementById(part.id)
      if (next !== null) part.replaceWith(next)
      else if (problem !== null) part.replaceChildren(problem.cloneNode(true))
    }
  } catch {
    // The server is away for a moment; the next letter asks again.
  }
}

/** A choice that changes the rest of its form submits it. */
document.addEventListener('change', ({ target }) => {
  if (target.closest('[data-submits]')?.dataset.submits === target.name) target.form.requestSubmit()
})

/** Clock of the account as the page has shown it first. */
const shownClocks = new WeakMap()

/** Lets the shown clock run between two versions of the page. */
setInterval(() => {
  const clock = document.querySelector('[data-clock]')
  if (clock === null || Number(clock.dataset.clockSpeed) === 0) return
  if (!shownClocks.has(clock)) shownClocks.set(clock, performance.now())
  const passedMs = (performance.now() - shownClocks.get(clock)) * Number(clock.dataset.clockSpeed)
  const time = new Date(Number(clock.dataset.clock) + passedMs).toISOString()
  clock.textContent = `${time.slice(0, 19).replace('T', ' ')}Z`
}, 250)

/** Escape closes the open menu, and so does a click beside it. */
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  const menu = target.closest('details.menu[open]')
  closeMenus()
  menu?.querySelector('summary').focus()
})
document.addEventListener('click', ({ target }) => {
  if (target.closest('details.menu') === null) closeMenus()
})

function closeMenus () {
  for (const menu of document.querySelectorAll('details.menu[open]')) menu.open = false
}

/** The plot of the load moves on, also when nothing happens. */
setInterval(() => {
  if (!document.hidden && document.querySelector('[data-every-second]') !== null) refresh()
}, 1000)
