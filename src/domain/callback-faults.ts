import type { Static } from '@sinclair/typebox'
import { closed, Duration, Type } from '../lib/typebox.ts'
import { parseDuration } from '../lib/duration.ts'

/**
 * Faults of callbacks that a scenario can ask for: their type, their file format and their rules.
 */

/**
 * Fault in the signature or the body of a callback, so that a merchant can test the verification.
 */
export interface ForgeryFault {
  /** Age of the signature. */
  staleMs?: number
  /** Signed with a key that is not ours, under the id of ours. */
  wrongKey?: boolean
  /** Signed for a receiver on another host. */
  otherHost?: boolean
  /** Changed after it was signed. */
  tampered?: boolean
  unsigned?: boolean
}

/** Faults that a receiver must refuse, as scenario files write them. */
export const forgeryNames = ['tampered', 'wrongKey', 'otherHost', 'unsigned', 'stale'] as const

/** Host that a callback with the fault 'otherHost' is signed for. */
export const otherHost = 'other-shop.example'

/** Fault of a callback: its time, its number and its content. */
export interface CallbackFault extends ForgeryFault {
  delayMs?: number
  duplicates?: number
  drop?: boolean
  /** Sent before the answer to the initiation: the payment ends at once, and the answer waits. */
  beforeAnswer?: boolean
  /** Sent after the callback of the next payment. */
  afterNext?: boolean
  /** Fields that are not documented. */
  extraFields?: Record<string, unknown>
}

const maxDuplicates = 100
const maxMs = 31 * 86_400_000
const yes = (description: string) => Type.Boolean({ description: `true: ${description}` })

/** Age of a 'stale' signature without an age of its own: it has expired. */
const staleMs = 10 * 60_000
/** Fields that 'extraFields' adds if it names none. */
const unknownFields = {
  momockUnknownField: 'a field your code does not know',
  momockUnknownObject: { nested: [1, 2, 3] }
}

export const CallbackFaultSchema = Type.Object(
  {
    delay: Type.Optional(Duration),
    duplicates: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxDuplicates,
        description: `how often it is sent again, at most ${maxDuplicates} times`
      })
    ),
    drop: Type.Optional(yes('it is never sent')),
    beforeAnswer: Type.Optional(
      yes(
        'it comes before the answer to the initiation; the payment ends at once, whatever ' +
          'its script says of time'
      )
    ),
    afterNext: Type.Optional(
      yes('it comes after the callback of the next payment, or after a minute if there is none')
    ),
    stale: Type.Optional(
      Type.Union([Type.Boolean(), ...Duration.anyOf], {
        description: 'true, or how long ago its signature was made'
      })
    ),
    wrongKey: Type.Optional(yes('it is signed with a key that is not ours')),
    otherHost: Type.Optional(yes(`its signature is for another host, ${otherHost}`)),
    tampered: Type.Optional(
      yes('it was changed after it was signed: it claims COMPLETED, or more money')
    ),
    unsigned: Type.Optional(yes('it is not signed')),
    extraFields: Type.Optional(
      Type.Union([Type.Boolean(), Type.Object({}, { additionalProperties: true })], {
        description: 'true, or an object of fields that are added'
      })
    )
  },
  {
    ...closed,
    minProperties: 1,
    description:
      '{ delay, duplicates, drop, beforeAnswer, afterNext, stale, wrongKey, otherHost, ' +
      'tampered, unsigned, extraFields }'
  }
)

type Written = Static<typeof CallbackFaultSchema>

/** Names of all callback faults, as scenario files write them. */
export const callbackFaultNames = Object.keys(CallbackFaultSchema.properties) as Array<
  keyof Written
>

/** Pairs that cannot both be: one of them would never be seen. */
const contradictions: Array<[one: keyof Written, other: keyof Written]> = [
  ...callbackFaultNames
    .filter((name) => name !== 'drop')
    .map((name): [keyof Written, keyof Written] => ['drop', name]),
  ['beforeAnswer', 'delay'],
  ['beforeAnswer', 'afterNext'],
  ['afterNext', 'delay'],
  ['unsigned', 'stale'],
  ['unsigned', 'wrongKey'],
  ['unsigned', 'otherHost'],
  ['wrongKey', 'otherHost']
]

/** Problems of the callback part of a scenario. */
export function checkCallbackFault (
  written: Written = {}
): Array<{ path: string; message: string }> {
  const far = (['delay', 'stale'] as const).filter(
    (name) => typeof written[name] !== 'boolean' && (parseDuration(written[name] ?? 0) ?? 0) > maxMs
  )
  return [
    ...far.map((name) => ({ path: `callback.${name}`, message: `${name} is at most 31 days` })),
    ...contradictions
      .filter((pair) => pair.every((name) => isOn(written[name])))
      .map(([one, other]) => ({
        path: `callback.${other}`,
        message: `a callback cannot be both '${one}' and '${other}'; leave one of them out`
      }))
  ]
}

/** Tells whether a receiver must refuse a callback with a fault. */
export function isForged (fault: ForgeryFault): boolean {
  const { staleMs, wrongKey, otherHost, tampered, unsigned } = fault
  return [staleMs, wrongKey, otherHost, tampered, unsigned].some(isOn)
}

function isOn (value: unknown): boolean {
  return value !== undefined && value !== false && value !== 0
}

/** Reads the callback part of a scenario. */
export function readCallbackFault (written: Written): CallbackFault {
  const { delay, stale, extraFields, ...fault } = written
  const on = Object.fromEntries(Object.entries(fault).filter(([, value]) => isOn(value)))
  return {
    ...on,
    ...(delay !== undefined && { delayMs: parseDuration(delay) }),
    ...(stale !== undefined &&
      stale !== false && { staleMs: stale === true ? staleMs : parseDuration(stale) }),
    ...(extraFields !== undefined &&
      extraFields !== false && {
      extraFields: extraFields === true ? unknownFields : (extraFields as Record<string, unknown>)
    })
  }
}
