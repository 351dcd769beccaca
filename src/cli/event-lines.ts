import type { MockEvent } from '../monitoring/mock-event.ts'
import { paintAlways, type TextStyle } from '../lib/colour.ts'
import { showText } from '../lib/terminal-text.ts'

/** Lines of events, for the terminal of the server and for `momock tail`. */

type Of<Type extends MockEvent['type']> = MockEvent & { type: Type }
type Text = [text: string, style?: TextStyle]

/** Line before it is laid out: what it is about, what happened, and details. */
interface Line {
  time: string
  subject: string
  what: Text[]
  details: Text[]
}

/** Width of a kind with a short identifier: `deposit 4e742c59`. */
const subjectWidth = 16
/** Width of the subject and of what happened. */
const whatWidth = 43

/**
 * Returns the line of an event. A change of status can be given with its callback. If all events
 * are of one account, its name is left out.
 */
export function formatEvent (
  event: MockEvent,
  colours: boolean,
  sent?: Of<'callback'>,
  accounts: 'own' | 'all' = 'all'
): string {
  const line = describeEvent(event, sent)
  const isOwn = accounts === 'own' || event.account === 'default'
  const account: Text[] = isOwn ? [] : [[`[${event.account}]`, 'dim']]
  return layOut({ ...line, details: [...line.details, ...account] }, colours)
}

/** Returns a line of its own text at a time. */
export function formatNote (time: string, what: string, rest: string, colours: boolean): string {
  return layOut({ time, subject: '', what: [[what]], details: [[rest]] }, colours)
}

function describeEvent (event: MockEvent, callback?: Of<'callback'>): Line {
  switch (event.type) {
    case 'accepted':
      return describeAccepted(event)
    case 'status':
      return describeStatus(event, callback)
    case 'callback':
      return describeCallback(event)
    case 'answer':
      return describeAnswer(event)
  }
}

function describeAccepted (event: Of<'accepted'>): Line {
  const { amount, currency, provider, status, origin, scenario } = event
  const sum = [amount, currency, provider].filter((part) => part !== undefined).join(' ')
  const hasScenario = origin === 'file' || origin === 'added' || origin === 'named'
  return {
    time: event.time,
    subject: namePayment(event.kind, event.paymentId),
    what: sum === '' ? [[status, 'cyan']] : [[sum]],
    details: [
      ...(sum === '' ? [] : [[status, 'cyan'] satisfies Text]),
      ...(hasScenario ? [[`scenario ${scenario}`] satisfies Text] : [])
    ]
  }
}

function describeStatus (event: Of<'status'>, callback?: Of<'callback'>): Line {
  const { status, failureCode, time, kind, paymentId } = event
  const cause = nameCause(event)
  const words = [status, failureCode, cause === '' ? undefined : `(${cause})`]
  return {
    time,
    subject: namePayment(kind, paymentId),
    what: [[words.filter((word) => word !== undefined).join(' '), styleOf(status)]],
    details:
      callback === undefined ? describeDelivery(event) : describeAttempt(callback, 'callback ')
  }
}

/** Words for the source of a plan. A usual payment needs none. */
const originWords: Record<Of<'status'>['origin'], (cause: string) => string> = {
  default: () => '',
  testNumber: () => 'test number',
  customer: () => 'the customer did not answer',
  file: (cause) => `scenario ${cause}`,
  added: (cause) => `scenario ${cause}`,
  named: (cause) => `scenario ${cause}`,
  waitingPart: () => '',
  checkout: () => 'its time is up'
}

function nameCause ({ by, cause, origin }: Of<'status'>): string {
  return by === 'plan' ? originWords[origin](cause) : cause
}

/** Words for a final status without a callback. */
const silenceWords: Record<NonNullable<Of<'status'>['noCallback']>, string> = {
  nowhere: 'no callback: no URL is set (--callback-url or PATCH /__admin/account)',
  part: 'no callback: the payment is a part of another one',
  dropped: 'no callback: the scenario drops it'
}

/** Describes a callback that was not tried yet, or why there is none. */
function describeDelivery ({ callback, noCallback }: Of<'status'>): Text[] {
  if (noCallback !== undefined) {
    return [[silenceWords[noCallback], noCallback === 'nowhere' ? 'yellow' : 'dim']]
  }
  if (callback === undefined) return []
  const when = callback.inMs > 0 ? `callback in ${formatMs(callback.inMs)}` : 'callback is sent'
  return [[when], [callback.url, 'dim']]
}

