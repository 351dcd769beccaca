import { createMomock, type MomockOptions } from '../../src/index.ts'

/**
 * `node test/replicas/closed-mock.ts OPTIONS [stay]`: starts a mock, and closes it after SIGUSR2.
 * The process must then end by itself, unless it is told to stay.
 */

const [text, stay] = process.argv.slice(2)
const options: MomockOptions = JSON.parse(text)
const mock = await createMomock(options)
const life = setInterval(() => {}, 60_000)
process.once('SIGUSR2', async () => {
  await mock.close()
  if (stay === undefined) clearInterval(life)
  process.stdout.write('closed\n')
})
process.stdout.write(`${mock.url}\n`)
