import { spawn } from 'node:child_process'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { findRunningMock } from './running-mock.ts'

/** Program that opens a URL, by platform. The title of a window must come before the URL. */
const openers: Partial<Record<NodeJS.Platform, [file: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '']
}

/** `momock open`: opens the dashboard in the browser. */
export const run: RunCommand = async (input) => {
  const mock = await findRunningMock('open', input)
  if (mock === undefined) return exitCodes.address
  const url = `${mock.url}/__admin/ui`
  input.out.write(`${url}\n`)
  const isOpened = input.flags.print === true || (await openPage(url, input))
  if (!isOpened) input.err.write('no browser could be opened; copy the address\n')
  return exitCodes.fine
}

/** Returns false if the program that opens pages cannot be started. */
async function openPage (url: string, { env }: CommandInput): Promise<boolean> {
  const [file, ...args] =
    env.BROWSER === undefined || env.BROWSER === ''
      ? (openers[process.platform] ?? ['xdg-open'])
      : [env.BROWSER]
  return await new Promise((resolve) => {
    const child = spawn(file, [...args, url], {
      env: { ...env },
      stdio: 'ignore',
      detached: true
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
