import { get } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/ports.ts'
import { launch, stop } from './processes.ts'

/** The milliseconds from starting a server to its first answer, which says that it is healthy. */
export async function timeStart (args: (port: number) => string[]): Promise<number> {
  const port = await freePort()
  const begin = performance.now()
  const child = launch(args(port))
  child.stdout?.resume()
  while (!(await healthy(port))) {
    if (child.exitCode !== null) {
      throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    }
    await sleep(1)
  }
  const took = performance.now() - begin
  await stop(child)
  return took
}

/**
 * The milliseconds from the import to listening, in a process that is running already, as it says
 * itself.
 */
export async function timeInside (args: string[]): Promise<number> {
  const said = (await text(launch(args).stdout as Readable)).trim().split('\n').at(-1) ?? ''
  return (JSON.parse(said) as { took: number }).took
}

function healthy (port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}
