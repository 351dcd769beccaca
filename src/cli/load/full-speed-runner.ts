import autocannon from 'autocannon'
import { mostErrors, timeoutSeconds, type LoadRunner } from './plan.ts'
import type { LoadRequest } from './request-sequence.ts'

/** Interval at which autocannon checks for the end of the run, in milliseconds. */
const samplingMs = 20

/** Sends requests without a rate limit. Each connection sends one after the other. */
export const runAtFullSpeed: LoadRunner = async (
  { url, connections, seconds },
  sequence,
  counter,
  stop
) => {
  /** Gives a connection its next request after each answer, and checks the answer. */
  const setupClient = (client: autocannon.Client): void => {
    let sent: LoadRequest
    let wrong: string | undefined
    client.setRequests([
      {
        setupRequest: (request) => {
          sent = sequence.next()
          const { method, path, headers, body } = sent
          return { ...request, method, path, headers, body }
        },
        onResponse: (status, body) => {
          wrong = sequence.checkAnswer(sent, status, body)
        }
      }
    ])
    client.on('response', (_status: number, _bytes: number, milliseconds: number) =>
      counter.addAnswer(sent.kind, milliseconds, wrong)
    )
  }

  const { errors, timeouts } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        duration: seconds,
        timeout: timeoutSeconds,
        sampleInt: samplingMs,
        bailout: mostErrors,
        setupClient
      },
      (error, result) => (error == null ? resolve(result) : reject(error))
    )
    stop.addEventListener('abort', () => run.stop())
  })
  return { errors: errors - timeouts, timeouts }
}
