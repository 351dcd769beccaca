import { Pool } from 'undici'
import { stopwatch } from '../../lib/clock.ts'
import type { Losses } from './figures.ts'
import { everyRequestFails, patienceSeconds, type LoadRunner } from './plan.ts'

/**
 * So many requests a second, evenly: the tenth of ten a second is sent nine tenths of a second
 * after the first. One that finds every connection busy waits for the first that is free.
 */
export const runAtRate: LoadRunner = async (
  { url, rate, seconds, connections },
  rounds,
  counter,
  stop
) => {
  const pool = new Pool(new URL(url).origin, {
    connections,
    headersTimeout: patienceSeconds * 1000,
    bodyTimeout: patienceSeconds * 1000
  })
  const losses: Losses = { errors: 0, timeouts: 0 }
  const total = Math.floor(rate * seconds)
  const started = stopwatch()
  const elapsed = (): number => (stopwatch() - started) / 1000
  let sent = 0
  let underWay = 0

  const shoot = async (): Promise<void> => {
    const shot = rounds.next()
    const { method, path, headers, body } = shot
    const began = stopwatch()
    try {
      const answer = await pool.request({ method, path, headers, body })
      const text = await answer.body.text()
      counter.answer(shot.kind, stopwatch() - began, rounds.judge(shot, answer.statusCode, text))
    } catch (error) {
      // Those that are under way when it is told to stop are nobody's fault.
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
    /** Sends what is due, and comes back when the next one is, or when a connection is free. */
    const pump = (): void => {
      clearTimeout(timer)
      const due = over ? sent : Math.min(total, Math.floor(elapsed() * rate) + 1)
      for (; sent < due && underWay < connections; sent++) {
        underWay++
        shoot().finally(() => {
          underWay--
          pump()
        })
      }
      // Only after they were sent: a machine that is busy at the last moment loses none of them.
      over ||= elapsed() >= seconds || losses.errors + losses.timeouts >= everyRequestFails
      if (over && underWay === 0) return resolve()
      if (over) return
      const next = sent < total ? sent / rate : seconds
      timer = setTimeout(pump, Math.max(1, (next - elapsed()) * 1000))
    }
    stop.addEventListener('abort', () => {
      over = true
      pool.destroy().then(pump, pump)
    })
    pump()
  })
  await pool.destroy()
  return losses
}
