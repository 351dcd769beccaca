import type { Bench } from './bench.ts'
import { NotPossible, TargetProblem } from './check.ts'
import { runControl, type Control } from './control.ts'
import type { JournalEntry } from './mock.ts'
import { openBench } from './runner.ts'
import { reach, type Workplace } from './workplace.ts'
import { findWrongToken } from './wrong-token.ts'

/** First try of the configured application, before anything is judged. */

/**
 * Throws a TargetProblem with the fix. Returns what became of a genuine callback, if one was
 * posted: an application that cannot be driven uses its token only then.
 */
export async function preflight (
  workplace: Workplace,
  stop: AbortSignal
): Promise<Control | undefined> {
  const { settings } = workplace
  const problem = await reach(settings.config.callback)
  if (problem !== undefined) throw problem
  const bench = await openBench(workplace, settings.seed, stop)
  if (settings.config.drive?.deposit === undefined) {
    const control = await runControl(bench).catch((error: unknown) => {
      throw error instanceof NotPossible ? new TargetProblem(error.message, true) : error
    })
    refuseWrongToken(await bench.journal(), workplace)
    // No check has been run yet, so a missing answer does not end the exam.
    workplace.remember({ ...(await bench.evidence()), exchanges: [] })
    return control
  }
  await tryDeposit(bench, workplace)
}

/** Starts a deposit, and looks whether it arrives and can be observed. */
async function tryDeposit (bench: Bench, workplace: Workplace): Promise<void> {
  const { settings, mock, earlier } = workplace
  await bench.hold()
  const { drive, reference, ids } = await bench.drive()
  const { line, error, status } = drive
  const journal = await bench.journal()
  refuseWrongToken(journal, workplace)
  for (const id of ids) earlier.ids.add(id)
  if (status === undefined) throw new TargetProblem(`drive.deposit: ${line}: ${error}`)
  if (reference === undefined && status < 400) {
    throw new TargetProblem(`drive.deposit: ${error}`, true)
  }
  if (journal.length === 0) {
    throw new TargetProblem(
      `drive.deposit worked (${line}: HTTP ${status}), but no request arrived at the mock. ` +
        `Configure the application with base URL ${mock.url} and token ${mock.token}`
    )
  }
  if (ids.length === 0) return
  if (settings.config.observe === undefined || reference === undefined) return
  const seen = await bench.observe({ kind: 'deposit', reference })
  if (seen?.known === false) {
    throw new TargetProblem(
      `observe answers 404 for the reference ${reference}, which drive.deposit has just given`,
      true
    )
  }
}

function refuseWrongToken (
  journal: readonly JournalEntry[],
  { mock: { token }, settings: { config } }: Workplace
): void {
  // Requests of others without a known token are seen in a shared mock, too.
  const isShared = config.mock?.url !== undefined
  if (isShared && journal.some(({ response }) => response.status < 400)) return
  const problem = findWrongToken(journal, token)
  if (problem !== undefined) throw problem
}
