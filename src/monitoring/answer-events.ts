import type { Kind } from '../domain/kinds.ts'
import type { MockEvent } from './mock-event.ts'
import type { AnsweredRequest } from '../ports/observer.ts'
import { noteMetadata } from '../domain/request-notes.ts'
import { isTooDeep } from '../lib/json-limits.ts'

type AnswerEvent = Omit<MockEvent & { type: 'answer' }, 'time' | 'account'>
type Fields = Record<string, unknown>

/** Words of an answer with status 200 that is worth an event. */
const noted = /"status":"(REJECTED|DUPLICATE_IGNORED)"/

/**
 * Describes what is worth an event in an answer: refusals, repeated identifiers and faults. An
 * answer to a bulk request can hold several.
 */
export function describeAnswers (answered: AnsweredRequest): AnswerEvent[] {
  const { method, url, text, status, answer, kind, fault } = answered
  const [path] = url.split('?', 1)
  if (status < 400 && fault === undefined && !(method === 'POST' && noted.test(answer))) {
    return kind !== undefined && text.includes('"metadata"') && path.startsWith('/v2/')
      ? describeMetadata(answered, path, kind)
      : []
  }
  const sent = parseObjects(text)
  const answers = parseObjects(answer)
  const items = answers.length === 0 ? [{}] : answers
  return items.flatMap((item, index): AnswerEvent[] => {
    const { code, message } = readReason(item)
    const word = code ?? (typeof item.status === 'string' ? item.status : String(status))
    if (status < 400 && word === 'ACCEPTED' && fault === undefined) return []
    const id = kind && (item[kind.idField] ?? sent[index]?.[kind.idField] ?? findId(path))
    return [
      {
        type: 'answer',
        method,
        path,
        ...(kind !== undefined && { kind: kind.name }),
        ...(typeof id === 'string' && { paymentId: id.slice(0, 36) }),
        httpStatus: status,
        code: word,
        ...(message !== undefined && { message }),
        ...(fault !== undefined && { fault })
      }
    ]
  })
}

/** Describes metadata of accepted requests that the merchant probably meant otherwise. */
function describeMetadata (
  { method, text, status }: AnsweredRequest,
  path: string,
  { name, idField }: Kind
): AnswerEvent[] {
  return parseObjects(text).flatMap((body) => {
    const [note] = noteMetadata(path, body)
    if (note === undefined) return []
    const id = body[idField]
    return [
      {
        type: 'answer',
        method,
        path,
        kind: name,
        ...(typeof id === 'string' && { paymentId: id.slice(0, 36) }),
        httpStatus: status,
        code: 'ACCEPTED',
        message: note.message
      }
    ]
  })
}

/** Forms of a reason: of v2, of v1, of errors of v1, and of the admin API. */
const forms: Array<[holder: string, code: string, message: string]> = [
  ['failureReason', 'failureCode', 'failureMessage'],
  ['rejectionReason', 'rejectionCode', 'rejectionMessage'],
  ['', 'errorCode', 'errorMessage'],
  ['error', 'code', 'message']
]

function readReason (item: Fields): { code?: string; message?: string } {
  for (const [holder, codeField, messageField] of forms) {
    const reason = (holder === '' ? item : item[holder]) as Fields | null | undefined
    const { [codeField]: code, [messageField]: message } = reason ?? {}
    if (code !== undefined) {
      return { code: String(code), ...(typeof message === 'string' && { message }) }
    }
  }
  return {}
}

const identifier = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

function findId (path: string): string | undefined {
  return identifier.exec(path)?.[0]
}

/** Parses JSON into a list of objects; other texts give none. */
function parseObjects (text: string): Fields[] {
  if (text === '' || isTooDeep(text)) return []
  try {
    return [JSON.parse(text)]
      .flat()
      .filter((item): item is Fields => typeof item === 'object' && item !== null)
  } catch {
    return []
  }
}
