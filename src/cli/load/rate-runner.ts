import { Pool } from 'undici'
import { stopwatch } from '../../lib/clock.ts'
import type { Losses } from './figures.ts'
import { mostErrors, timeoutSeconds, type LoadRunner } from './plan.ts'

/**
 * Most payments that wait for their callback in a run of whole lives without a rate: the outbox of
 * the mock stays bounded. Enough for 6,000 per second with the default script of half a second.
 */
const mostOpenLives = 4000

/**
 * Sends requests at an even rate: with 10 per second, one every 100 ms. A request waits if all
 * connections are busy. Rate 0 sends as fast as the mock answers, and as it sends callbacks.
 */
export const runAtRate: LoadRunner = async (
  { url, rate, seconds, connections, lives },
  sequence,
  counter,
  stop
) => {
  const pool = new Pool(new URL(url).origin, {
    connections,
    headersTimeout: timeoutSeconds * 1000,
    bodyTimeout: timeoutSeconds * 1000
  })
  const losses: Losses = { errors: 0, timeouts: 0 }
  const total = rate === 0 ? Infinity : Math.floor(rate * seconds)
  const started = stopwatch()
  const elapsed = (): number => (stopwatch() - started) / 1000
  let sent = 0
  let open = 0
  const countDue = (): number =>
    rate === 0 ? Infinity : Math.min(total, Math.floor(elapsed() * rate) + 1)

  const sendRequest = async (): Promise<void> => {
    const request = sequence.next()
    const { method, path, headers, body } = request
    const sentAt = stopwatch()
    try {
      const answer = await pool.request({ method, path, headers, body })
      const text = await answer.body.text()
      const wrong = sequence.checkAnswer(request, answer.statusCode, text)
      counter.addAnswer(request.kind, stopwatch() - sentAt, wrong)
    } catch (error) {
      // Requests that are cut off by an early stop are not errors.
      if (!stop.aborted) {
        losses[
          /TIMEOUT/.test((error as NodeJS.ErrnoException).code ?? '') ? 'timeouts' : 'errors'
        ]++
      }
    }
  }

  await new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined
    let over = false
    const hasRoom = (): boolean =>
      open < connections && (rate > 0 || lives === undefined || lives.open + open < mostOpenLives)
    /** Sends due requests. Runs again when the next one is due or a connection is free. */
    const sendDue = (): void => {
      clearTimeout(timer)
      const due = over ? sent : countDue()
      for (; sent < due && hasRoom(); sent++) {
        open++
        sendRequest().finally(() => {
          open--
          sendDue()
        })
      }
      // Checked after sending, so that a busy machine does not lose the last requests.
      over ||= elapsed() >= seconds || losses.errors + losses.timeouts >= mostErrors
      if (over && open === 0) return resolve()
      if (over) return
      const next = rate > 0 && sent < total ? sent / rate : seconds
      timer = setTimeout(sendDue, Math.max(1, (next - elapsed()) * 1000))
    }
    stop.addEventListener('abort', () => {
      over = true
      pool.destroy().then(sendDue, sendDue)
    })
    if (rate === 0) lives?.onCallback(sendDue)
    sendDue()
  })
  await pool.destroy()
  return losses
}
