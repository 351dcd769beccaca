/* Script of the pages: live updates, countdowns, help with forms. The pages work without it. */
'use strict'

const pollMs = 2000
const silenceMs = 4000
const typingMs = 250
/** Shortest time between two versions of the page: a busy server must not keep the browser busy. */
const paceMs = 250

let main = document.getElementById('main')
let stream
let polling
let timers = []
let isRefreshing = false
let isStale = false
let shownAt = -paceMs

/** Address of the page. */
function here () {
  return new URL((main.dataset.path || location.pathname) + location.search, location.origin)
}

/** Address of the page with the values of its form. */
function asTyped (url) {
  const form = main.querySelector('form.wallet')
  if (form !== null) {
    for (const [name, value] of new FormData(form)) url.searchParams.set(name, value)
    // The values may have changed since they were checked.
    for (const name of ['checked', 'refused']) url.searchParams.delete(name)
  }
  return url
}

/** Replaces the page with its current version. One refresh at a time: the next one waits. */
async function refresh () {
  isStale = true
  if (isRefreshing) return
  isRefreshing = true
  while (isStale) {
    await pause(shownAt + paceMs - performance.now())
    isStale = false
    if (await loadPage()) continue
    // Nobody tells of the change again: the stream ends with the last one.
    isStale = !document.hidden
    await pause(pollMs)
  }
  isRefreshing = false
}

function pause (ms) {
  return ms <= 0 ? undefined : new Promise((resolve) => setTimeout(resolve, Math.ceil(ms)))
}

/** Returns false if the server is away for a moment. */
async function loadPage () {
  try {
    const response = await fetch(asTyped(here()), {
      headers: { accept: 'text/html' },
      credentials: 'same-origin'
    })
    if (response.status >= 500) return false
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = fresh.getElementById('main')
    if (
      next === null ||
      (next.dataset.mark === main.dataset.mark && next.dataset.state === main.dataset.state)
    ) {
      return true
    }
    document.title = fresh.title
    keepOpen(fresh)
    keepTyped(fresh)
    const focused = rememberFocus()
    document.querySelector('body > header').replaceWith(fresh.querySelector('body > header'))
    replaceMain(next)
    shownAt = performance.now()
    document.getElementById('news').textContent = main.dataset.news
    if (document.activeElement === document.body) focused()
    begin()
    return true
  } catch {
    return false
  }
}

/** Replaces the content. A page with a form marks the parts that change, and the form stays. */
function replaceMain (next) {
  const parts = main.querySelectorAll('[data-live]')
  if (parts.length === 0) {
    main.replaceWith(next)
    main = next
    return
  }
  for (const part of parts) {
    const fresh = next.querySelector(`#${CSS.escape(part.id)}`)
    if (fresh !== null) part.replaceWith(fresh)
  }
  Object.assign(main.dataset, next.dataset)
}

/** Keeps the parts open that the reader has opened. */
function keepOpen (fresh) {
  for (const { id } of document.querySelectorAll('details[open][id]')) {
    const part = fresh.getElementById(id)
    if (part !== null) part.open = true
  }
}

/** Key of a control or a link, which is the same in another version of the page. */
function keyOf (element) {
  const form = element.closest('form')
  return JSON.stringify([
    element.tagName,
    element.name ?? element.getAttribute('href') ?? element.parentElement.id,
    element.matches('a, button') ? element.textContent : '',
    form?.getAttribute('action'),
    ...(form?.querySelectorAll('[type=hidden]') ?? []).values().map(({ value }) => value)
  ])
}

function findByKey (root, selector, key) {
  return [...root.querySelectorAll(selector)].find((element) => keyOf(element) === key)
}

/** Keeps what the reader has typed and chosen. */
function keepTyped (fresh) {
  for (const control of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    const isTouched =
      control.tagName === 'SELECT'
        ? [...control.options].some(({ selected, defaultSelected }) => selected && !defaultSelected)
        : control.value !== control.defaultValue
    if (!isTouched || control.matches('[type=radio], [type=checkbox]')) continue
    const next = findByKey(fresh, control.tagName, keyOf(control))
    if (next !== undefined) next.value = control.value
  }
}

/** Returns a function that gives the focus back to the same element of the new version. */
function rememberFocus () {
  const element = document.activeElement
  const { tagName, selectionStart, selectionEnd } = element
  const key = element === document.body ? undefined : keyOf(element)
  return () => {
    const next = key === undefined ? undefined : findByKey(document, tagName, key)
    ;(next ?? main).focus({ preventScroll: true })
    if (typeof selectionStart === 'number') next?.setSelectionRange(selectionStart, selectionEnd)
  }
}