function describeCallback (event: Of<'callback'>): Line {
  const { time, kind, paymentId, attempt } = event
  return {
    time,
    subject: namePayment(kind, paymentId),
    what: [[`callback, attempt ${attempt}`]],
    details: describeAttempt(event, '')
  }
}

function describeAttempt (
  { httpStatus, error, durationMs, state, nextInMs, url }: Of<'callback'>,
  name: string
): Text[] {
  const result =
    httpStatus === undefined
      ? `${name}failed: ${error ?? 'no answer'}`
      : `${name}${httpStatus} in ${formatMs(durationMs)}`
  const next =
    state === 'PENDING'
      ? `, again in ${formatMs(nextInMs ?? 0)}`
      : state === 'EXHAUSTED'
        ? ', no more attempts'
        : ''
  return [
    [`${result}${next}`, state === 'ACKNOWLEDGED' ? 'green' : 'red'],
    [url, 'dim']
  ]
}

function describeAnswer (event: Of<'answer'>): Line {
  const { method, path, kind, paymentId, httpStatus, code, message = '', fault } = event
  const isKnown = paymentId !== undefined && kind !== undefined
  const place = `${method} ${path} ${httpStatus}`
  const style = code === 'DUPLICATE_IGNORED' ? 'yellow' : 'red'
  const detail =
    fault !== undefined
      ? `the answer was ${faultWords[fault]} by a scenario`
      : code === 'DUPLICATE_IGNORED'
        ? 'this identifier was accepted before; nothing changed'
        : message
  return {
    time: event.time,
    subject: isKnown ? namePayment(kind, paymentId) : place,
    what: [[code, style]],
    details: [[detail], ...(isKnown ? [[place, 'dim'] satisfies Text] : [])]
  }
}

const faultWords: Record<NonNullable<Of<'answer'>['fault']>, string> = {
  reset: 'replaced with a reset of the connection',
  lost: 'lost',
  truncated: 'cut off',
  slow: 'slowed down'
}

function styleOf (status: Of<'status'>['status']): TextStyle {
  if (status === 'COMPLETED') return 'green'
  return ['FAILED', 'PAYOUT_FAILED', 'EXPIRED', 'CANCELLED'].includes(status) ? 'red' : 'cyan'
}

/** Names a payment with the beginning of its identifier. */
function namePayment (kind: string, id: string | undefined): string {
  return id === undefined ? kind : `${kind} ${id.slice(0, 8)}`
}

/** Writes a duration as people read it: `12 ms`, `2 s`, `15 min`. */
export function formatMs (ms: number): string {
  if (ms < 1000) return `${ms} ms`
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`
  return `${Math.round(ms / 60_000)} min`
}

/** Puts a line into columns. A long text moves the rest of its line. */
function layOut (line: Line, colours: boolean): string {
  const { time } = line
  const [subject, what, details] = [showText(line.subject), show(line.what), show(line.details)]
  const isRequest = subject.includes('/')
  const first =
    subject === '' ? '' : isRequest ? `${subject} ` : `${subject.padEnd(subjectWidth)}  `
  const plain = what.map(([text]) => text).join(' ')
  const gap = ' '.repeat(Math.max(whatWidth - first.length - plain.length, 0))
  const shown = details.filter(([text]) => text !== '')
  const whole = [
    `${paint([formatTime(time), 'dim'], colours)}  ${first}`,
    what.map((text) => paint(text, colours)).join(' '),
    ...(shown.length === 0
      ? []
      : [`${gap}  `, shown.map((text) => paint(text, colours)).join('  ')])
  ]
  return whole.join('').trimEnd()
}

/** Texts of events come from strangers. */
function show (texts: Text[]): Text[] {
  return texts.map(([text, style]) => [showText(text), style])
}

function paint ([text, style]: Text, colours: boolean): string {
  return style === undefined || !colours || text === '' ? text : paintAlways(style, text)
}

/** Writes the time of day in UTC, as the log, the dashboard and the API do. */
function formatTime (time: string): string {
  return `${new Date(time).toISOString().slice(11, 19)}Z`
}
