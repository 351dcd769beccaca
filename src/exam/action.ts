import { ChildGroup } from '../lib/child-group.ts'
import { TargetProblem } from './check.ts'
import type { Action } from './config.ts'
import { stopwatch } from './mock.ts'
import { mostBytes, NoAnswer, send, type Message } from './http.ts'
import { fill, fillDeep, variablesOf, type Values } from './template.ts'

/** A request or a command that the user wrote, carried out. */

export interface Outcome {
  /** The request or the command, in a line. */
  line: string
  /** HTTP status; of a command, its exit code 0 counts as 200. */
  status?: number
  /** Why there is none. */
  error?: string
  text: string
  durationMs: number
}

/** Context of an action: values of its variables, the folder of commands, and the time limit. */
export interface Setting {
  values: Values
  folder: string
  timeoutMs: number
  stop: AbortSignal
}

/** Runs an action. Answers of the merchant never make it throw. */
export async function perform (action: Action, setting: Setting): Promise<Outcome> {
  return action.http === undefined
    ? await runCommand(action.command ?? '', setting)
    : await request(messageOf(action.http, setting.values), setting)
}

/** The request of an action, with its variables filled in. */
function messageOf (
  { method, url, headers = {}, body, form }: NonNullable<Action['http']>,
  values: Values
): Message {
  const given = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    fill(String(value), values)
  ])
  const sent = Object.fromEntries(given)
  if (form !== undefined) {
    const fields = Object.entries(form).map(([name, value]): [string, string] => [
      name,
      fill(String(value), values)
    ])
    return {
      method: method ?? 'POST',
      url: fill(url, values),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...sent },
      body: new URLSearchParams(fields).toString()
    }
  }
  if (body === undefined) {
    return {
      method: method ?? 'GET',
      url: fill(url, values),
      headers: { accept: 'application/json', ...sent }
    }
  }
  const filled = fillDeep(body, values)
  const text = typeof filled === 'string' ? filled : JSON.stringify(filled)
  return {
    method: method ?? 'POST',
    url: fill(url, values),
    headers: { accept: 'application/json', 'content-type': 'application/json', ...sent },
    body: text
  }
}

async function request (message: Message, { timeoutMs, stop }: Setting): Promise<Outcome> {
  const line = `${message.method} ${message.url}`
  try {
    const { status, headers, body, durationMs, isCut } = await send(message, timeoutMs, { stop })
    const { location } = headers
    if (
      status >= 300 &&
      status < 400 &&
      typeof location === 'string' &&
      isElsewhere(message.url, location)
    ) {
      throw new TargetProblem(
        `${line} was redirected to another host, ${location}; redirects are not followed, so ` +
          'write the final URL into the configuration',
        true
      )
    }
    if (isCut) {
      throw new TargetProblem(
        `${line} answered with more than ${mostBytes / 1024} KiB; write a URL into the ` +
          'configuration that answers for one payment',
        true
      )
    }
    return { line, status, text: body, durationMs }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { line, error: error.message, text: '', durationMs: error.durationMs }
  }
}

function isElsewhere (url: string, location: string): boolean {
  return URL.parse(location, url)?.host !== new URL(url).host
}

/** Runs a command. It gets its variables in its environment only: a value is never part of it. */
async function runCommand (
  command: string,
  { values, folder, timeoutMs, stop }: Setting
): Promise<Outcome> {
  const begun = stopwatch()
  const output = { stdout: '', stderr: '' }
  let length = 0
  const group = new ChildGroup(command, {
    folder,
    env: { ...process.env, ...variablesOf(values) },
    onOutput: (text, stream) => {
      if ((length += text.length) <= mostBytes) output[stream] += text
    }
  })
  let isLate = false
  const kill = (): void => group.kill()
  const late = setTimeout(() => {
    isLate = true
    kill()
  }, timeoutMs)
  stop.addEventListener('abort', kill, { once: true })
  if (stop.aborted) kill()
  const code = await group.wait()
  group.release()
  clearTimeout(late)
  stop.removeEventListener('abort', kill)
  const line = `$ ${command}`
  const { stdout: text, stderr } = output
  const durationMs = stopwatch() - begun
  if (isLate) {
    return { line, error: `the command did not end within ${timeoutMs / 1000} s`, text, durationMs }
  }
  if (code === 0) return { line, status: 200, text, durationMs }
  const said = stderr.trim().split('\n').at(-1) ?? ''
  return {
    line,
    error: `the command ended with ${code}${said === '' ? '' : `: ${said.slice(0, 200)}`}`,
    text,
    durationMs
  }
}
