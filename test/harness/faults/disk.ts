import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileLibrary, noCompiler } from '../../support/c-library.ts'
import { isAccepted, type Setting } from './setting.ts'

/** Disks that are full or cannot be written, for a while. */

const source = fileURLToPath(new URL('fail-writes.c', import.meta.url))

/** Nothing that was accepted is lost, and the server goes on by itself when it can write again. */
export async function failWrites (
  setting: Setting,
  fault: 'full' | 'readonly'
): Promise<string | undefined> {
  const library = compileLibrary(source, setting.folder, 'fail-writes')
  if (library === undefined) return noCompiler
  const file = join(setting.folder, 'fault')
  await setting.start({
    env: { LD_PRELOAD: library, FAIL_WRITES_IF: file, FAIL_WRITES_UNDER: setting.ledgerFolder }
  })
  const { problems, receiver } = setting
  const before = (await setting.initiateMany(20)).filter(isAccepted)
  if (before.length !== 20) problems.push(`only ${before.length} of 20 were accepted before`)

  // The callbacks arrive while the disk works, and are answered when it does not.
  receiver.behave(() => 'hang')
  const arrived = (): boolean => receiver.arrivals.length >= 20
  await setting.expect('20 callbacks are on their way', arrived)
  writeFileSync(file, fault)
  receiver.behave(() => 'accept')

  const meanwhile = await setting.initiateMany(20)
  const stored = meanwhile.filter(isAccepted)
  if (stored.length > 0) problems.push(`${stored.length} were accepted, and could not be stored`)
  const silent = meanwhile.filter(({ status }) => status === 0)
  if (silent.length > 0) problems.push(`${silent.length} were not answered while writes failed`)
  if (!(await setting.isHealthy())) problems.push('it died when writes failed')
  const path = `/v2/deposits/${before[0]?.id}`
  const found = await setting.server.call<{ status: string }>('GET', path)
  if (found.body.status !== 'FOUND') problems.push('what is stored cannot be read meanwhile')
  // Long enough for the callbacks under way to run into their time limit of a second.
  await new Promise((resolve) => setTimeout(resolve, 1500))

  rmSync(file)
  await setting.expect('it accepts again', async () => isAccepted(await setting.initiate()))
  const after = (await setting.initiateMany(20)).filter(isAccepted)
  if (after.length !== 20) problems.push(`only ${after.length} of 20 were accepted afterwards`)
  await setting.expectTold(before, { when: 'before' })
  await setting.expectTold(after)
  await setting.expectInvariants()
}
