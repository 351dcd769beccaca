/* What a page does for who has scripts: it follows what happens, counts down, and helps to fill in the form. Without it everything still works. */
'use strict'

const pollMs = 2000
const silenceMs = 4000
const typingMs = 250

let main = document.getElementById('main')
let stream
let polling
let timers = []

/** The address of the page, which is another than that of a form that came back with its problems. */
function here () {
  return new URL((main.dataset.path || location.pathname) + location.search, location.origin)
}

/** Puts the page as it is now in the place of the one that is shown. */
async function refresh () {
  try {
    const response = await fetch(here(), { headers: { accept: 'text/html' }, credentials: 'same-origin' })
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = fresh.getElementById('main')
    if (next === null || (next.dataset.mark === main.dataset.mark && next.dataset.state === main.dataset.state)) return
    document.title = fresh.title
    main.replaceWith(next)
    main = next
    document.getElementById('news').textContent = main.dataset.news
    if (document.activeElement === document.body) main.focus({ preventScroll: true })
    begin()
  } catch {
    // The server is away for a moment; the next try will tell.
  }
}

/** Hears of changes as they happen, or asks from time to time where that is not possible. */
function follow () {
  const { follow: url } = main.dataset
  if (url === undefined || document.hidden) return stop()
  if (stream !== undefined || polling !== undefined) return
  if (!('EventSource' in window)) return poll()
  stream = new EventSource(url)
  // The first word comes at once; where none does, something on the way keeps the stream back.
  const silence = setTimeout(() => { if (stream !== undefined) poll() }, silenceMs)
  stream.addEventListener('state', (event) => {
    clearTimeout(silence)
    if (event.lastEventId !== main.dataset.mark) refresh()
  })
  stream.addEventListener('end', () => stream.close())
  stream.addEventListener('error', () => {
    if (stream.readyState === EventSource.CLOSED) poll()
  })
}

function poll () {
  polling ??= setInterval(refresh, pollMs)
}

function stop () {
  stream?.close()
  clearInterval(polling)
  stream = polling = undefined
}

/** A browser has few connections for one server: a page that nobody looks at keeps none. */
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh()
  follow()
})

/** Shows the time that is left; when it is up, the page is another. */
function countDown () {
  const clock = main.querySelector('[data-left-ms]')
  if (clock === null || Number(clock.dataset.speed) === 0) return
  const since = performance.now()
  const tick = () => {
    const left = Math.max(0, Number(clock.dataset.leftMs) - (performance.now() - since) * Number(clock.dataset.speed))
    const seconds = Math.ceil(left / 1000)
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    if (left === 0) refresh()
  }
  timers.push(setInterval(tick, 1000))
}

/** Goes on to where the page leads. */
function goOn () {
  const { onward, onwardAfter } = main.dataset
  if (onward === undefined || !/^https?:\/\//.test(onward)) return
  const note = main.querySelector('[data-countdown]')
  let seconds = Number(onwardAfter)
  if (note !== null && seconds > 0) {
    // One text for every second that is left.
    const texts = JSON.parse(note.dataset.countdown)
    timers.push(setInterval(() => {
      seconds = Math.max(0, seconds - 1)
      note.textContent = texts[seconds]
    }, 1000))
  }
  timers.push(setTimeout(() => location.replace(onward), seconds * 1000))
}

/** The form shows what goes with the chosen provider. */
function choose (form) {
  const chosen = form.querySelector('[name=provider]:checked')
  const hint = form.querySelector('#amountHint')
  if (chosen !== null && hint !== null) hint.textContent = chosen.dataset.limits
  for (const field of form.querySelectorAll('[data-for-auth]')) field.hidden = chosen !== null && chosen.dataset.auth !== field.dataset.forAuth
}

/** Asks whose number it is, and chooses that provider. */
async function predict (form, input) {
  const { predictions, country, predicted, unpredicted } = input.dataset
  const hint = form.querySelector('#phoneHint')
  const typed = input.value
  if (typed.replace(/\D/g, '').length < 7) return
  const response = await fetch(`${predictions}?${new URLSearchParams({ country, phoneNumber: typed })}`, { headers: { accept: 'application/json' } })
  if (input.value !== typed) return
  if (!response.ok) {
    hint.textContent = unpredicted
    return
  }
  const { provider, displayName, country: home } = await response.json()
  const select = main.querySelector('#country')
  const radio = form.querySelector(`[name=provider][value="${CSS.escape(provider)}"]`)
  if (radio === null && select !== null && home !== country) return elsewhere(select, home, typed)
  if (radio === null) return
  radio.checked = true
  hint.textContent = predicted.replace('{provider}', displayName)
  choose(form)
}

/** The number is of another country: its providers are shown. */
function elsewhere (select, country, phoneNumber) {
  const url = here()
  url.searchParams.set('country', country)
  url.searchParams.set('phoneNumber', phoneNumber)
  location.replace(url)
}

function fillIn () {
  const select = main.querySelector('[data-submits]')
  if (select !== null) {
    main.querySelector('[data-plain]').hidden = true
    select.addEventListener('change', () => select.form.requestSubmit())
  }
  const form = main.querySelector('form.wallet')
  if (form === null) return
  form.addEventListener('change', () => choose(form))
  choose(form)
  const input = form.querySelector('[data-predictions]')
  let typing
  input?.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(() => predict(form, input).catch(() => {}), typingMs)
  })
}

function begin () {
  for (const timer of timers) clearTimeout(timer)
  timers = []
  follow()
  countDown()
  goOn()
  fillIn()
}

begin()
