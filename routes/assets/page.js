/* Script of the pages: live updates and countdowns. The pages work without it. */
'use strict'

const pollMs = 2000
const silenceMs = 4000
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
    // A page that says why nothing can be shown has no header.
    document.querySelector('body > header')?.remove()
    main.before(...fresh.querySelectorAll('body > header'))
    document.body.className = fresh.body.className
    replaceMain(next)
    shownAt = performance.now()
    document.getElementById('news').textContent = main.dataset.news ?? fresh.title
    if (document.activeElement === document.body) focused()
    begin()
    return true
  } catch {
    return false
  }
}

/** Replaces the content. A page with a form marks the parts that change, and the form stays. */
function replaceMain (next) {
  const parts = next.querySelectorAll('[data-live]')
  const shown = [...parts].map(({ id }) => main.querySelector(`#${CSS.escape(id)}[data-live]`))
  if (parts.length === 0 || shown.includes(null)) {
    main.replaceWith(next)
    main = next
    return
  }
  for (const [index, part] of parts.entries()) shown[index].replaceWith(part)
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
    ...Array.from(form?.querySelectorAll('[type=hidden]') ?? [], ({ value }) => value)
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

function begin () {
  for (const timer of timers) clearTimeout(timer)
  timers = []
  follow()
  countDown()
  openNextPage()
  // Other scripts prepare their parts of the page.
  main.dispatchEvent(new Event('shown', { bubbles: true }))
}

begin()