/** Follows changes by the event stream, or by polling if there is none. */
function follow () {
  const { follow: url } = main.dataset
  if (url === undefined || document.hidden) return stop()
  if (stream !== undefined || polling !== undefined) return
  if (!('EventSource' in window)) return poll()
  stream = new EventSource(url)
  // The first event comes at once. Without it, a proxy holds the stream back.
  const silence = setTimeout(() => {
    if (stream !== undefined) poll()
  }, silenceMs)
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

/** Browsers have few connections per server: a hidden page keeps none. */
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
    const left = Math.max(
      0,
      Number(clock.dataset.leftMs) - (performance.now() - since) * Number(clock.dataset.speed)
    )
    const seconds = Math.ceil(left / 1000)
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    if (left === 0) refresh()
  }
  timers.push(setInterval(tick, 1000))
}

/** Opens the next page. */
function openNextPage () {
  const { onward, onwardAfter } = main.dataset
  if (onward === undefined || !/^https?:\/\//.test(onward)) return
  const note = main.querySelector('[data-countdown]')
  let seconds = Number(onwardAfter)
  if (note !== null && seconds > 0) {
    // One text for every second that is left.
    const texts = JSON.parse(note.dataset.countdown)
    timers.push(
      setInterval(() => {
        seconds = Math.max(0, seconds - 1)
        note.textContent = texts[seconds]
      }, 1000)
    )
  }
  timers.push(setTimeout(() => location.replace(onward), seconds * 1000))
}

/** Shows the fields and limits of the chosen provider. */
function choose (form) {
  const chosen = form.querySelector('[name=provider]:checked')
  for (const line of form.querySelectorAll('[data-limits-of]')) {
    line.hidden = chosen !== null && chosen.value !== line.dataset.limitsOf
  }
  for (const field of form.querySelectorAll('[data-for-auth]')) {
    field.hidden = chosen !== null && chosen.dataset.auth !== field.dataset.forAuth
  }
}

/** Shows the hint of a number, and selects its provider. */
function show (form, hint, provider) {
  const before = form.querySelector('[data-by-number]')
  if (before !== null) {
    // The only one there is stays chosen.
    before.checked = form.querySelectorAll('[name=provider]').length === 1
    delete before.dataset.byNumber
  }
  if (provider !== undefined) {
    provider.checked = true
    provider.dataset.byNumber = 'true'
  }
  form.querySelector('#phoneHint').textContent = hint
  choose(form)
}

/**
 * Asks for the provider of a number and selects it. If the number belongs to another country, opens
 * the page of that country.
 */
async function predict (form, input) {
  const { predictions, country, predicted, unpredicted, unoffered } = input.dataset
  const typed = input.value
  if (typed.replace(/\D/g, '').length < 7) return
  const response = await fetch(
    `${predictions}?${new URLSearchParams({ country, phoneNumber: typed })}`,
    { headers: { accept: 'application/json' } }
  )
  const answer = await response.json()
  if (input.value !== typed) return
  if (!response.ok) {
    return show(form, answer.error.code === 'INVALID_PROVIDER' ? unoffered : unpredicted)
  }
  const radio = form.querySelector(`[name=provider][value="${CSS.escape(answer.provider)}"]`)
  if (radio !== null) return show(form, predicted.replace('{provider}', answer.displayName), radio)
  if (form.querySelector('#country') === null || answer.country === country) {
    return show(form, unoffered)
  }
  const url = asTyped(here())
  url.searchParams.set('country', answer.country)
  url.searchParams.delete('provider')
  location.replace(url)
  return 'left'
}

function fillIn () {
  const form = main.querySelector('form.wallet')
  if (form === null) return
  const select = form.querySelector('[data-submits]')
  if (select !== null) {
    const button = form.querySelector('[data-plain]')
    button.hidden = true
    select.addEventListener('change', () => form.requestSubmit(button))
  }
  form.addEventListener('change', ({ target }) => {
    // A provider that was chosen by hand stays when the number changes.
    if (target.name === 'provider') delete form.querySelector('[data-by-number]')?.dataset.byNumber
    choose(form)
  })
  choose(form)
  const input = form.querySelector('[data-predictions]')
  let typing
  input?.addEventListener('input', () => {
    clearTimeout(typing)
    // Removes the hint of the earlier number.
    show(form, input.dataset.plainHint)
    typing = setTimeout(() => ask(), typingMs)
  })
  const ask = async () => {
    const asked = typing
    const went = await predict(form, input).catch(() => {})
    if (typing === asked) typing = undefined
    return went
  }
  // Waits for the answer before the form is sent: otherwise a number could be sent with the
  // provider of an earlier one.
  form.addEventListener('submit', async (event) => {
    if (typing === undefined || event.submitter?.formMethod === 'get') return
    event.preventDefault()
    clearTimeout(typing)
    if ((await ask()) !== 'left') form.requestSubmit(event.submitter)
  })
}

/** Looks again after a moment, where the page says that it is not complete yet. */
function lookAgain () {
  const part = main.querySelector('[data-again]')
  if (part !== null) timers.push(setTimeout(refresh, Number(part.dataset.again)))
}

function begin () {
  for (const timer of timers) clearTimeout(timer)
  timers = []
  lookAgain()
  follow()
  countDown()
  openNextPage()
  fillIn()
}

begin()
