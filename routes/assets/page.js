/* Script of the pages: live updates and countdowns. The pages work without it. */
'use strict'

/* global Idiomorph */

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
let told = main.dataset.news

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
  const options = { headers: { accept: 'text/html' }, credentials: 'same-origin' }
  const text = await fetch(asTyped(here()), options)
    .then((response) => (response.status >= 500 ? undefined : response.text()))
    .catch(() => {})
  if (text === undefined) return false
  const fresh = parse(text)
  const { mark, state } = fresh.getElementById('main')?.dataset ?? main.dataset
  if (mark !== main.dataset.mark || state !== main.dataset.state) showPage(fresh)
  return true
}

function parse (text) {
  return new DOMParser().parseFromString(text, 'text/html')
}

/**
 * Shows another version of the page. What is the same stays: the selection, the focus, open parts,
 * typed text, and a press that has begun.
 */
function showPage (fresh) {
  document.title = fresh.title
  Idiomorph.morph(document.body, fresh.body, {
    callbacks: { beforeNodeMorphed: isLive, beforeAttributeUpdated: isOurs }
  })
  main = document.getElementById('main')
  shownAt = performance.now()
  const text = main.dataset.news ?? fresh.title
  // A screen reader says it again each time it is set.
  const news = document.getElementById('news')
  if (text !== told && news !== null) news.textContent = told = text
  begin()
}

/** A part with a key stays as it is until it has another key. */
function isLive (shown, next) {
  if (shown.id === 'news' && next.id === 'news') return false
  const key = shown.dataset?.still
  return key === undefined || key !== next.dataset?.still
}

/** Parts that the reader opens, and controls that the reader has changed, are the reader's. */
function isOurs (name, element) {
  if (name === 'open') return false
  if (name === 'value') return element.value === element.defaultValue
  if (name === 'checked') return element.checked === element.defaultChecked
  if (name !== 'selected') return true
  const options = [...element.closest('select').options]
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0]).selected
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
