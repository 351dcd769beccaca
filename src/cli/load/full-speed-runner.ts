import autocannon from 'autocannon'
import { everyRequestFails, patienceSeconds, type LoadRunner } from './plan.ts'
import type { LoadRequest } from './request-sequence.ts'

/** How often autocannon looks whether it is over, in milliseconds. */
const samplingMs = 20

/** As many requests as it can, each connection one after the other. */
export const runAtFullSpeed: LoadRunner = async (
  { url, connections, seconds },
  rounds,
  counter,
  stop
) => {
  /**
   * Gives a connection its requests, one when the one before is answered, and judges what comes
   * back.
   */
  const setupClient = (client: autocannon.Client): void => {
    let shot: LoadRequest
    let wrong: string | undefined
    client.setRequests([
      {
        setupRequest: (request) => {
          shot = rounds.next()
          const { method, path, headers, body } = shot
          return { ...request, method, path, headers, body }
        },
        onResponse: (status, body) => {
          wrong = rounds.judge(shot, status, body)
        }
      }
    ])
    client.on('response', (_status: number, _bytes: number, milliseconds: number) =>
      counter.answer(shot.kind, milliseconds, wrong)
    )
  }

  const { errors, timeouts } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        duration: seconds,
        timeout: patienceSeconds,
        sampleInt: samplingMs,
        bailout: everyRequestFails,
        setupClient
      },
      (error, result) => (error == null ? resolve(result) : reject(error))
    )
    stop.addEventListener('abort', () => run.stop())
  })
  return { errors: errors - timeouts, timeouts }
}
