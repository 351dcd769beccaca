import { Bench } from './bench.ts'
import { TargetProblem } from './check.ts'
import { Random } from './random.ts'
import { reach, type Workplace } from './workplace.ts'

/** First try of the configured application, before anything is judged. */

/** Throws a TargetProblem with the fix. */
export async function preflight (workplace: Workplace, stop: AbortSignal): Promise<void> {
  const { settings, mock, values } = workplace
  const { config } = settings
  const problem = await reach(config.callback)
  if (problem !== undefined) throw problem
  if (config.drive?.deposit === undefined) return
  await workplace.prepare()
  const bench = new Bench(mock, settings, new Random(settings.seed), values, stop)
  await bench.hook('before')
  await bench.hold()
  const { drive, reference, ids } = await bench.drive()
  const { line, error, status } = drive
  for (const id of ids) workplace.earlier.add(id)
  if (status === undefined) throw new TargetProblem(`drive.deposit: ${line}: ${error}`)
  if (reference === undefined && status < 400) {
    throw new TargetProblem(`drive.deposit: ${error}`, true)
  }
  if ((await bench.journal()).length === 0) {
    throw new TargetProblem(
      `drive.deposit worked (${line}: HTTP ${status}), but no request arrived at the mock. ` +
        `Configure the application with base URL ${mock.url} and token ${mock.token}`
    )
  }
  if (ids.length === 0) return
  if (config.observe === undefined || reference === undefined) return
  const seen = await bench.observe({ kind: 'deposit', reference })
  if (seen?.known === false) {
    throw new TargetProblem(
      `observe answers 404 for the reference ${reference}, which drive.deposit has just given`,
      true
    )
  }
}
