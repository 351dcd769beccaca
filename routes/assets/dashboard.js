/* Script of the dashboard: buttons that copy, and forms that are checked while somebody types. */
'use strict'

/* global refresh */

const pauseMs = 250

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
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
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
  const form = target.closest('form[data-submits]')
  if (form?.dataset.submits === target.name) form.requestSubmit()
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
